// SPDX-License-Identifier: Apache-2.0

// Keeps results up to date from the rows of commits, without reading.

import FoundationEssentials
import ObjectGraph
import Predicates

/// The condition of a live query whose objects can be evaluated alone.
struct LiveCondition: Sendable {
    private let entity: EntityDescription
    private let includesSubentities: Bool
    private let predicate: ObjectPredicate?

    init(_ fetch: FetchPlan) {
        entity = fetch.resource.entity
        includesSubentities = fetch.includesSubentities
        predicate = fetch.predicate
    }

    func matches(_ row: Snapshot) throws -> Bool {
        let kind = row.objectID.entity
        guard includesSubentities ? kind.isKind(of: entity) : kind == entity else { return false }
        return try predicate.map { try Evaluator(now: .now).matches($0, LoneObject(snapshot: row)) } ?? true
    }
}

/// A row whose key paths end with its own properties.
private struct LoneObject: SnapshotObject {
    let snapshot: Snapshot

    func object(for snapshot: Snapshot) -> LoneObject { LoneObject(snapshot: snapshot) }

    func destination(of _: RelationshipDescription, id objectID: ManagedObjectID) -> Snapshot? { nil }

    func destinations(of _: RelationshipDescription) -> [Snapshot] { [] }
}

/// A number of objects to which commits are applied.
struct LiveTally: Sendable {
    private let condition: LiveCondition
    private(set) var count: Int

    init(_ condition: LiveCondition, count: Int) {
        self.condition = condition
        self.count = count
    }

    /// Whether the number is still known.
    mutating func apply(_ change: LiveRowChange) throws -> Bool {
        guard change.before != nil || change.kind == .inserted, change.after != nil || change.kind == .deleted else {
            return false
        }
        if let before = change.before, try condition.matches(before) { count -= 1 }
        if let after = change.after, try condition.matches(after) { count += 1 }
        return true
    }
}

/// The beginning of a list with its rows, and some more, to which commits are applied.
///
/// 1. The entries are the first matching objects of the list in order: all of them if `isComplete`, otherwise at least
///    those that the list shows.
/// 2. The order is that of a fetch: by the sort descriptors, then by number.
struct LiveWindow: Sendable {
    struct Entry: Sendable {
        let row: Snapshot
        /// The values that the list is sorted by.
        let keys: [Value]
        /// The object as clients see it, once it is shown.
        fileprivate(set) var item: LiveItem?
    }

    private let condition: LiveCondition
    private let descriptors: [ObjectSortDescriptor]
    /// The places that the list shows.
    private let shown: Range<Int>
    private(set) var entries: [Entry]
    private var isComplete: Bool
    /// The objects that were added and removed since they were last drained.
    private var shownChanges = LiveShownChanges()

    /// The largest window.
    static let limit = 1_000
    /// Larger windows are read again instead of being kept.
    private static let sizeLimit = 256 << 10

    /// The number of entries that are read.
    static func capacity(of fetch: FetchPlan, limit: Int) -> Int { fetch.offset + limit + reserve(limit) }

    /// Entries behind the end of the list, which follow when others are deleted.
    private static func reserve(_ limit: Int) -> Int { max(8, min(limit, 32)) }

    /// Nil if the rows can't be kept: if they are too large, or have no numbers.
    init?(_ fetch: FetchPlan, limit: Int, rows: [Snapshot]) throws {
        condition = LiveCondition(fetch)
        descriptors = fetch.sortDescriptors
        shown = fetch.offset..<fetch.offset + limit
        isComplete = rows.count < Self.capacity(of: fetch, limit: limit)
        guard rows.allSatisfy({ $0.number != nil }),
            rows.reduce(0, { $0 + $1.approximateSize }) <= Self.sizeLimit
        else { return nil }
        entries = []
        entries = try rows.map { Entry(row: $0, keys: try keys(of: $0)) }
    }

    /// The objects that the list shows.
    ///
    /// - Parameter render: Makes an object that wasn't shown before.
    mutating func items(_ render: (Entry) -> LiveItem) -> [LiveItem] {
        entries.indices.clamped(to: shown).map { place in
            let item = entries[place].item ?? render(entries[place])
            entries[place].item = item
            return item
        }
    }

    /// Applies a change.
    ///
    /// - Returns: Whether the window still begins with what the list shows.
    mutating func apply(_ change: LiveRowChange) throws -> Bool {
        guard change.isKnown else { return false }
        if let place = entries.firstIndex(where: { $0.row.objectID == change.objectID }) {
            entries.remove(at: place)
            shownChanges.hide(change.objectID)
        }
        if let row = change.after, try condition.matches(row) {
            guard row.number != nil else { return false }
            let entry = Entry(row: row, keys: try keys(of: row))
            let place = place(for: entry)
            // Behind the last entry there may be others, which aren't known.
            if place < entries.count || isComplete {
                entries.insert(entry, at: place)
                shownChanges.show(change.objectID)
            }
        }
        let reserve = Self.reserve(shown.count)
        if entries.count > shown.upperBound + 2 * reserve {
            for entry in entries[(shown.upperBound + reserve)...] { shownChanges.hide(entry.row.objectID) }
            entries.removeLast(entries.count - shown.upperBound - reserve)
            isComplete = false
        }
        return isComplete || entries.count >= shown.upperBound
    }

    mutating func drainShownChanges() -> LiveShownChanges {
        defer { shownChanges = LiveShownChanges() }
        return shownChanges
    }

    private func keys(of row: Snapshot) throws -> [Value] {
        let evaluator = Evaluator(now: .now)
        return try descriptors.map { descriptor in
            switch try evaluator.operand(of: descriptor.keyPath, for: LoneObject(snapshot: row)) {
            case .value(let value): value
            case .object(let object): object.reference.map(Value.reference) ?? .null
            case .collection: .null
            }
        }
    }

    private func place(for entry: Entry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(entries[middle], entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        for (place, descriptor) in descriptors.enumerated() {
            let order = descriptor.compare(one.keys[place], other.keys[place])
            if order != .orderedSame { return order == .orderedAscending }
        }
        let isAscending = (one.row.number ?? 0) < (other.row.number ?? 0)
        return descriptors.last?.ascending == false ? !isAscending : isAscending
    }
}

extension Snapshot {
    /// Its number in the store.
    fileprivate var number: Int64? {
        if case .integer(let number)? = objectID.reference { number } else { nil }
    }
}
