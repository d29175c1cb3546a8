// SPDX-License-Identifier: Apache-2.0

import XML

extension DiagramLayout.LegendItem {
    var svg: XMLElement {
        let baseline = rect.y + 16
        let middle = rect.y + 12
        let words = XMLElement.text(
            text,
            x: rect.maxX - TextMetrics.width(of: text, size: DiagramMetrics.markSize),
            y: baseline,
            class: "key"
        )
        var group = XMLElement("g", ["class": "item"])
        switch sign {
        case .line(let shape):
            let start = DiagramPoint(x: rect.x, y: middle)
            let end = DiagramPoint(x: rect.x + 36, y: middle)
            group["class"] = shape == .triangle ? "line inheritance" : "line"
            group.append(.path("M\(start.x.svg) \(middle.svg)H\(end.x.svg)", class: "way"))
            group.append(.path("M\(end.x.svg) \((middle - 8).svg)v16", class: "border"))
            group.children += shape.svg(at: end, from: start).map(XMLNode.element)
        case .mark(let mark):
            group.append(.text(mark.rawValue, x: rect.x, y: baseline, class: "mark \(mark.style)"))
        case .text(let text):
            group.append(.text(text, x: rect.x, y: baseline, class: "sample"))
        }
        group.append(words)
        return group
    }
}
