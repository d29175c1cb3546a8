// SPDX-License-Identifier: Apache-2.0

/// Waiting elements, grouped by client.
///
/// 1. Clients with waiting elements take turns, one element each, so a client that sends many delays only itself.
/// 2. A client's short elements go first, in order of arrival. After a few of them a long one follows, so that long
///    ones are delayed but not starved.
struct TurnQueue<Element> {
    /// The elements of one client.
    private struct Line {
        var short = Queue<Element>()
        var long = Queue<Element>()
        /// The number of short elements since the last long one.
        var shortsInARow = 0

        var count: Int { short.count + long.count }
        var isEmpty: Bool { short.isEmpty && long.isEmpty }

        mutating func popFirst(includingLong: Bool, where condition: (Element) -> Bool) -> Element? {
            let isTurnOfLong = includingLong && shortsInARow >= TurnQueue.maximumShortsInARow
            if isTurnOfLong, let element = popLong(where: condition) { return element }
            if let element = short.popFirst(where: condition) {
                shortsInARow += 1
                return element
            }
            return includingLong ? popLong(where: condition) : nil
        }

        private mutating func popLong(where condition: (Element) -> Bool) -> Element? {
            guard let element = long.popFirst(where: condition) else { return nil }
            shortsInARow = 0
            return element
        }
    }

    private static var maximumShortsInARow: Int { 4 }

    private(set) var count = 0
    private var lines: [[UInt8]: Line] = [:]
    /// The clients with waiting elements, in the order of their turns.
    private var turns = Queue<[UInt8]>()

    /// The number of a client's waiting elements.
    func count(of client: [UInt8]) -> Int { lines[client]?.count ?? 0 }

    mutating func append(_ element: Element, of client: [UInt8], isLong: Bool) {
        if lines[client] == nil {
            lines[client] = Line()
            turns.append(client)
        }
        if isLong { lines[client]?.long.append(element) } else { lines[client]?.short.append(element) }
        count += 1
    }

    /// Removes the next eligible element.
    ///
    /// - Parameters:
    ///   - includingLong: Whether long elements are eligible.
    ///   - condition: Whether an element is eligible.
    mutating func popFirst(includingLong: Bool, where condition: (Element) -> Bool) -> Element? {
        for _ in 0..<turns.count {
            guard let client = turns.popFirst() else { break }
            let element = lines[client]?.popFirst(includingLong: includingLong, where: condition)
            if lines[client]?.isEmpty == true { lines[client] = nil } else { turns.append(client) }
            guard let element else { continue }
            count -= 1
            return element
        }
        return nil
    }

    /// Removes all elements that meet a condition.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for client in Array(lines.keys) {
            removed += lines[client]?.short.removeAll(where: condition) ?? []
            removed += lines[client]?.long.removeAll(where: condition) ?? []
            if lines[client]?.isEmpty == true { lines[client] = nil }
        }
        _ = turns.removeAll { lines[$0] == nil }
        count -= removed.count
        return removed
    }
}
