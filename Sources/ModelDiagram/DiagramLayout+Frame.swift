// SPDX-License-Identifier: Apache-2.0

// The parts around the boxes: headline, notes, and legend.

extension DiagramLayout {
    /// The headline and notes, stacked from 0, 0.
    static func labels(of graph: DiagramGraph, options: DiagramOptions) -> [Label] {
        var labels: [Label] = []
        func add(_ kind: Label.Kind, _ text: String, size: Double) {
            let text = TextMetrics.fit(text, width: 680, size: size, isBold: kind == .title)
            let rect = DiagramRect(
                x: 0,
                y: labels.last?.rect.maxY ?? 0,
                width: TextMetrics.width(of: text, size: size, isBold: kind == .title),
                height: (size * 1.5).rounded()
            )
            labels.append(Label(kind: kind, text: text, rect: rect))
        }
        if let title = options.title, !title.isEmpty { add(.title, title, size: DiagramMetrics.headlineSize) }
        if graph.boxes.isEmpty, graph.omittedEntities == 0 {
            add(.note, "This model has no entities.", size: DiagramMetrics.nameSize)
        }
        if graph.omittedEntities > 0 {
            add(.note, "Not drawn: \(graph.omittedEntities) more entities.", size: DiagramMetrics.nameSize)
        }
        if graph.omittedLinks > 0 {
            add(.note, "Not drawn: \(graph.omittedLinks) more lines.", size: DiagramMetrics.nameSize)
        }
        return labels
    }

    /// The legend's items in rows of the given width.
    static func legend(width: Double, top: Double) -> [LegendItem] {
        var items: [LegendItem] = []
        var x = DiagramMetrics.margin
        var y = top
        for (sign, text) in signs {
            let room =
                switch sign {
                case .line: 46.0
                case .mark(let mark): TextMetrics.width(of: mark.rawValue, size: DiagramMetrics.markSize) + 6
                case .text(let text): TextMetrics.width(of: text, size: DiagramMetrics.nameSize) + 6
                }
            let size = room + TextMetrics.width(of: text, size: DiagramMetrics.markSize)
            if x > DiagramMetrics.margin, x + size > DiagramMetrics.margin + width {
                x = DiagramMetrics.margin
                y += DiagramMetrics.legendHeight
            }
            let rect = DiagramRect(x: x, y: y, width: size, height: DiagramMetrics.legendHeight)
            items.append(LegendItem(sign: sign, text: text, rect: rect))
            x += size + 22
        }
        return items
    }

    private static let signs: [(LegendItem.Sign, String)] = [
        (.line(.one), "exactly one"),
        (.line(.zeroOrOne), "one or none"),
        (.line(.oneOrMore), "one or more"),
        (.line(.many), "any number"),
        (.line(.arrow), "to one, no inverse"),
        (.line(.doubleArrow), "to many, no inverse"),
        (.line(.triangle), "inherits from"),
        (.mark(.cascade), "deletes them too"),
        (.mark(.deny), "can't be deleted while there are any"),
        (.mark(.nullify), "they forget it"),
        (.mark(.noAction), "they may be left pointing nowhere"),
        (.text("String?"), "optional"),
        (.text("/name"), "derived"),
    ]
}
