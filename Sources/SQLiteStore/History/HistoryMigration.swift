// SPDX-License-Identifier: Apache-2.0

// Keeps the history readable in another version of the model.

import ObjectGraph
import SQLiteDriver

/// Translates the changed properties and preserved values of the history to those of a new version. Entities keep their
/// numbers, and objects their keys.
///
/// 1. Changes of removed entities are removed.
/// 2. Removed properties are removed from updates; an update without any others remains.
/// 3. A preserved value whose attribute is stored differently is removed.
struct HistoryMigration {
    private let connection: Connection
    private let removed: [Int64]
    private let entities: [Int64: Entity]

    /// An entity in both versions.
    fileprivate struct Entity: Sendable {
        let former: HistoryEntity
        let present: HistoryEntity
        let plan: ResolvedMapping.EntityPlan
    }

    init(from old: StoreTables, to new: StoreTables, by mapping: ResolvedMapping, _ connection: Connection) {
        self.connection = connection
        var removed: [Int64] = []
        var entities: [Int64: Entity] = [:]
        for entity in old.schema.numbers.entities {
            let number = old.schema.numbers[entity]
            if let plan = mapping.plan(of: entity), new.schema.numbers[plan.destination] == number,
                let former = HistoryEntity(entity, in: old.schema, old.derivations),
                let present = HistoryEntity(plan.destination, in: new.schema, new.derivations)
            {
                entities[number] = Entity(former: former, present: present, plan: plan)
            } else {
                removed.append(number)
            }
        }
        self.removed = removed
        self.entities = entities
    }

    func run() throws {
        guard try connection.tableExists(HistoryTables.changes) else { return }
        if !removed.isEmpty { try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN \(SQL.numbers(removed))") }
        try translateProperties()
        let columns = try connection.rows("SELECT name FROM pragma_table_info('ACHANGE')") { $0.string(0) }
        let count = columns.count { $0.hasPrefix("ZTOMBSTONE") }
        for (number, entity) in entities { try moveTombstones(of: entity, numbered: number, among: count) }
    }

    private static let translation = "OUTCROPCOLUMNS"

    private func translateProperties() throws {
        let changed = entities.filter { $0.value.former.names != $0.value.present.names }
        guard !changed.isEmpty else { return }
        try connection.define(function: Self.translation, arguments: 2, deterministic: false) { arguments in
            guard let entity = changed[arguments.int64(0)], case .blob(let bytes) = arguments.value(1) else {
                return .null
            }
            let names = entity.former.names(of: HistoryColumns(bytes: bytes))
            return .blob(entity.present.columns(named: names.compactMap { entity.plan.name(ofSource: $0) }).bytes)
        }
        try connection.execute(
            """
            UPDATE ACHANGE SET ZCOLUMNS = \(identifier: Self.translation)(ZENTITY, ZCOLUMNS) \
            WHERE ZENTITY IN \(SQL.numbers(changed.keys.sorted())) AND ZCOLUMNS NOT NULL
            """
        )
    }

    private func moveTombstones(of entity: Entity, numbered number: Int64, among count: Int) throws {
        let assignments = (0..<count).compactMap { place -> SQL? in
            let source = entity.source(ofTombstone: place)
            if source == place { return nil }
            let value: SQL = source.map { "\(identifier: "ZTOMBSTONE\($0)")" } ?? "NULL"
            return "\(identifier: "ZTOMBSTONE\(place)") = \(value)"
        }
        guard !assignments.isEmpty else { return }
        try connection.execute(
            """
            UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) \
            WHERE ZENTITY = \(literal: .integer(number)) AND ZCHANGETYPE = 2
            """
        )
    }
}

extension HistoryMigration.Entity {
    /// The place among the former preserved values of a present one; nil if there is none.
    fileprivate func source(ofTombstone place: Int) -> Int? {
        guard present.tombstones.indices.contains(place) else { return nil }
        let tombstone = present.tombstones[place]
        let source = plan.attributes[tombstone.attribute.slot].source
        return former.tombstones.firstIndex { $0.attribute == source && $0.encoding == tombstone.encoding }
    }
}
