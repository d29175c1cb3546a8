// SPDX-License-Identifier: Apache-2.0

// The places of members in ordered relationships: numbers with gaps, so that one change need not move all.

import SQLiteDriver

/// Where the members of ordered relationships stand, while a save changes that, or all saves of a batch do: where no index has
/// the places, finding the greatest means to look at each.
///
/// 1. Who comes last gets a number `step` above the greatest there is. Where there is none, all are given anew.
/// 2. A new order keeps the numbers of those before and behind what was moved, if what is between them has room for it.
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
        let start = zip(order, current).prefix { $0 == $1 }.count
        let end = max(start, order.count - zip(order.reversed(), current.reversed()).prefix { $0 == $1 }.count)
        let before = start == 0 ? 0 : present[order[start - 1]] ?? 0
        let count = Int64(end - start)
        // Numbers that others gave may be equal or missing; then all are given anew.
        defer { (last[list], arrivals[list]) = (nil, nil) }
        let isAscending = zip(members, members.dropFirst()).allSatisfy { $0.place < $1.place }
        if isAscending {
            let after = end == order.count ? nil : present[order[end]]
            if let gap = Self.gap(between: before, after, count) {
                for (offset, key) in order[start..<end].enumerated() { try move(key, before + Int64(offset + 1) * gap) }
                return
            }
        }
        for (offset, key) in order.enumerated() { try move(key, Int64(offset + 1) * Self.step) }
    }

    /// The distance at which so many numbers stand between two, or behind the first; nil where they have no room there.
    private static func gap(between before: Int64, _ after: Int64?, _ count: Int64) -> Int64? {
        guard let after else { return before.addingReportingOverflow(count * step).overflow ? nil : step }
        let (room, isBeyond) = after.subtractingReportingOverflow(before)
        let gap = room / (count + 1)
        return isBeyond || gap < 1 ? nil : gap
    }
}
