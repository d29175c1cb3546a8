// SPDX-License-Identifier: Apache-2.0

// Which properties of which objects have changed before and after a moment, as the history has it.

import ObjectGraph
import SQLiteDriver

/// What has happened to an object in a part of the history.
struct ChangePhase {
    private(set) var first: HistoryChange.Kind?
    private(set) var last: HistoryChange.Kind?
    private(set) var count: Int64 = 0
    /// Whether the object was inserted or deleted, so that all of its values may differ.
    private(set) var isWhole = false
    /// Whether it was updated by a program that doesn't say what it has changed.
    private var isUnknown = false
    private var columns: HistoryColumns?

    mutating func add(_ kind: HistoryChange.Kind, _ changed: HistoryColumns?) {
        first = first ?? kind
        last = kind
        count += 1
        guard kind == .update else {
            isWhole = true
            return
        }
        guard let changed else {
            isUnknown = true
            return
        }
        var union = changed
        if let columns { union.formUnion(columns) }
        columns = union
    }

    /// Whether a property may have changed, apart from insertions and deletions.
    func changes(_ bit: Int?) -> Bool {
        guard let bit else { return false }
        return isUnknown || columns?.contains(bit) ?? false
    }
}

/// The changes of an object before and after a moment.
struct ObjectChanges {
    let entity: EntityDescription
    var before = ChangePhase()
    var after = ChangePhase()

    /// Whether the object existed at the moment, or nil if nothing has happened to it since.
    var existed: Bool? { after.first.map { $0 != .insert } }
}

/// The changes of all objects behind a position in the history.
///
/// 1. Objects are found by the root of their entities and their keys, since an entity hierarchy shares its keys.
struct ChangesOverTime {
    struct Object: Hashable {
        let root: Int
        let key: Int64
    }

    private(set) var objects: [Object: ObjectChanges] = [:]
    private let bits: [[String: Int]]

    /// - Parameters:
    ///   - start: The number of the last transaction that isn't read.
    ///   - moment: The number of the last transaction before the moment.
    init(after start: Int64, around moment: Int64, _ tables: StoreTables, _ connection: Connection) throws {
        bits = tables.model.entities.map { entity in
            let names = tables.history?[entity]?.names ?? []
            return Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        }
        let hasStrings = try connection.tableExists(HistoryTables.strings)
        let program: SQL =
            hasStrings
            ? "ifnull(t.ZBUNDLEID, (SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.ZBUNDLEIDTS))"
            : "t.ZBUNDLEID"
        let query: SQL = """
            SELECT c.ZTRANSACTIONID, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS, \(program) \
            FROM ACHANGE AS c CROSS JOIN ATRANSACTION AS t ON t.Z_PK = c.ZTRANSACTIONID \
            WHERE c.ZTRANSACTIONID > \(value: .integer(start)) ORDER BY c.ZTRANSACTIONID, c.Z_PK
            """
        try connection.run(query) { row in
            guard let entity = tables.schema.numbers.entity(row.int64(2)),
                let kind = HistoryChange.Kind(rawValue: Int(row.int64(1)))
            else { return }
            let isOwn = row.string(5) == HistoryTables.program && !row.isNull(4)
            let columns = isOwn && kind == .update ? HistoryColumns(bytes: row.bytes(4)) : nil
            let object = Object(root: entity.rootIndex, key: row.int64(3))
            var changes = objects[object] ?? ObjectChanges(entity: entity)
            if row.int64(0) <= moment {
                changes.before.add(kind, columns)
            } else {
                changes.after.add(kind, columns)
            }
            objects[object] = changes
        }
    }

    subscript(_ root: Int, _ key: Int64) -> ObjectChanges? { objects[Object(root: root, key: key)] }

    /// The place of a property in the columns of an entity's changes.
    func bit(of property: String, in entity: EntityDescription) -> Int? { bits[entity.index][property] }

    /// The keys of the objects of a hierarchy to which something has happened since the moment, in order.
    func changedKeys(ofRoot root: Int) -> [Int64] {
        objects.compactMap { $0.key.root == root && $0.value.existed != nil ? $0.key.key : nil }.sorted()
    }

    /// Whether an object existed at the moment, as far as the history says. An object without changes has existed, if
    /// any state has it.
    func existed(_ root: Int, _ key: Int64) -> Bool {
        guard let changes = self[root, key] else { return true }
        return changes.existed ?? (changes.before.last != .delete)
    }
}
