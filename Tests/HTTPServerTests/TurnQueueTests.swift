// SPDX-License-Identifier: Apache-2.0

// The order of waiting jobs.

import Testing

@testable import HTTPServer

@Suite("Turn queues")
struct TurnQueueTests {
    private static func all(_ queue: inout TurnQueue<String>, includingLong: Bool = true) -> [String] {
        var all: [String] = []
        while let next = queue.popFirst(includingLong: includingLong, where: { _ in true }) { all.append(next) }
        return all
    }

    @Test("a turn queue alternates between clients and keeps the order within each")
    func turns() {
        var queue = TurnQueue<String>()
        for number in 1...4 { queue.append("a\(number)", of: [1], isLong: false) }
        for number in 1...2 { queue.append("b\(number)", of: [2], isLong: false) }
        queue.append("c1", of: [3], isLong: false)
        #expect(queue.count == 7 && queue.count(of: [1]) == 4 && queue.count(of: [4]) == 0)
        #expect(Self.all(&queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
        #expect(queue.count == 0)
    }

    @Test("a client's short elements come before its long ones, which still come after some of them")
    func lengths() {
        var queue = TurnQueue<String>()
        for number in 1...2 { queue.append("long\(number)", of: [1], isLong: true) }
        for number in 1...6 { queue.append("\(number)", of: [1], isLong: false) }
        #expect(Self.all(&queue) == ["1", "2", "3", "4", "long1", "5", "6", "long2"])
    }

    @Test("long elements, and elements that a condition excludes, stay in their places")
    func conditions() {
        var queue = TurnQueue<String>()
        queue.append("long", of: [1], isLong: true)
        queue.append("a", of: [1], isLong: false)
        queue.append("b", of: [2], isLong: false)
        let other = queue.popFirst(includingLong: true) { $0 == "b" }
        #expect(other == "b")
        #expect(Self.all(&queue, includingLong: false) == ["a"])
        #expect(queue.count == 1)
        #expect(Self.all(&queue) == ["long"])
    }

    @Test("removed elements, and clients without elements, lose their turns")
    func removal() {
        var queue = TurnQueue<String>()
        for name in ["a1", "b1", "a2", "b2"] {
            queue.append(name, of: Array(name.utf8.prefix(1)), isLong: name == "b2")
        }
        #expect(queue.removeAll { $0.hasPrefix("a") } == ["a1", "a2"])
        queue.append("a3", of: Array("a".utf8), isLong: false)
        #expect(queue.count == 3)
        #expect(Self.all(&queue) == ["b1", "a3", "b2"])
    }
}
