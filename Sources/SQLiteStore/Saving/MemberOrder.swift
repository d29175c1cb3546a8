// SPDX-License-Identifier: Apache-2.0

// The places of members in ordered relationships: numbers with gaps, so that one change need not move all.

import SQLiteDriver

/// Where the members of ordered relationships stand, while a save changes that, or all saves of a batch do: where no index has
/// the places, finding the greatest means to look at each.
///
/// 1. Who comes last gets a number `step` above the greatest there is. Where there is none, all are given anew.
/// 2. A new order keeps the numbers of as many members as stand in the same order as before, if there is room between them for the
///    others: who goes on behind a number, as pages do, leaves nobody out then.
final class MemberOrder {
    /// A column of places beside the one that says whose members they are.
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
    /// The greatest number in each list that was asked for.
    private var last: [List: Int64] = [:]
    /// Those that came last, in the order in which they came.
    private var arrivals: [List: [Int64]] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Begins with another save. What is known of places stays, as long as it isn't too much; who came last counts in one save.
    func beginSave() {
        arrivals = [:]
        if last.count > Self.knownLimit { last = [:] }
    }

    private static let knownLimit = 10_000

    /// The number for a member that comes last.
    ///
    /// - Parameter write: Writes what waits to be written, so that it is there when all are given new numbers.
    func next(_ columns: Columns, owner: Int64, member: Int64, writing write: () throws -> Void = {}) throws -> Int64 {
        let list = List(columns: columns, owner: owner)
        var (next, isBeyond) = try (last[list] ?? greatest(list)).addingReportingOverflow(Self.step)
        if isBeyond {
            try write()
            try giveAnew(list)
            next = try greatest(list) + Self.step
        }
        last[list] = next
        arrivals[list, default: []].append(member)
        return next
    }

    /// Whether these stand last already, in this order, because they came so.
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

    /// Gives the members of a list small numbers in the order in which they stand.
    private func giveAnew(_ list: List) throws {
        let columns = list.columns
        let (table, order): (SQL, SQL) = ("\(identifier: columns.table)", "\(identifier: columns.order)")
        try connection.execute(
            """
            UPDATE \(table) SET \(order) = n.place * \(value: .integer(Self.step)) \
            FROM (SELECT rowid AS member, row_number() OVER (ORDER BY \(order), rowid) AS place FROM \(table) \
            WHERE \(identifier: columns.owner) = \(value: .integer(list.owner))) AS n WHERE \(table).rowid = n.member
            """
        )
    }

    /// Puts members into an order; those that it doesn't name stay behind all others.
    ///
    /// - Parameters:
    ///   - members: The members and their numbers, in the order in which they stand.
    ///   - wanted: The keys in the order in which they are to stand.
    ///   - move: Gives a member another number.
    func arrange(
        _ members: [(key: Int64, place: Int64)],
        as wanted: [Int64],
        _ columns: Columns,
        owner: Int64,
        move: (_ key: Int64, _ place: Int64) throws -> Void
    ) throws {
        let list = List(columns: columns, owner: owner)
        let present = Dictionary(members.map { ($0.key, $0.place) }) { first, _ in first }
        let current = members.map(\.key)
        // A damaged index may tell a row twice.
        var seen: Set<Int64> = []
        let order = (wanted.filter { present[$0] != nil } + current).filter { seen.insert($0).inserted }
        guard order != current else { return }
        defer { (last[list], arrivals[list]) = (nil, nil) }
        // Numbers that others gave may be equal or missing; then all are given anew.
        let isAscending = zip(members, members.dropFirst()).allSatisfy { $0.place < $1.place }
        let moves = isAscending ? Self.moves(order.map { present[$0, default: 0] }) : nil
        for (offset, number) in moves ?? order.indices.map({ ($0, Int64($0 + 1) * Self.step) }) {
            try move(order[offset], number)
        }
    }

    /// New numbers, in order, for some of those given, so that they ascend; nil where there is no room for them.
    private static func moves(_ numbers: [Int64]) -> [(offset: Int, number: Int64)]? {
        var moves: [(offset: Int, number: Int64)] = []
        var (start, before) = (0, Int64(0))
        for end in longestAscending(numbers) + [numbers.count] {
            let after = end == numbers.count ? nil : numbers[end]
            if start < end {
                guard let gap = gap(between: before, after, Int64(end - start)) else { return nil }
                for offset in start..<end { moves.append((offset, before + Int64(offset - start + 1) * gap)) }
            }
            (start, before) = (end + 1, after ?? 0)
        }
        return moves
    }

    /// The offsets of as many numbers as possible that ascend.
    private static func longestAscending(_ numbers: [Int64]) -> [Int] {
        // The offset of the least number at which so many end, and for each the one before it.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (offset, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
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

    /// The distance at which so many numbers stand between two, or behind the first; nil where they have no room there.
    private static func gap(between before: Int64, _ after: Int64?, _ count: Int64) -> Int64? {
        guard let after else { return before.addingReportingOverflow(count * step).overflow ? nil : step }
        let (room, isBeyond) = after.subtractingReportingOverflow(before)
        let gap = room / (count + 1)
        return isBeyond || gap < 1 ? nil : gap
    }
}
