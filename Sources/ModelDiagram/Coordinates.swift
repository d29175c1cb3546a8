// SPDX-License-Identifier: Apache-2.0

// Computes the heights of vertices in their given order, so that lines are as straight as possible.

struct Coordinates {
    private var graph: LayeredGraph

    private init(graph: LayeredGraph) {
        self.graph = graph
    }

    /// Stacks the vertices of each column as closely as allowed.
    static func stack(_ graph: inout LayeredGraph) {
        for layer in graph.layers {
            var y = 0.0
            for (index, vertex) in layer.enumerated() {
                graph.vertices[vertex].y = y
                if index + 1 < layer.count { y += graph.separation(vertex, layer[index + 1]) }
            }
            let height = y + (layer.last.map { graph.vertices[$0].height } ?? 0)
            for vertex in layer { graph.vertices[vertex].y -= (height / 2).rounded() }
        }
    }

    /// Moves the vertices to shorten the lines, then to straighten as many as possible.
    static func apply(to graph: inout LayeredGraph) {
        var coordinates = Coordinates(graph: graph)
        for sweep in 0..<24 {
            let layers = Array(graph.layers.indices)
            for layer in sweep % 2 == 0 ? layers : layers.reversed() { coordinates.placeLayer(layer) }
        }
        coordinates.round()
        for sweep in 0..<8 {
            let layers = Array(graph.layers.indices)
            for layer in sweep % 2 == 0 ? layers : layers.reversed() { coordinates.straighten(layer) }
        }
        graph = coordinates.graph
        let top = graph.vertices.map(\.y).min() ?? 0
        for vertex in graph.vertices.indices { graph.vertices[vertex].y -= top }
    }

    /// The heights of a vertex that would straighten each of its lines, with weights.
    private func preferredHeights(of vertex: Int) -> [(y: Double, weight: Double)] {
        graph.segmentsOfVertex[vertex].compactMap { index in
            let segment = graph.segments[index]
            guard segment.first.vertex != segment.second.vertex else { return nil }
            let (own, other) =
                segment.first.vertex == vertex ? (segment.first, segment.second) : (segment.second, segment.first)
            if segment.isLoop { return (graph.y(of: other) - own.offset, 0.2) }
            let bends = (graph.vertices[vertex].isBend ? 1 : 0) + (graph.vertices[other.vertex].isBend ? 1 : 0)
            return (graph.y(of: other) - own.offset, [1, 2, 6][bends])
        }
    }

    /// Places the vertices of a column by least squares, keeping their order and distances. Vertices that would overlap
    /// are merged into a block at the weighted mean of their preferred heights.
    private mutating func placeLayer(_ layer: Int) {
        var blocks: [(sum: Double, weight: Double, count: Int)] = []
        var offsets: [Double] = []
        let vertices = graph.layers[layer]
        for (index, vertex) in vertices.enumerated() {
            offsets.append(index == 0 ? 0 : offsets[index - 1] + graph.separation(vertices[index - 1], vertex))
            var block = (sum: 0.0, weight: 0.0, count: 1)
            for wish in preferredHeights(of: vertex) {
                block.sum += (wish.y - offsets[index]) * wish.weight
                block.weight += wish.weight
            }
            if block.weight == 0 { block = ((graph.vertices[vertex].y - offsets[index]) * 0.01, 0.01, 1) }
            while let above = blocks.last, above.sum / above.weight > block.sum / block.weight {
                blocks.removeLast()
                block = (above.sum + block.sum, above.weight + block.weight, above.count + block.count)
            }
            blocks.append(block)
        }
        var index = 0
        for block in blocks {
            for _ in 0..<block.count {
                graph.vertices[vertices[index]].y = block.sum / block.weight + offsets[index]
                index += 1
            }
        }
    }

    /// Rounds all heights to whole numbers, keeping the distances.
    private mutating func round() {
        for layer in graph.layers {
            for (index, vertex) in layer.enumerated() {
                var y = graph.vertices[vertex].y.rounded()
                if index > 0 {
                    let above = layer[index - 1]
                    y = max(y, graph.vertices[above].y + graph.separation(above, vertex))
                }
                graph.vertices[vertex].y = y
            }
        }
    }

    /// Moves each vertex to the weighted median of its preferred heights, as far as there is space.
    private mutating func straighten(_ layer: Int) {
        let vertices = graph.layers[layer]
        for (index, vertex) in vertices.enumerated() {
            let preferredHeights = preferredHeights(of: vertex).sorted { $0.y < $1.y }
            let half = preferredHeights.reduce(0) { $0 + $1.weight } / 2
            var weight = 0.0
            guard
                let median = preferredHeights.first(where: { wish in
                    weight += wish.weight
                    return weight >= half
                })
            else { continue }
            var y = median.y
            if index + 1 < vertices.count {
                y = min(y, graph.vertices[vertices[index + 1]].y - graph.separation(vertex, vertices[index + 1]))
            }
            if index > 0 {
                let above = vertices[index - 1]
                y = max(y, graph.vertices[above].y + graph.separation(above, vertex))
            }
            graph.vertices[vertex].y = y
        }
    }
}
