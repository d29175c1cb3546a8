// SPDX-License-Identifier: Apache-2.0

// Draws boxes.

import XML

extension DiagramLayout.Box {
    var svg: XMLElement {
        var group = XMLElement("g", ["class": isAbstract ? "box abstract" : "box"])
        group.append(XMLElement("title", text: tooltip))
        group.append(
            XMLElement(
                "rect",
                [
                    "class": "frame", "x": rect.x.svg, "y": rect.y.svg, "width": rect.width.svg,
                    "height": rect.height.svg, "rx": "6",
                ]
            )
        )
        let left = header.x.svg
        let right = header.maxX.svg
        let top = header.y
        let bottom = header.maxY.svg
        let corners =
            "M\(left) \(bottom)V\((top + 6).svg)a6 6 0 0 1 6 -6H\((header.maxX - 6).svg)a6 6 0 0 1 6 6V\(bottom)"
        group.append(.path(corners + "z", class: "header"))
        group.append(.path("M\(left) \(bottom)H\(right)", class: "rule"))
        let middle = header.x + (header.width / 2).rounded()
        if isAbstract { group.append(.text("«abstract»", x: middle, y: top + 16, class: "stereotype")) }
        group.append(.text(title, x: middle, y: header.maxY - 12, class: "entity"))
        if let index = rows.firstIndex(where: { $0.kind == .relationship }), index > 0 {
            let y = (rows[index].rect.y - DiagramMetrics.sectionPadding).svg
            group.append(.path("M\(left) \(y)H\(right)", class: "rule"))
        }
        for row in rows { group.children += row.svg.map(XMLNode.element) }
        return group
    }
}

extension DiagramLayout.Row {
    fileprivate var svg: [XMLElement] {
        let baseline = rect.y + 14
        var label = XMLElement.text(name, x: rect.x + DiagramMetrics.rowPadding, y: baseline, class: style)
        for mark in marks {
            var span = XMLElement("tspan", ["class": "mark \(mark.style)", "dx": "6"])
            span.children = [.text(mark.rawValue)]
            label.append(span)
        }
        guard !type.isEmpty else { return [label] }
        return [label, .text(type, x: rect.maxX - DiagramMetrics.rowPadding, y: baseline, class: "type")]
    }

    private var style: String {
        switch kind {
        case .attribute: marks.contains(.transient) ? "name transient" : "name"
        case .fetchedProperty: "name"
        case .relationship: "name relationship"
        case .more: "more"
        }
    }
}

extension DiagramLayout.Mark {
    /// The CSS class of the mark.
    var style: String {
        switch self {
        case .cascade: "cascade"
        case .deny: "deny"
        case .noAction: "no-action"
        case .unique, .indexed, .transient, .fetched, .ordered, .nullify: "plain"
        }
    }
}
