// SPDX-License-Identifier: Apache-2.0

// One connected part of the graph on its way to a place: boxes in columns, and links cut into segments that lead from
// a column to the next. The stages of the layout fill it in one after the other: `Layering` chooses the columns,
// `LayerOrder` the order in each, `PortAssignment` where lines meet boxes, `Coordinates` the heights, and `Channel`
// the ways between the columns.

struct LayeredGraph {
    /// A box, or the bend of a line that passes through a column on its way further.
    struct Vertex {
        /// The index of the box in the whole graph; nil for a bend.
        var box: Int?
        var layer: Int
        var y = 0.0
        var height = 0.0

        var isBend: Bool { box == nil }
    }

    /// Where a segment meets a vertex, as a distance from its top.
    struct Hook {
        var vertex: Int
        var offset = 0.0
    }

    /// A piece of a link in one channel. It crosses from the right side of a vertex to the left side of one in the
    /// next column, or leads from the right side of a vertex back to the right side of one in the same column.
    struct Segment {
        var link: Int
        var channel: Int
        var first: Hook
        var second: Hook
        var isLoop: Bool
        /// Where its vertical part runs, from the left of the channel.
        var x = 0.0
    }

    /// A link with its pieces, from its start to its end.
    struct Route {
        var link: Int
        var segments: [Int]
        /// Whether it runs from right to left, so that its segments are passed second hook first.
        var isReversed: Bool
    }

    var vertices: [Vertex] = []
    /// The vertices of each column, from top to bottom.
    var layers: [[Int]] = []
    var segments: [Segment] = []
    var routes: [Route] = []
    /// Of each vertex, the segments that meet it.
    var segmentsOfVertex: [[Int]] = []
    /// The order in which each box shows its relationships.
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

    /// The least distance between the top of one vertex and the top of the one below it.
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
