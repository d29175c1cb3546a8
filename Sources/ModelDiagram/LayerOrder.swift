// SPDX-License-Identifier: Apache-2.0

// Orders the vertices of each column to reduce crossings: sweeps that move vertices to the mean position of their
// neighbours alternate with swaps of adjacent vertices. The best order found is kept.

struct LayerOrder {
    private let graph: LayeredGraph
    private var layers: [[Int]]
    /// The position of each vertex in its column.
    private var positions: [Int]
    private let left: [[Int]]
    private let right: [[Int]]
    private let beside: [[Int]]

    static func apply(to graph: inout LayeredGraph) {
        var order = LayerOrder(graph)
        order.search()
        graph.layers = order.layers
    }

    private init(_ graph: LayeredGraph) {
        self.graph = graph
        layers = graph.layers
        positions = Array(repeating: 0, count: graph.vertices.count)
        var left: [[Int]] = Array(repeating: [], count: graph.vertices.count)
        var right = left
        var beside = left
        for segment in graph.segments {
            let first = segment.first.vertex
            let second = segment.second.vertex
            if !segment.isLoop {
                right[first].append(second)
                left[second].append(first)
            } else if first != second {
                beside[first].append(second)
                beside[second].append(first)
            }
        }
        self.left = left
        self.right = right
        self.beside = beside
    }

    private mutating func search() {
        for layer in layers.indices { place(layer) }
        var best = layers
        var bestCount = Int.max
        var unchanged = 0
        for sweep in 0..<32 where unchanged < 8 {
            let isForward = sweep % 2 == 0
            for layer in isForward ? Array(layers.indices) : layers.indices.reversed() {
                sort(layer, by: sweep % 8 >= 6 ? [left, right] : [isForward ? left : right])
            }
            for _ in 0..<4 where exchange() { continue }
            let count = crossings()
            unchanged += 1
            if count < bestCount {
                best = layers
                bestCount = count
                unchanged = 0
            }
            if count == 0 { break }
        }
        layers = best
    }

    private mutating func place(_ layer: Int) {
        for (position, vertex) in layers[layer].enumerated() { positions[vertex] = position }
    }

    /// The relative position of a vertex in its column, between 0 and 1.
    private func height(of vertex: Int) -> Double {
        (Double(positions[vertex]) + 0.5) / Double(layers[graph.vertices[vertex].layer].count)
    }

    private mutating func sort(_ layer: Int, by sides: [[[Int]]]) {
        let keyed = layers[layer].map { vertex in
            var sum = 0.0
            var weight = 0.0
            for neighbour in sides.lazy.flatMap({ $0[vertex] }) {
                sum += height(of: neighbour)
                weight += 1
            }
            for neighbour in beside[vertex] {
                sum += 0.5 * height(of: neighbour)
                weight += 0.5
            }
            return (vertex: vertex, key: weight == 0 ? height(of: vertex) : sum / weight)
        }
        layers[layer] = keyed.enumerated()
            .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
            .map(\.element.vertex)
        place(layer)
    }

    /// Swaps adjacent vertices if that reduces crossings.
    private mutating func exchange() -> Bool {
        var isChanged = false
        for layer in layers.indices {
            for index in layers[layer].indices.dropLast() {
                let upper = layers[layer][index]
                let lower = layers[layer][index + 1]
                let gain =
                    gain(left[upper], left[lower]) + gain(right[upper], right[lower])
                    + gain(beside[upper], beside[lower], upper, lower)
                guard gain > 0 else { continue }
                layers[layer].swapAt(index, index + 1)
                positions[upper] = index + 1
                positions[lower] = index
                isChanged = true
            }
        }
        return isChanged
    }

    /// The number of crossings saved if two adjacent vertices with these neighbours are swapped.
    private func gain(_ upper: [Int], _ lower: [Int]) -> Int {
        guard !upper.isEmpty, !lower.isEmpty else { return 0 }
        let above = upper.map { positions[$0] }.sorted()
        let below = lower.map { positions[$0] }.sorted()
        return Self.pairs(above, greaterThan: below) - Self.pairs(below, greaterThan: above)
    }

    /// How much shorter the loops of two adjacent vertices become if they are swapped.
    private func gain(_ upper: [Int], _ lower: [Int], _ first: Int, _ second: Int) -> Int {
        let down = upper.reduce(0) { $1 == second ? $0 : $0 + (positions[$1] > positions[first] ? 1 : -1) }
        let up = lower.reduce(0) { $1 == first ? $0 : $0 + (positions[$1] < positions[second] ? 1 : -1) }
        return down + up
    }

    /// The number of pairs from two sorted lists in which the first number is greater.
    private static func pairs(_ one: [Int], greaterThan other: [Int]) -> Int {
        var count = 0
        var index = 0
        for number in one {
            while index < other.count, other[index] < number { index += 1 }
            count += index
        }
        return count
    }

    /// The number of crossings between columns, plus the length of loops.
    private func crossings() -> Int {
        var count = 0
        for layer in layers.indices {
            let targets = layers[layer].flatMap { right[$0].map { positions[$0] }.sorted() }
            count += Self.inversions(targets)
            for vertex in layers[layer] {
                for other in beside[vertex] { count += abs(positions[vertex] - positions[other]) / 2 }
            }
        }
        return count
    }

    /// The number of inversions, counted with a Fenwick tree.
    private static func inversions(_ numbers: [Int]) -> Int {
        guard let most = numbers.max() else { return 0 }
        var sums = Array(repeating: 0, count: most + 2)
        var count = 0
        for (seen, number) in numbers.enumerated() {
            var notGreater = 0
            var index = number + 1
            while index > 0 {
                notGreater += sums[index]
                index -= index & -index
            }
            count += seen - notGreater
            index = number + 1
            while index < sums.count {
                sums[index] += 1
                index += index & -index
            }
        }
        return count
    }
}
