// SPDX-License-Identifier: Apache-2.0

// Final positions and contents of boxes and lines.

extension DiagramLayout.Box {
    init(_ placed: PlacedPart.Box, of graph: DiagramGraph, at offset: DiagramPoint) {
        let content = graph.boxes[placed.index]
        let rect = placed.rect.moved(by: offset)
        func row(_ row: BoxContent.Row, _ place: Int, from top: Double) -> DiagramLayout.Row {
            DiagramLayout.Row(
                kind: row.kind,
                propertyName: row.propertyName,
                rect: DiagramRect(
                    x: rect.x,
                    y: rect.y + top + DiagramMetrics.sectionPadding + Double(place) * DiagramMetrics.rowHeight,
                    width: rect.width,
                    height: DiagramMetrics.rowHeight
                ),
                name: row.name,
                marks: row.marks,
                type: row.type
            )
        }
        entityName = content.entityName
        self.rect = rect
        header = DiagramRect(x: rect.x, y: rect.y, width: rect.width, height: content.headerHeight)
        title = content.title
        isAbstract = content.isAbstract
        tooltip = content.tooltip
        rows =
            content.attributes.enumerated().map { row($1, $0, from: content.headerHeight) }
            + placed.rowOrder.enumerated().map { row(content.relationships[$1], $0, from: placed.rowsTop) }
    }
}

extension DiagramLayout.Line {
    init(_ placed: PlacedPart.Line, of graph: DiagramGraph, at offset: DiagramPoint) {
        let link = graph.links[placed.link]
        func name(_ end: DiagramGraph.Link.End) -> String {
            let box = graph.boxes[end.box]
            guard let row = end.row else { return box.title }
            return "\(box.title).\(box.relationships[row].name)"
        }
        func end(_ end: DiagramGraph.Link.End) -> End {
            End(
                box: end.box,
                relationshipName: end.row.map { graph.boxes[end.box].relationships[$0].propertyName },
                shape: end.shape
            )
        }
        kind = link.kind
        start = end(link.start)
        self.end = end(link.end)
        points = placed.points.map { $0.moved(by: offset) }
        color = placed.link
        tooltip =
            switch link.kind {
            case .relationship: "\(name(link.start)) ⇄ \(name(link.end))"
            case .oneWay: "\(name(link.start)) → \(name(link.end))"
            case .inheritance: "\(name(link.end)) is a kind of \(name(link.start))"
            }
    }
}
