// SPDX-License-Identifier: Apache-2.0

// The space between two columns, which assigns a lane to the vertical part of each line that turns there.

struct Channel {
    /// Segments that share a vertical part: one, or all those from a parent to its subentities.
    private struct Wire {
        var segments: [Int]
        /// The heights at which the wire connects to the left and right.
        var left: [Double]
        var right: [Double]
        var top: Double
        var bottom: Double

        var isStraight: Bool { top == bottom }

        mutating func join(_ other: Wire) {
            segments += other.segments
            left += other.left
            right += other.right
            top = min(top, other.top)
            bottom = max(bottom, other.bottom)
        }
    }

    private var wires: [Wire] = []

    /// Assigns lanes to the segments of a channel and returns its width.
    static func route(_ segments: [Int], in layered: inout LayeredGraph, of graph: DiagramGraph) -> Double {
        var channel = Channel(segments, in: layered, of: graph)
        var lanes = channel.lanes()
        // Two lines that swap heights inevitably overlap, so one end is moved away from the middle of its row.
        for step in [5.0, -10] {
            guard channel.unlinkFromEverything(lanes, by: step, in: &layered) else { break }
            channel = Channel(segments, in: layered, of: graph)
            lanes = channel.lanes()
        }
        let count = (lanes.max() ?? -1) + 1
        for (wire, lane) in zip(channel.wires, lanes) {
            for segment in wire.segments {
                layered.segments[segment].x = DiagramMetrics.stub + Double(lane) * DiagramMetrics.laneGap
            }
        }
        return 2 * DiagramMetrics.stub + Double(max(0, count - 1)) * DiagramMetrics.laneGap
    }

    private init(_ segments: [Int], in layered: LayeredGraph, of graph: DiagramGraph) {
        var wireOfParent: [[Int]: Int] = [:]
        for index in segments {
            let segment = layered.segments[index]
            let first = layered.y(of: segment.first)
            let second = layered.y(of: segment.second)
            let wire = Wire(
                segments: [index],
                left: segment.isLoop ? [first, second] : [first],
                right: segment.isLoop ? [] : [second],
                top: min(first, second),
                bottom: max(first, second)
            )
            let link = graph.links[segment.link]
            if link.kind == .inheritance {
                let isFirst = layered.vertices[segment.first.vertex].box == link.start.box
                let isSecond = layered.vertices[segment.second.vertex].box == link.start.box
                if isFirst || isSecond {
                    let key = [link.start.box, isFirst || segment.isLoop ? 1 : 0]
                    if let shared = wireOfParent[key] {
                        wires[shared].join(wire)
                        continue
                    }
                    wireOfParent[key] = wires.count
                }
            }
            wires.append(wire)
        }
    }

    /// Orders the wires from left to right with few crossings, and packs wires that don't overlap into the same lane.
    private func lanes() -> [Int] {
        var order: [Int] = []
        for wire in wires.indices.sorted(by: { startsBefore(wires[$0], wires[$1]) }) { insert(wire, into: &order) }
        // Reinserting may improve the places of wires that were inserted early.
        for _ in 0..<2 {
            for wire in wires.indices {
                order.removeAll { $0 == wire }
                insert(wire, into: &order)
            }
        }
        var lanes = Array(repeating: 0, count: wires.count)
        for (index, wire) in order.enumerated() where !wires[wire].isStraight {
            for earlier in order[..<index] where !wires[earlier].isStraight && touch(wires[earlier], wires[wire]) {
                lanes[wire] = max(lanes[wire], lanes[earlier] + 1)
            }
        }
        return lanes
    }

    /// Orders falling lines before rising ones, each so that neighbours don't cross.
    private func startsBefore(_ one: Wire, _ other: Wire) -> Bool {
        let oneLeft = one.left.first ?? one.top
        let otherLeft = other.left.first ?? other.top
        let oneFalls = oneLeft == one.top
        let otherFalls = otherLeft == other.top
        if oneFalls != otherFalls { return oneFalls }
        if oneLeft != otherLeft { return oneFalls ? oneLeft > otherLeft : oneLeft < otherLeft }
        return (one.segments.first ?? 0) < (other.segments.first ?? 0)
    }

    /// Inserts a wire where it causes the fewest crossings with the others.
    private func insert(_ wire: Int, into order: inout [Int]) {
        var cost = 0
        var best = (cost: 0, place: order.count)
        for place in order.indices.reversed() {
            let other = wires[order[place]]
            cost += Self.cost(of: wires[wire], leftOf: other) - Self.cost(of: other, leftOf: wires[wire])
            if cost < best.cost { best = (cost, place) }
        }
        order.insert(wire, at: best.place)
    }

    /// Moves the ends at rows that overlap despite the ordering. Returns whether there were any.
    private func unlinkFromEverything(_ lanes: [Int], by step: Double, in layered: inout LayeredGraph) -> Bool {
        var starts: [Int: [Int]] = [:]
        for (index, wire) in wires.enumerated() {
            for y in Set(wire.left) { starts[Int(y), default: []].append(index) }
        }
        var isChanged = false
        for (index, wire) in wires.enumerated() {
            let near = Set(wire.right).flatMap { y in (Int(y) - 3...Int(y) + 3).flatMap { starts[$0] ?? [] } }
            guard let other = near.first(where: { lanes[index] < lanes[$0] }) else { continue }
            let end = wire.segments[0]
            let start = wires[other].segments[0]
            if wire.segments.count == 1, !layered.vertices[layered.segments[end].second.vertex].isBend {
                layered.segments[end].second.offset += step
                isChanged = true
            } else if wires[other].segments.count == 1, !layered.segments[start].isLoop,
                !layered.vertices[layered.segments[start].first.vertex].isBend
            {
                layered.segments[start].first.offset += step
                isChanged = true
            }
        }
        return isChanged
    }

    /// The cost of one wire being left of another: crossings, and much more for overlapping ends.
    private static func cost(of one: Wire, leftOf other: Wire) -> Int {
        guard one.top - 4 <= other.bottom, other.top - 4 <= one.bottom else { return 0 }
        var cost = 0
        for y in other.left {
            if y > one.top, y < one.bottom { cost += 1 }
            for end in one.right where abs(end - y) < 4 { cost += 50 }
        }
        for y in one.right where y > other.top && y < other.bottom { cost += 1 }
        return cost
    }

    private func touch(_ one: Wire, _ other: Wire) -> Bool {
        let gap = 8.0
        return one.top < other.bottom + gap && other.top < one.bottom + gap
    }
}
