// SPDX-License-Identifier: Apache-2.0

// Assigns a column to each box: owners left of what they own, short lines, and no column much higher than the page.

import Basics

struct Layering {
    private struct Edge {
        var other: Int
        /// 1 if the other box should be to the right, -1 if to the left.
        var direction: Int
    }

    private let heights: [Double]
    private var edges: [[Edge]]
    private var layers: [Int]
    private var columns: [Int: Double] = [:]
    private let target: Double

    /// The zero-based column of each box of a connected part.
    static func layers(of boxes: [Int], links: [Int], in graph: DiagramGraph, height: Double) -> [Int: Int] {
        var layering = Layering(boxes, links: links, in: graph, height: height)
        layering.spread()
        layering.improve()
        // Empty columns are removed.
        let used = Set(layering.layers).sorted()
        let ranks = Dictionary(keepingFirst: used.enumerated().map { ($1, $0) })
        return Dictionary(keepingFirst: zip(boxes, layering.layers.map { ranks[$0] ?? 0 }))
    }

    private init(_ boxes: [Int], links: [Int], in graph: DiagramGraph, height: Double) {
        let local = Dictionary(keepingFirst: boxes.enumerated().map { ($1, $0) })
        heights = boxes.map { graph.boxes[$0].height + DiagramMetrics.boxGap }
        target = height
        layers = Array(repeating: 0, count: boxes.count)
        edges = Array(repeating: [], count: boxes.count)
        for link in links {
            guard let start = local[graph.links[link].start.box], let end = local[graph.links[link].end.box],
                start != end
            else { continue }
            edges[start].append(Edge(other: end, direction: 1))
            edges[end].append(Edge(other: start, direction: -1))
        }
    }

    /// Walks outwards from the box with the most lines, one column to the right or left per line.
    private mutating func spread() {
        guard let hub = edges.indices.max(by: { edges[$0].count < edges[$1].count }) else { return }
        var seen = Array(repeating: false, count: edges.count)
        seen[hub] = true
        var queue = [hub]
        var next = 0
        while next < queue.count {
            let vertex = queue[next]
            next += 1
            for edge in edges[vertex] where !seen[edge.other] {
                seen[edge.other] = true
                layers[edge.other] = layers[vertex] + edge.direction
                queue.append(edge.other)
            }
        }
        for (vertex, layer) in layers.enumerated() { columns[layer, default: 0] += heights[vertex] }
    }

    /// Moves single boxes while that reduces the cost.
    private mutating func improve() {
        for _ in 0..<30 {
            var isChanged = false
            for vertex in edges.indices {
                let old = layers[vertex]
                let near = edges[vertex].map { layers[$0.other] }
                guard let least = near.min(), let most = near.max() else { continue }
                columns[old, default: 0] -= heights[vertex]
                var best = old
                var bestCost = cost(of: vertex, in: old)
                for layer in max(least - 1, old - 4)...max(max(least - 1, old - 4), min(most + 1, old + 4)) {
                    let cost = cost(of: vertex, in: layer)
                    if cost < bestCost - 0.001 {
                        best = layer
                        bestCost = cost
                    }
                }
                columns[best, default: 0] += heights[vertex]
                layers[vertex] = best
                if best != old { isChanged = true }
            }
            if !isChanged { break }
        }
    }

    private func cost(of vertex: Int, in layer: Int) -> Double {
        var cost = 0.0
        for edge in edges[vertex] {
            switch (layers[edge.other] - layer) * edge.direction {
            case 0: cost += 2.4
            case let steps where steps > 0: cost += 1 + 1.6 * Double(steps - 1)
            case let steps: cost += 1.5 + 1.6 * Double(-steps - 1)
            }
        }
        let height = columns[layer] ?? 0
        let excess = max(0, height + heights[vertex] - target) - max(0, height - target)
        return cost + 12 * excess / target + (height == 0 ? 1 : 0)
    }
}
