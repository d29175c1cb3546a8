// SPDX-License-Identifier: Apache-2.0

// The steps that carry a store's tables to another version of its model.

import ObjectGraph
import SQLiteDriver

/// One stage of a migration, within a transaction of the caller.
///
///     copied rows and pairs ──▶ kept tables changed ──▶ old tables dropped ──▶ new ones named ──▶ links and orders
///     ──▶ indexes, entities
///
/// 1. Whatever is copied is read from the old tables as they were.
/// 2. Nothing but the tables of objects, their indexes and triggers, and `Z_PRIMARYKEY` is changed.
/// 3. If a step throws, the caller must roll back.
struct StoreMigration {
    let connection: Connection
    let old: StoreSchema
    let new: StoreSchema
    let mapping: ResolvedMapping
    /// The tables whose rows stay.
    let kept: [KeptTable]
    /// The tables whose rows are written.
    let copied: [CopiedTable]
    private let copiedPairs: [(table: PairTable, copy: CopiedPairs)]

    /// - Parameters:
    ///   - old: The tables as the file has them.
    ///   - new: The tables as the model has them.
    init(from old: StoreSchema, to new: StoreSchema, by mapping: ResolvedMapping, _ connection: Connection) throws {
        self.old = old
        self.new = new
        self.mapping = mapping
        self.connection = connection
        let file = try connection.fileTables()
        var kept: [KeptTable] = []
        var copied: [CopiedTable] = []
        for table in new.tables {
            let copy = CopiedTable(table, from: old, to: new, by: mapping)
            if let change = KeptTable(copy, from: old, by: mapping, { file[$0] ?? [] }) {
                kept.append(change)
            } else {
                copied.append(copy)
            }
        }
        self.kept = kept
        self.copied = copied
        copiedPairs = new.pairRelationships.compactMap { relationship in
            guard let view = new.pairs(of: relationship), view.isOwner,
                let owner = new.model.entities.first(where: { $0.ownRelationships.contains(relationship) })
            else { return nil }
            let copy = CopiedPairs(relationship, of: owner, view, from: old, to: new, by: mapping)
            return copy.isKept ? nil : (view.table, copy)
        }
    }

    /// - Parameter ruled: What rules make of the rows, computed before.
    func run(with ruled: [RuledRows]) throws {
        for copy in copied {
            let name = Self.newName(copy.table.name)
            try connection.execute(copy.table.creation(named: name))
            for statement in copy.filling(of: name) { try connection.execute(statement) }
        }
        for (table, copy) in copiedPairs {
            let name = Self.newName(table.name)
            try connection.execute(table.creation(named: name))
            if let filling = copy.filling(of: name) { try connection.execute(filling) }
        }
        let greatest = try greatestKeys()
        try replaceTables()
        for (table, copy) in copiedPairs { try copy.removeStrays(from: table.name, connection) }
        try apply(ruled)
        let changed = Set(ruled.map(\.table))
        try decideOneToOnes(besides: changed)
        try numberMembers(besides: changed)
        try recordEntities(greatest)
    }

    /// The names of the new version's tables whose rows or pairs were written.
    var writtenTables: [String] { copied.map(\.table.name) + copiedPairs.map(\.table.name) }

    /// A table's name until the old ones are gone.
    private static func newName(_ name: String) -> String { "OUTCROPNEW_" + name }

    private func replaceTables() throws {
        // Core Data's triggers would maintain derived values by the former version.
        try removeTriggers(where: "name LIKE 'Z\\_DA\\_%' ESCAPE '\\'")
        for table in kept {
            if table.isRenamed {
                try removeTriggers(where: "tbl_name = \(value: .text(table.formerName))")
                try removeIndexes(of: table.formerName)
            }
            for statement in [table.deletion].compactMap(\.self) + table.changes { try connection.execute(statement) }
            guard table.formerName != table.name else { continue }
            try rename(table.formerName, to: Self.newName(table.name))
        }
        let keptNames = Set(kept.map(\.formerName))
        for table in old.tables where !keptNames.contains(table.name) {
            try connection.execute("DROP TABLE \(identifier: table.name)")
        }
        let newPairs = Set(new.pairTables.map(\.name)).subtracting(copiedPairs.map(\.table.name))
        for table in old.pairTables where !table.isColumn && !newPairs.contains(table.name) {
            try connection.execute("DROP TABLE \(identifier: table.name)")
        }
        let renamed = kept.filter { $0.formerName != $0.name }.map(\.name)
        for name in renamed + writtenTables {
            try rename(Self.newName(name), to: name)
        }
    }

    private func rename(_ name: String, to newName: String) throws {
        try connection.execute("ALTER TABLE \(identifier: name) RENAME TO \(identifier: newName)")
    }

    /// Triggers with old names in them would fail. Those of the search index are recreated when the store is opened.
    private func removeTriggers(where condition: SQL) throws {
        let query: SQL = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND \(condition)"
        for name in try connection.rows(query, { $0.string(0) }) {
            try connection.execute("DROP TRIGGER \(identifier: name)")
        }
    }

    /// Indexes are named after tables and columns, so another table may need their names.
    private func removeIndexes(of table: String) throws {
        let query: SQL = """
            SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL AND tbl_name = \(value: .text(table))
            """
        for name in try connection.rows(query, { $0.string(0) }) {
            try connection.execute("DROP INDEX \(identifier: name)")
        }
    }
}

// MARK: Links and orders

extension StoreMigration {
    /// A to-one relationship and its columns.
    struct ToOne {
        let table: EntityTable
        let relationship: RelationshipDescription
        let columns: ToOneColumns
    }

    /// The to-one relationships of all tables, each once.
    var toOnes: [ToOne] {
        new.tables.flatMap { table in
            var seen: Set<RelationshipDescription> = []
            return table.layouts.flatMap { layout -> [ToOne] in
                layout.entity.toOnes.compactMap { relationship in
                    guard let columns = layout.toOnes[relationship.slot], seen.insert(relationship).inserted else {
                        return nil
                    }
                    return ToOne(table: table, relationship: relationship, columns: columns)
                }
            }
        }
    }

    /// Clears one-to-one references that the partner doesn't return, where either side was written.
    ///
    /// - Parameter changed: The tables whose rows were changed otherwise.
    private func decideOneToOnes(besides changed: Set<String>) throws {
        let written = changed.union(copied.map(\.table.name))
        for toOne in toOnes {
            let entity = new.model.destination(of: toOne.relationship)
            guard let inverse = toOne.relationship.inverse, !inverse.isToMany,
                let destination = new.table(of: entity), let back = destination[entity].toOnes[inverse.slot],
                written.contains(toOne.table.name) || written.contains(destination.name)
                    || !wasPaired(toOne.relationship, with: inverse.name, of: entity)
            else { continue }
            try clear(toOne, unlessIn: destination, returning: "\(identifier: destination.name(ofColumn: back.key))")
        }
    }

    /// Clears references to rows that a table doesn't have.
    ///
    /// - Parameter back: The column of the destination that must return the reference; nil if none must.
    func clear(_ toOne: ToOne, unlessIn destination: EntityTable, returning back: SQL? = nil) throws {
        let key: SQL = "\(identifier: toOne.table.name(ofColumn: toOne.columns.key))"
        let others = [toOne.columns.entity, toOne.columns.order].compactMap(\.self).map { column -> SQL in
            ", \(identifier: toOne.table.name(ofColumn: column)) = NULL"
        }
        let condition: SQL = back.map { " AND o.\($0) = t.Z_PK" } ?? ""
        try connection.execute(
            """
            UPDATE \(identifier: toOne.table.name) AS t SET \(key) = NULL\(others.joined()) \
            WHERE t.\(key) NOT NULL AND NOT EXISTS (\
            SELECT 1 FROM \(identifier: destination.name) o WHERE o.Z_PK = t.\(key)\(condition))
            """
        )
    }

    /// Whether a one-to-one relationship and its inverse were each other's inverse before.
    private func wasPaired(
        _ relationship: RelationshipDescription,
        with inverse: String,
        of destination: EntityDescription
    ) -> Bool {
        let sources = mapping.plans.filter { $0.destination.relationships.contains(relationship) }
            .map { $0.relationships[relationship.name] }
        let others = mapping.plans.filter { $0.destination.isKind(of: destination) }.map { $0.relationships[inverse] }
        return sources.allSatisfy { source in
            others.allSatisfy { other in source?.inverse?.name == other?.name && source?.name == other?.inverse?.name }
        }
    }

    /// Gives order values to the members of lists in which some have none, behind the others.
    ///
    /// - Parameter changed: The tables whose rows were changed otherwise.
    private func numberMembers(besides changed: Set<String>) throws {
        var lists: Set<MemberOrder.Columns> = []
        for table in new.tables {
            for columns in table.layouts.flatMap(\.toOnes).compactMap(\.self) {
                guard let order = columns.order,
                    changed.contains(table.name) || !isKept(table.name, order: table.name(ofColumn: order))
                else { continue }
                let key = table.name(ofColumn: columns.key)
                lists.insert(.init(table: table.name, owner: key, order: table.name(ofColumn: order)))
            }
        }
        for (table, _) in copiedPairs {
            if let order = table.member.order {
                lists.insert(.init(table: table.name, owner: table.owner.key, order: order))
            }
            if let order = table.owner.order {
                lists.insert(.init(table: table.name, owner: table.member.key, order: order))
            }
        }
        for list in lists {
            let name: SQL = "\(identifier: list.table)"
            let owner: SQL = "\(identifier: list.owner)"
            let order: SQL = "\(identifier: list.order)"
            try connection.execute(
                """
                UPDATE \(name) AS t SET \(order) = n.place FROM (\
                SELECT rowid AS row, \(literal: .integer(MemberOrder.step)) * row_number() OVER (\
                PARTITION BY \(owner) ORDER BY \(order) IS NULL, \(order), rowid) AS place FROM \(name) \
                WHERE \(owner) IN (SELECT \(owner) FROM \(name) WHERE \(owner) NOT NULL AND \(order) IS NULL)) n \
                WHERE t.rowid = n.row
                """
            )
        }
    }

    /// Whether a table's rows stay, and have an order column since before.
    private func isKept(_ table: String, order: String) -> Bool {
        guard let change = kept.first(where: { $0.name == table }) else { return false }
        return !change.addedColumns.contains(order)
    }
}

// MARK: Keys

extension StoreMigration {
    /// The greatest key that was ever given to an object of each new root entity's hierarchy.
    private func greatestKeys() throws -> [Int64: Int64] {
        var greatest: [Int64: Int64] = [:]
        // Root entities that remain keep their numbers, even if their present objects go elsewhere or are deleted.
        let roots = old.tables.map { ($0, old.rootNumber(of: $0.root)) }
        let moved = mapping.plans.compactMap { plan in
            old.table(of: plan.source).map { ($0, new.rootNumber(of: plan.destination)) }
        }
        for (table, root) in roots + moved {
            let number = old.rootNumber(of: table.root)
            let query: SQL = """
                SELECT max(ifnull((SELECT max(Z_PK) FROM \(identifier: table.name)), 0), \
                ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(value: .integer(number))), 0))
                """
            let former = try connection.first(query) { $0.int64(0) } ?? 0
            greatest[root] = max(greatest[root] ?? 0, former)
        }
        return greatest
    }

    private func recordEntities(_ greatest: [Int64: Int64]) throws {
        let limit = SQLValue.integer(StoredEntities.firstHistoryNumber)
        try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(value: limit)")
        for entity in new.numbers.entities {
            let key = greatest[new.numbers[entity]] ?? 0
            try connection.execute(new.primaryKey(of: entity, greatest: "\(value: .integer(key))"))
        }
    }
}
