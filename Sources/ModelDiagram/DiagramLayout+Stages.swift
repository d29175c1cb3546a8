// SPDX-License-Identifier: Apache-2.0

// The layout of a whole graph: connected parts are laid out separately, packed onto a page, and framed with a headline
// and legend.

extension DiagramLayout {
    init(of graph: DiagramGraph, options: DiagramOptions) {
        var graph = graph
        let parts = Self.parts(of: graph)
        // Boxes without lines are arranged in a grid.
        let lonely = parts.filter(\.links.isEmpty).flatMap(\.boxes)
        let common = lonely.map { graph.boxes[$0].width }.max() ?? 0
        for box in lonely { graph.boxes[box].widen(to: common) }

        let placed = parts.map { PlacedPart(boxes: $0.boxes, links: $0.links, in: graph) }
        let order = placed.indices.sorted { one, other in
            let isLonely = (parts[one].links.isEmpty, parts[other].links.isEmpty)
            if isLonely.0 != isLonely.1 { return isLonely.1 }
            let areas = (placed[one].width * placed[one].height, placed[other].width * placed[other].height)
            return isLonely.0 || areas.0 == areas.1 ? one < other : areas.0 > areas.1
        }
        let items = order.map { index in
            let part = placed[index]
            let isOnGrid = parts[index].links.isEmpty
            return Packing.Item(width: part.width, height: part.height, isOnGrid: isOnGrid)
        }
        let packing = Packing.best(of: items, gap: DiagramMetrics.componentGap)

        let labels = Self.labels(of: graph, options: options)
        let top = DiagramMetrics.margin + (labels.isEmpty ? 0 : (labels.last?.rect.maxY ?? 0) + 24)
        let inner = max(packing.width, labels.map(\.rect.width).max() ?? 0, options.hasLegend ? 720 : 0)
        let origin = DiagramPoint(x: DiagramMetrics.margin + ((inner - packing.width) / 2).rounded(), y: top)

        var boxes: [Int: Box] = [:]
        var lines: [Int: Line] = [:]
        for (index, place) in zip(order, packing.places) {
            let offset = place.moved(by: origin)
            for box in placed[index].boxes { boxes[box.index] = Box(box, of: graph, at: offset) }
            for line in placed[index].lines { lines[line.link] = Line(line, of: graph, at: offset) }
        }
        self.boxes = graph.boxes.indices.compactMap { boxes[$0] }
        self.lines = graph.links.indices.compactMap { lines[$0] }
        self.labels = labels.map { label in
            var label = label
            label.rect = label.rect.moved(by: DiagramPoint(x: DiagramMetrics.margin, y: DiagramMetrics.margin))
            return label
        }
        let bottom = top + packing.height
        legend = options.hasLegend ? Self.legend(width: inner, top: bottom + 40) : []
        width = inner + 2 * DiagramMetrics.margin
        height = (legend.map(\.rect.maxY).max() ?? bottom) + DiagramMetrics.margin
    }

    /// The connected parts, ordered by their first boxes.
    private static func parts(of graph: DiagramGraph) -> [(boxes: [Int], links: [Int])] {
        var neighbours: [[Int]] = Array(repeating: [], count: graph.boxes.count)
        for link in graph.links {
            neighbours[link.start.box].append(link.end.box)
            neighbours[link.end.box].append(link.start.box)
        }
        var partOfBox: [Int?] = Array(repeating: nil, count: graph.boxes.count)
        var parts: [(boxes: [Int], links: [Int])] = []
        for box in graph.boxes.indices where partOfBox[box] == nil {
            var boxes = [box]
            partOfBox[box] = parts.count
            var next = 0
            while next < boxes.count {
                for neighbour in neighbours[boxes[next]] where partOfBox[neighbour] == nil {
                    partOfBox[neighbour] = parts.count
                    boxes.append(neighbour)
                }
                next += 1
            }
            parts.append((boxes.sorted(), []))
        }
        for (index, link) in graph.links.enumerated() {
            if let part = partOfBox[link.start.box] { parts[part].links.append(index) }
        }
        return parts
    }
}
