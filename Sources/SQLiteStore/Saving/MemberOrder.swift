// SPDX-License-Identifier: Apache-2.0

// The places of members in ordered relationships: numbers with gaps, so that one change need not move all.

import SQLiteDriver

/// Where the members of ordered relationships stand, while a save changes that.
///
/// 1. Who comes last gets a number `step` above the greatest there is.
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

    /// The number for a member that comes last.
    func next(_ columns: Columns, owner: Int64, member: Int64) throws -> Int64 {
        let list = List(columns: columns, owner: owner)
        let (next, overflows) = try (last[list] ?? greatest(list)).addingReportingOverflow(Self.step)
        guard !overflows else { throw StoreError.noPlace(columns.table) }
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
        // Numbers that others gave may be equal, missing, or too large; then all are given anew.
        defer { (last[list], arrivals[list]) = (nil, nil) }
        let isAscending = zip(members, members.dropFirst()).allSatisfy { $0.place < $1.place }
        if isAscending {
            let room =
                end == order.count
                ? (count + 1) * Self.step : (present[order[end]] ?? 0).distance(after: before)
            let gap = room / (count + 1)
            if gap > 0, before <= Int64.max - room {
                for (offset, key) in order[start..<end].enumerated() { try move(key, before + Int64(offset + 1) * gap) }
                return
            }
        }
        for (offset, key) in order.enumerated() { try move(key, Int64(offset + 1) * Self.step) }
    }
}

extension Int64 {
    /// Zero where the difference is no number of so many bits.
    fileprivate func distance(after other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? 0 : difference
    }
}

extension StoreError {
    fileprivate static func noPlace(_ table: String) -> StoreError {
        StoreError(
            .damaged,
            "There is no place left in an ordered relationship behind the members that \(table) has.",
            hint: "Give the members an order."
        )
    }
}
