// SPDX-License-Identifier: Apache-2.0

/// The layout of one connected part of the graph, with positions from 0, 0.
struct PlacedPart {
    struct Box {
        var index: Int
        var rect: DiagramRect
        /// The offset of the relationships from the top of the box.
        var rowsTop: Double
        var rowOrder: [Int]
    }

    struct Line {
        var link: Int
        var points: [DiagramPoint]
    }

    var boxes: [Box] = []
    var lines: [Line] = []
    var width = 0.0
    var height = 0.0

    /// Tries several column heights and keeps the layout that can be displayed largest, with short lines.
    init(boxes: [Int], links: [Int], in graph: DiagramGraph) {
        let area = boxes.reduce(0) { sum, box in
            sum + (graph.boxes[box].width + 90) * (graph.boxes[box].height + DiagramMetrics.boxGap)
        }
        let height = max(
            (area / DiagramMetrics.aspectRatio).squareRoot(),
            boxes.map { graph.boxes[$0].height }.max() ?? 0
        )
        let factors = boxes.count > 200 ? [1.25] : boxes.count == 1 ? [1] : [0.6, 0.8, 1, 1.25, 1.6, 2]
        let candidates = factors.map { PlacedPart(boxes: boxes, links: links, in: graph, columnHeight: height * $0) }
        self = candidates.min { $0.badness < $1.badness } ?? PlacedPart()
    }

    private init() {}

    private init(boxes: [Int], links: [Int], in graph: DiagramGraph, columnHeight: Double) {
        var layered = LayeredGraph(
            boxes: boxes,
            links: links,
            layerOfBox: Layering.layers(of: boxes, links: links, in: graph, height: columnHeight),
            in: graph
        )
        LayerOrder.apply(to: &layered)
        Coordinates.stack(&layered)
        for _ in 0..<3 {
            PortAssignment.apply(to: &layered, of: graph)
            Coordinates.apply(to: &layered)
        }
        place(&layered, of: graph)
    }

    private var badness: Double {
        var length = 0.0
        for line in lines {
            for (from, to) in zip(line.points, line.points.dropFirst()) {
                length += abs(from.x - to.x) + abs(from.y - to.y)
            }
        }
        return max(width / DiagramMetrics.aspectRatio, height) + 0.5 * length / Double(max(1, lines.count))
    }

    private mutating func place(_ layered: inout LayeredGraph, of graph: DiagramGraph) {
        var segmentsOfChannel: [[Int]] = Array(repeating: [], count: layered.layers.count)
        for (index, segment) in layered.segments.enumerated() { segmentsOfChannel[segment.channel].append(index) }
        var x = 0.0
        var channels: [Double] = []
        var rects: [Int: DiagramRect] = [:]
        for (layer, vertices) in layered.layers.enumerated() {
            let column = vertices.compactMap { layered.vertices[$0].box.map { graph.boxes[$0].width } }.max() ?? 0
            for vertex in vertices {
                guard let box = layered.vertices[vertex].box else { continue }
                let width = graph.boxes[box].width
                let place = layered.vertices[vertex]
                rects[vertex] = DiagramRect(
                    x: x + ((column - width) / 2).rounded(),
                    y: place.y,
                    width: width,
                    height: place.height
                )
            }
            x += column
            channels.append(x)
            let segments = segmentsOfChannel[layer]
            if !segments.isEmpty { x += Channel.route(segments, in: &layered, of: graph) }
        }
        width = x
        for (vertex, place) in layered.vertices.enumerated() {
            guard let box = place.box, let rect = rects[vertex] else { continue }
            let content = graph.boxes[box]
            let rowsTop = place.height - content.height + content.upperHeight
            boxes.append(Box(index: box, rect: rect, rowsTop: rowsTop, rowOrder: layered.rowOrders[vertex]))
            height = max(height, rect.maxY)
        }
        lines = layered.routes.map { route in
            Line(link: route.link, points: Self.points(of: route, in: layered, channels: channels, rects: rects))
        }
        height = max(height, lines.flatMap(\.points).map(\.y).max() ?? 0)
    }

    private static func points(
        of route: LayeredGraph.Route,
        in layered: LayeredGraph,
        channels: [Double],
        rects: [Int: DiagramRect]
    ) -> [DiagramPoint] {
        var points: [DiagramPoint] = []
        for index in route.segments {
            let segment = layered.segments[index]
            let x = channels[segment.channel] + segment.x
            let first = layered.y(of: segment.first)
            let second = layered.y(of: segment.second)
            var piece = [DiagramPoint(x: x, y: first), DiagramPoint(x: x, y: second)]
            if let rect = rects[segment.first.vertex] { piece.insert(DiagramPoint(x: rect.maxX, y: first), at: 0) }
            if let rect = rects[segment.second.vertex] {
                piece.append(DiagramPoint(x: segment.isLoop ? rect.maxX : rect.x, y: second))
            }
            points += route.isReversed ? piece.reversed() : piece
        }
        return points.withoutNeedlessTurns()
    }
}

extension [DiagramPoint] {
    /// The path without repeated points and without points on a straight line.
    fileprivate func withoutNeedlessTurns() -> [DiagramPoint] {
        var result: [DiagramPoint] = []
        for point in self where point != result.last {
            if result.count > 1 {
                let before = result[result.count - 2]
                let last = result[result.count - 1]
                if before.x == last.x && last.x == point.x || before.y == last.y && last.y == point.y {
                    result.removeLast()
                }
            }
            result.append(point)
        }
        return result
    }
}
