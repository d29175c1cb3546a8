// SPDX-License-Identifier: Apache-2.0

// Records the changes of a save or a batch in the history.

import Basics
import FoundationEssentials
import ObjectGraph
import SQLiteDriver

/// Writes one transaction of the history, within the transaction that writes its rows.
///
/// 1. The history's transaction is inserted with the first change. Without changes there is none, and the write is
///    counted.
/// 2. Values that the model preserves after deletion are read before their rows are deleted.
/// 3. A change names the object whose row has changed. Of many-to-many relationships, both objects are named.
final class HistoryWriter {
    private let tables: StoreTables
    private let history: HistoryTables
    private let connection: Connection
    private let origin: SaveOrigin
    private let date: Date
    /// The number of the transaction, or nil before its first change.
    private(set) var number: Int64?
    private var rows: InsertedRows

    /// Nil if the store keeps no history; then one that it has is removed.
    init?(_ tables: StoreTables, _ connection: Connection, of origin: SaveOrigin, at date: Date = .now) throws {
        guard let history = tables.history else { return nil }
        guard history.isKept else {
            try history.prepare(connection)
            return nil
        }
        self.tables = tables
        self.history = history
        self.connection = connection
        self.origin = origin
        self.date = date
        rows = InsertedRows(connection, tables.statements)
    }

    private func transaction() throws -> Int64 {
        if let number { return number }
        let inserted = try history.insertTransaction(of: origin, at: date, connection)
        number = inserted
        return inserted
    }

    /// Writes the pending changes. Called once, after the last change.
    func finish() throws {
        guard let number else { return try history.mark(connection) }
        if rows.isEmpty {
            let last = try connection.first("SELECT max(Z_PK) FROM ACHANGE") { $0.int64(0) }
            try history.reserve(transaction: number, change: last ?? 0, connection)
        } else {
            try rows.writeAll()
            try history.reserve(transaction: number, change: connection.lastInsertedRowID, connection)
        }
    }

    private func record(
        _ kind: HistoryChange.Kind,
        _ objectID: ManagedObjectID,
        _ columns: HistoryColumns? = nil,
        tombstone: [SQLValue] = []
    ) throws {
        guard let key = tables.key(of: objectID) else { return }
        try record(kind, entity: tables.schema.numbers[objectID.entity], key: key, columns, tombstone: tombstone)
    }

    private func record(
        _ kind: HistoryChange.Kind,
        entity: Int64,
        key: Int64,
        _ columns: HistoryColumns?,
        tombstone: [SQLValue] = []
    ) throws {
        let values: [SQLValue] = [
            .integer(HistoryTables.changeEntity), .integer(Int64(kind.rawValue)), .integer(entity), .integer(key),
            .integer(try transaction()), columns.map { .blob($0.bytes) } ?? .null,
        ]
        if tombstone.isEmpty { return try rows.add(to: HistoryTables.changes, Self.columns, values) }
        let names = Self.columns + tombstone.indices.map { "ZTOMBSTONE\($0)" }
        try rows.add(to: HistoryTables.changes, names, values + tombstone)
    }

    private static let columns = ["Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
}

// MARK: Saves

extension HistoryWriter {
    typealias Tombstones = [ManagedObjectID: [SQLValue]]

    /// The preserved values of the rows that a save will delete.
    func tombstones(of request: StoreSaveRequest) throws -> Tombstones {
        var tombstones: Tombstones = [:]
        for (entity, deletions) in Dictionary(grouping: request.deletions, by: \.objectID.entity) {
            guard let preserved = history[entity]?.tombstones, !preserved.isEmpty,
                let table = tables.schema.table(of: entity)
            else { continue }
            let objects = Dictionary(
                keepingFirst: deletions.compactMap { deletion in
                    tables.key(of: deletion.objectID).map { ($0, deletion.objectID) }
                }
            )
            let names = preserved.map { ", \(identifier: $0.column)" as SQL }.joined()
            let query: SQL = """
                SELECT Z_PK\(names) FROM \(identifier: table.name) WHERE Z_PK IN \(.keys(objects.keys.sorted()))
                """
            try connection.run(query) { row in
                guard let objectID = objects[row.int64(0)] else { return }
                tombstones[objectID] = preserved.indices.map { row.value(Int32($0 + 1)) }
            }
        }
        return tombstones
    }

    /// Records a save.
    ///
    /// - Parameter written: The rows after the save, including those with recomputed values.
    func record(_ request: StoreSaveRequest, written: [Snapshot], _ tombstones: Tombstones) throws {
        try record(.insert, request.insertions.lazy.map { ($0.objectID, nil) })
        try record(.update, updates(of: request, written))
        try record(.delete, request.deletions.lazy.map { ($0.objectID, nil) }, tombstones)
    }

    private typealias Change = (objectID: ManagedObjectID, columns: HistoryColumns?)

    /// Records rows in order: successive ones with the same entity and columns by one statement if they are many and
    /// leave no values.
    private func record(
        _ kind: HistoryChange.Kind,
        _ changes: some RandomAccessCollection<Change>,
        _ tombstones: Tombstones = [:]
    ) throws {
        var rest = changes[...]
        while let first = rest.first {
            let run = rest.prefix { $0.objectID.entity == first.objectID.entity && $0.columns == first.columns }
            if run.count < Self.shortRange || tombstones[first.objectID] != nil {
                for (objectID, columns) in run {
                    try record(kind, objectID, columns, tombstone: tombstones[objectID] ?? [])
                }
            } else {
                try record(
                    kind,
                    first.objectID.entity,
                    keys: run.compactMap { tables.key(of: $0.objectID) },
                    first.columns
                )
            }
            rest = rest[run.endIndex...]
        }
    }

    private func record(
        _ kind: HistoryChange.Kind,
        _ entity: EntityDescription,
        keys: [Int64],
        _ columns: HistoryColumns?
    ) throws {
        try rows.writeAll()
        try connection.execute(
            """
            INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) \
            SELECT 16001, \(value: .integer(Int64(kind.rawValue))), \
            \(value: .integer(tables.schema.numbers[entity])), value, \(value: .integer(try transaction())), \
            \(value: columns.map { .blob($0.bytes) } ?? .null) FROM json_each(\(value: .list(keys)))
            """
        )
    }

    /// The updated objects and their changed properties, each object once; nil for unknown properties.
    private func updates(
        of request: StoreSaveRequest,
        _ written: [Snapshot]
    ) -> [Change] {
        let count = request.insertions.count + request.updates.count
        let isAlone = count + request.deletions.count == 1 && request.members.isEmpty
        let own = request.updates.map { update -> Change in
            let columns = history[update.objectID.entity]?
                .columns(attributes: update.attributes, toOnes: update.toOnes, isAlone: isAlone)
            return (update.objectID, columns)
        }
        guard !request.members.isEmpty || written.count > count else { return own }
        var updates = HistoryUpdates()
        for (objectID, columns) in own { updates.add(columns, of: objectID) }
        updates.exclude(request.insertions.lazy.map(\.objectID))
        updates.exclude(request.deletions.lazy.map(\.objectID))
        for change in request.members {
            let relationship = change.relationship
            updates.add(history[change.owner.entity]?.columns(ofMembers: relationship.slot), of: change.owner)
            guard relationship.isManyToMany, let inverse = relationship.inverse else { continue }
            for member in change.added + change.removed {
                updates.add(history[member.entity]?.columns(ofMembers: inverse.slot), of: member)
            }
        }
        let updated = Set(request.updates.map(\.objectID))
        for row in written where !updated.contains(row.objectID) {
            let slots = row.recomputedSlots
            updates.add(slots.flatMap { history[row.objectID.entity]?.columns(recomputed: $0) }, of: row.objectID)
        }
        return updates.list
    }
}

/// Updated objects, each once, in order.
private struct HistoryUpdates {
    private(set) var list: [(objectID: ManagedObjectID, columns: HistoryColumns?)] = []
    private var places: [ManagedObjectID: Int] = [:]
    private var excluded: Set<ManagedObjectID> = []

    mutating func exclude(_ objects: some Sequence<ManagedObjectID>) { excluded.formUnion(objects) }

    mutating func add(_ columns: @autoclosure () -> HistoryColumns?, of objectID: ManagedObjectID) {
        guard !excluded.contains(objectID) else { return }
        let columns = columns()
        guard let place = places[objectID] else {
            places[objectID] = list.count
            list.append((objectID, columns))
            return
        }
        if let columns { list[place].columns?.formUnion(columns) } else { list[place].columns = nil }
    }
}

// MARK: Batches

extension HistoryWriter {
    /// Records rows of a batch. Those to be deleted must still exist.
    ///
    /// - Parameters:
    ///   - properties: The names of the properties that were set, for updates.
    ///   - derives: Whether derived values may have changed with them.
    func record(
        _ kind: HistoryChange.Kind,
        _ ranges: [ObjectIDRange],
        setting properties: [String] = [],
        derives: Bool = false
    ) throws {
        for range in ranges {
            let entity = history[range.entity]
            let columns =
                kind == .update
                ? entity.map { derives ? $0.columns(setting: properties) : $0.columns(named: properties) } : nil
            let tombstones = kind == .delete ? entity?.tombstones ?? [] : []
            let number = tables.schema.numbers[range.entity]
            if range.references.count < Self.shortRange, tombstones.isEmpty {
                for key in range.references { try record(kind, entity: number, key: key, columns) }
            } else {
                try rows.writeAll()
                try recordRows(kind, of: range, number, columns, tombstones)
            }
        }
    }

    /// The number of rows from which one statement for all of them is faster.
    private static let shortRange = 16

    private func recordRows(
        _ kind: HistoryChange.Kind,
        of range: ObjectIDRange,
        _ entity: Int64,
        _ columns: HistoryColumns?,
        _ tombstones: [HistoryEntity.Tombstone]
    ) throws {
        guard let table = tables.schema.table(of: range.entity) else { return }
        let names = tombstones.indices.map { ", \(identifier: "ZTOMBSTONE\($0)")" as SQL }.joined()
        let values = tombstones.map { ", \(identifier: $0.column)" as SQL }.joined()
        try connection.execute(
            """
            INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names)) \
            SELECT 16001, \(value: .integer(Int64(kind.rawValue))), \(value: .integer(entity)), Z_PK, \
            \(value: .integer(try transaction())), \(value: columns.map { .blob($0.bytes) } ?? .null)\(values) \
            FROM \(identifier: table.name) WHERE Z_PK BETWEEN \(value: .integer(range.references.lowerBound)) \
            AND \(value: .integer(range.references.upperBound))
            """
        )
    }

    /// Records updated objects of a batch with the properties that were set; nil for unknown ones.
    func recordUpdates(of objects: some Sequence<ManagedObjectID>, setting properties: [String]?) throws {
        for objectID in objects {
            try record(.update, objectID, properties.flatMap { history[objectID.entity]?.columns(setting: $0) })
        }
    }

    /// Records objects of which only derived values were recomputed.
    func recordDerived(_ objects: some Sequence<ManagedObjectID>) throws {
        for objectID in objects { try record(.update, objectID, history[objectID.entity]?.derivedColumns) }
    }
}
