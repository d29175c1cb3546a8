// SPDX-License-Identifier: Apache-2.0

// Deletes the rows of a save, many of them by one statement.

import ObjectGraph
import SQLiteDriver

extension SaveWriter {
    /// Deletes rows and all of their pairs. Rows of one entity are deleted as a set if they are many: by a statement for
    /// each of their versions, which are few as a rule.
    mutating func delete(_ deletions: [StoreSaveRequest.Deletion]) throws {
        guard deletions.count >= Self.shortSet else { return try deletions.forEach { try delete($0) } }
        let groups = Dictionary(grouping: deletions, by: \.objectID.entity)
        for (entity, deletions) in groups.sorted(by: { $0.key.index < $1.key.index }) {
            guard deletions.count >= Self.shortSet else {
                try deletions.forEach { try delete($0) }
                continue
            }
            var keys: [Int64: [Int64]] = [:]
            for deletion in deletions { keys[deletion.version, default: []].append(try key(deletion.objectID)) }
            let statements = try statements(for: entity)
            for (version, keys) in keys.sorted(by: { $0.key < $1.key }) {
                try execute(statements.rows(keys, version: version), changing: keys.count)
            }
            let all = keys.count == 1 ? keys.values.first ?? [] : keys.values.flatMap(\.self)
            for end in statements.ends { try connection.execute(end.statement(of: .keys(all.sorted()))) }
        }
    }

    /// The number of rows from which one statement for all of them is faster.
    private static var shortSet: Int { 8 }

    private mutating func delete(_ deletion: StoreSaveRequest.Deletion) throws {
        let statements = try statements(for: deletion.objectID.entity)
        let key = SQLValue.integer(try key(deletion.objectID))
        try execute(SQL(text: statements.row, bindings: [key, .integer(deletion.version)]), changing: 1)
        for end in statements.ends { try connection.execute(SQL(text: end.text, bindings: [key])) }
    }

    private mutating func statements(for entity: EntityDescription) throws -> DeletionStatements {
        if let known = deletions[entity.index] { return known }
        let statements = DeletionStatements(entity, try writer(of: entity).table, tables.schema)
        deletions[entity.index] = statements
        return statements
    }
}

/// The statements that delete rows of an entity and all of their pairs.
struct DeletionStatements {
    fileprivate let row: String
    fileprivate let ends: [PairsEnd]
    private let table: EntityTable

    init(_ entity: EntityDescription, _ table: EntityTable, _ schema: StoreSchema) {
        let deletion: SQL = "DELETE FROM \(identifier: table.name) WHERE Z_PK = ? AND Z_OPT = ?"
        row = deletion.text
        // A pair that is a column of the member's row is deleted with that row.
        ends = schema.ends(of: entity).filter { $0.isOwner || !$0.table.isColumn }.map(PairsEnd.init)
        self.table = table
    }

    fileprivate func rows(_ keys: [Int64], version: Int64) -> SQL {
        """
        DELETE FROM \(identifier: table.name) WHERE Z_PK IN \(.keys(keys.sorted())) \
        AND Z_OPT = \(value: .integer(version))
        """
    }
}

/// The pairs that have some rows at one end.
private struct PairsEnd {
    private let view: PairsView
    /// The statement for a single row.
    let text: String

    init(_ view: PairsView) {
        self.view = view
        text = Self.statement(view, "= ?").text
    }

    func statement(of keys: SQL) -> SQL { Self.statement(view, "IN \(keys)") }

    private static func statement(_ view: PairsView, _ condition: SQL) -> SQL {
        let name: SQL = "\(identifier: view.table.name)"
        let key: SQL = "\(identifier: view.own.key)"
        return view.table.isColumn
            ? "UPDATE \(name) SET \(key) = NULL WHERE \(key) \(condition)"
            : "DELETE FROM \(name) WHERE \(key) \(condition)"
    }
}
