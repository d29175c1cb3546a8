// SPDX-License-Identifier: Apache-2.0

// A connected part of the graph during layout: boxes in columns, and links cut into segments between adjacent columns.
// The stages fill it in successively: `Layering` chooses the columns, `LayerOrder` the order in each, `PortAssignment`
// where lines meet boxes, `Coordinates` the heights, and `Channel` the paths between the columns.

struct LayeredGraph {
    /// A box, or the bend of a line that passes through a column.
    struct Vertex {
        /// The index of the box in the whole graph, or nil for a bend.
        var box: Int?
        var layer: Int
        var y = 0.0
        var height = 0.0

        var isBend: Bool { box == nil }
    }

    /// The position at which a segment meets a vertex, relative to its top.
    struct Hook {
        var vertex: Int
        var offset = 0.0
    }

    /// A section of a link in one channel. It connects the right side of a vertex to the left side of one in the next
    /// column, or to the right side of one in the same column.
    struct Segment {
        var link: Int
        var channel: Int
        var first: Hook
        var second: Hook
        var isLoop: Bool
        /// The position of its vertical part, from the left of the channel.
        var x = 0.0
    }

    /// A link with its segments, from its start to its end.
    struct Route {
        var link: Int
        var segments: [Int]
        /// Whether the link goes from right to left, through the second hook of each segment first.
        var isReversed: Bool
    }

    var vertices: [Vertex] = []
    /// The vertices of each column, from top to bottom.
    var layers: [[Int]] = []
    var segments: [Segment] = []
    var routes: [Route] = []
    /// The segments at each vertex.
    var segmentsOfVertex: [[Int]] = []
    /// The order of the relationships in each box.
    var rowOrders: [[Int]]

    /// Cuts links into segments, with bends in the columns that they pass.
    init(boxes: [Int], links: [Int], layerOfBox: [Int: Int], in graph: DiagramGraph) {
        rowOrders = []
        var vertexOfBox: [Int: Int] = [:]
        for box in boxes {
            vertexOfBox[box] = vertices.count
            vertices.append(Vertex(box: box, layer: layerOfBox[box] ?? 0, height: graph.boxes[box].height))
            rowOrders.append(Array(graph.boxes[box].relationships.indices))
        }
        for link in links {
            guard let start = vertexOfBox[graph.links[link].start.box], let end = vertexOfBox[graph.links[link].end.box]
            else { continue }
            let isReversed = vertices[start].layer > vertices[end].layer
            cut(link, from: isReversed ? end : start, to: isReversed ? start : end, isReversed: isReversed)
        }
        let count = (vertices.map(\.layer).max() ?? 0) + 1
        layers = Array(repeating: [], count: count)
        for (index, vertex) in vertices.enumerated() { layers[vertex.layer].append(index) }
        segmentsOfVertex = Array(repeating: [], count: vertices.count)
        for (index, segment) in segments.enumerated() {
            segmentsOfVertex[segment.first.vertex].append(index)
            if segment.second.vertex != segment.first.vertex { segmentsOfVertex[segment.second.vertex].append(index) }
        }
    }

    private mutating func cut(_ link: Int, from left: Int, to right: Int, isReversed: Bool) {
        var pieces: [Int] = []
        var previous = left
        var layer = vertices[left].layer
        let last = vertices[right].layer
        repeat {
            var next = right
            if layer + 1 < last {
                next = vertices.count
                vertices.append(Vertex(box: nil, layer: layer + 1))
            }
            pieces.append(segments.count)
            segments.append(
                Segment(
                    link: link,
                    channel: layer,
                    first: Hook(vertex: previous),
                    second: Hook(vertex: next),
                    isLoop: layer == last
                )
            )
            previous = next
            layer += 1
        } while layer < last
        routes.append(Route(link: link, segments: isReversed ? pieces.reversed() : pieces, isReversed: isReversed))
    }

    func y(of hook: Hook) -> Double { vertices[hook.vertex].y + hook.offset }

    /// The minimum distance between the tops of adjacent vertices.
    func separation(_ upper: Int, _ lower: Int) -> Double {
        let gap =
            switch (vertices[upper].isBend, vertices[lower].isBend) {
            case (true, true): DiagramMetrics.laneGap
            case (false, false): DiagramMetrics.boxGap
            default: DiagramMetrics.passGap
            }
        return vertices[upper].height + gap
    }
}
