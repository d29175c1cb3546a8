// SPDX-License-Identifier: Apache-2.0

// Decides where lines meet boxes: relationships at rows, which are sorted by the positions of the other ends, and all
// others beside the header and attributes.

enum PortAssignment {
    /// Sets the offsets of hooks, the orders of rows and the heights of boxes from the current positions of vertices.
    static func apply(to layered: inout LayeredGraph, of graph: DiagramGraph) {
        for vertex in layered.vertices.indices {
            guard let box = layered.vertices[vertex].box else { continue }
            let ends = ends(of: vertex, box: box, in: layered, graph)
            let rowsTop = assignSlots(ends, of: graph.boxes[box], to: &layered)
            assignRows(ends, of: vertex, from: rowsTop, to: &layered)
            let content = graph.boxes[box]
            layered.vertices[vertex].height = content.height + rowsTop - content.upperHeight
        }
    }

    /// An end of a segment at a given box.
    private struct End {
        var segment: Int
        var isFirst: Bool
        var row: Int?
        /// All lines to subentities start at the same point.
        var isParent: Bool
        /// The height of the line's other end.
        var key: Double
        var isLeft: Bool
        var isSelf: Bool
    }

    private static func ends(of vertex: Int, box: Int, in layered: LayeredGraph, _ graph: DiagramGraph) -> [End] {
        layered.segmentsOfVertex[vertex].flatMap { index -> [End] in
            let segment = layered.segments[index]
            let link = graph.links[segment.link]
            return [true, false].compactMap { isFirst in
                let (hook, other) = isFirst ? (segment.first, segment.second) : (segment.second, segment.first)
                guard hook.vertex == vertex else { return nil }
                let isSelf = segment.first.vertex == segment.second.vertex
                let isStart = link.start.box == box && (!isSelf || isFirst)
                let end = isStart ? link.start : link.end
                return End(
                    segment: index,
                    isFirst: isFirst,
                    row: end.row,
                    isParent: link.kind == .inheritance && isStart,
                    key: layered.y(of: other),
                    isLeft: !isFirst && !segment.isLoop,
                    isSelf: isSelf
                )
            }
        }
    }

    /// Distributes the ends without a row from the header downwards. Returns where the relationships begin.
    private static func assignSlots(_ ends: [End], of content: BoxContent, to layered: inout LayeredGraph) -> Double {
        var top = content.upperHeight
        for isLeft in [true, false] {
            let free = ends.filter { $0.row == nil && $0.isLeft == isLeft }.sorted {
                ($0.key, $0.segment) < ($1.key, $1.segment)
            }
            var offset = content.headerHeight / 2
            let parents = free.filter(\.isParent)
            for end in parents { set(offset, at: end, in: &layered) }
            if !parents.isEmpty { offset += DiagramMetrics.slotGap }
            for end in free where !end.isParent {
                set(offset, at: end, in: &layered)
                offset += DiagramMetrics.slotGap
            }
            if !free.isEmpty { top = max(top, offset) }
        }
        return top
    }

    private static func assignRows(_ ends: [End], of vertex: Int, from top: Double, to layered: inout LayeredGraph) {
        var keys: [Int: (Double, Int)] = [:]
        for end in ends {
            guard let row = end.row else { continue }
            // The two rows of a loop are together at the bottom, above rows without a line.
            keys[row] = (end.isSelf ? .greatestFiniteMagnitude / 2 : end.key, end.segment)
        }
        let last = (Double.greatestFiniteMagnitude, 0)
        layered.rowOrders[vertex] = layered.rowOrders[vertex]
            .map { (key: keys[$0] ?? last, row: $0) }
            .sorted { ($0.key.0, $0.key.1, $0.row) < ($1.key.0, $1.key.1, $1.row) }
            .map(\.row)
        var places: [Int: Double] = [:]
        for (place, row) in layered.rowOrders[vertex].enumerated() {
            places[row] = top + DiagramMetrics.sectionPadding + (Double(place) + 0.5) * DiagramMetrics.rowHeight
        }
        var seen: Set<Int> = []
        for end in ends {
            guard let row = end.row, let place = places[row] else { continue }
            // Both ends of a relationship that is its own inverse are in one row.
            let isTwice =
                end.isSelf && ends.contains { $0.segment == end.segment && $0.row == row && $0.isFirst != end.isFirst }
            let shift = isTwice ? (seen.insert(end.segment).inserted ? -7.0 : 7.0) : 0
            set(place + shift, at: end, in: &layered)
        }
    }

    private static func set(_ offset: Double, at end: End, in layered: inout LayeredGraph) {
        if end.isFirst {
            layered.segments[end.segment].first.offset = offset
        } else {
            layered.segments[end.segment].second.offset = offset
        }
    }
}
