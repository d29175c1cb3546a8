// SPDX-License-Identifier: Apache-2.0

// The order values of members in ordered relationships, with gaps so that most changes write few rows.

import Basics
import SQLiteDriver

/// The order values of ordered relationships' members during a save, or during all saves of a batch. Without an index,
/// finding the greatest value reads all members, so it is cached.
///
/// 1. An appended member gets the greatest value plus `step`. If that overflows, all members are renumbered.
/// 2. A reordering keeps the values of as many members as possible in unchanged relative order, if there is room
///    between them for the others: so a page that continues after such a value misses no member.
final class MemberOrder {
    /// An order column and the column of the owner's key beside it.
    struct Columns: Hashable {
        let table: String
        let owner: String
        let order: String
    }

    private struct List: Hashable {
        let columns: Columns
        let owner: Int64
    }

    static let step: Int64 = 1024
    private let connection: Connection
    /// The greatest value in each list that was used.
    private var last: [List: Int64] = [:]
    /// The appended members in order.
    private var arrivals: [List: [Int64]] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Begins another save. Greatest values stay cached up to a limit; appended members count within one save.
    func beginSave() {
        arrivals = [:]
        if last.count > Self.knownLimit { last = [:] }
    }

    private static let knownLimit = 10_000

    /// The value for an appended member.
    ///
    /// - Parameter write: Writes pending rows, so that a renumbering includes them.
    func next(_ columns: Columns, owner: Int64, member: Int64, writing write: () throws -> Void = {}) throws -> Int64 {
        let list = List(columns: columns, owner: owner)
        var (next, isBeyond) = try (last[list] ?? greatest(list)).addingReportingOverflow(Self.step)
        if isBeyond {
            try write()
            try renumber(list)
            next = try greatest(list) + Self.step
        }
        last[list] = next
        arrivals[list, default: []].append(member)
        return next
    }

    /// The members that were appended in this save.
    func appended(among members: [Int64], _ columns: Columns, owner: Int64) -> [Int64] {
        guard !isLast(members, columns, owner: owner) else { return members }
        let appended = Set(arrivals[List(columns: columns, owner: owner), default: []])
        return members.filter(appended.contains)
    }

    /// Whether these members are already last in this order, because they were appended so.
    func isLast(_ members: [Int64], _ columns: Columns, owner: Int64) -> Bool {
        arrivals[List(columns: columns, owner: owner), default: []].suffix(members.count).elementsEqual(members)
    }

    private func greatest(_ list: List) throws -> Int64 {
        let columns = list.columns
        let query: SQL = """
            SELECT MAX(\(identifier: columns.order)) FROM \(identifier: columns.table) \
            WHERE \(identifier: columns.owner) = \(value: .integer(list.owner))
            """
        return try connection.first(query) { $0.int64(0) } ?? 0
    }

    /// Renumbers the members of a list without changing their order.
    private func renumber(_ list: List) throws {
        let columns = list.columns
        let table: SQL = "\(identifier: columns.table)"
        let order: SQL = "\(identifier: columns.order)"
        try connection.execute(
            """
            UPDATE \(table) SET \(order) = n.place * \(value: .integer(Self.step)) \
            FROM (SELECT rowid AS member, row_number() OVER (ORDER BY \(order), rowid) AS place FROM \(table) \
            WHERE \(identifier: columns.owner) = \(value: .integer(list.owner))) AS n WHERE \(table).rowid = n.member
            """
        )
    }

    /// Reorders members; those not in `wanted` follow at the end.
    ///
    /// - Parameters:
    ///   - members: The members and their values, in the present order.
    ///   - wanted: The keys in the new order.
    ///   - move: Changes a member's value.
    func arrange(
        _ members: [(key: Int64, place: Int64)],
        as wanted: [Int64],
        _ columns: Columns,
        owner: Int64,
        move: (_ key: Int64, _ place: Int64) throws -> Void
    ) throws {
        let list = List(columns: columns, owner: owner)
        let present = Dictionary(keepingFirst: members.map { ($0.key, $0.place) })
        let current = members.map(\.key)
        // A damaged index may return a row twice.
        var seen: Set<Int64> = []
        let order = (wanted.filter { present[$0] != nil } + current).filter { seen.insert($0).inserted }
        guard order != current else { return }
        defer {
            last[list] = nil
            arrivals[list] = nil
        }
        // Values from other writers may be equal or missing; then all members are renumbered.
        let isAscending = zip(members, members.dropFirst()).allSatisfy { $0.place < $1.place }
        let moves = isAscending ? Self.moves(order.map { present[$0, default: 0] }) : nil
        for (offset, number) in moves ?? order.indices.map({ ($0, Int64($0 + 1) * Self.step) }) {
            try move(order[offset], number)
        }
    }

    /// New values for some of the given ones so that all ascend, or nil if there is no room for them.
    private static func moves(_ numbers: [Int64]) -> [(offset: Int, number: Int64)]? {
        var moves: [(offset: Int, number: Int64)] = []
        var start = 0
        var before = Int64(0)
        for end in longestAscending(numbers) + [numbers.count] {
            let after = end == numbers.count ? nil : numbers[end]
            if start < end {
                guard let gap = gap(between: before, after, Int64(end - start)) else { return nil }
                for offset in start..<end { moves.append((offset, before + Int64(offset - start + 1) * gap)) }
            }
            start = end + 1
            before = after ?? 0
        }
        return moves
    }

    /// The offsets of a longest ascending subsequence.
    private static func longestAscending(_ numbers: [Int64]) -> [Int] {
        // For each length, the offset of the least number that ends such a subsequence; for each number, its
        // predecessor.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (offset, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous.append(low == 0 ? nil : ends[low - 1])
            if low == ends.count { ends.append(offset) } else { ends[low] = offset }
        }
        var found: [Int] = []
        var last = ends.last
        while let offset = last {
            found.append(offset)
            last = previous[offset]
        }
        return found.reversed()
    }

    /// The distance between `count` evenly spaced values between two values, or after the first; nil if they don't fit.
    private static func gap(between before: Int64, _ after: Int64?, _ count: Int64) -> Int64? {
        guard let after else { return before.addingReportingOverflow(count * step).overflow ? nil : step }
        let (room, isBeyond) = after.subtractingReportingOverflow(before)
        let gap = room / (count + 1)
        return isBeyond || gap < 1 ? nil : gap
    }
}
