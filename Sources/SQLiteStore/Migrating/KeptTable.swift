// SPDX-License-Identifier: Apache-2.0

// The statements that change a table in place, where no row must be written.

import ObjectGraph
import SQLiteDriver

/// A table whose rows stay where they are: columns are renamed and added.
///
/// SQLite stores neither a column's name nor the default of a column that was added later in the rows, so the statements
/// take as long for a million rows as for one.
struct KeptTable {
    /// The table's name in the old version.
    let formerName: String
    let name: String
    /// Deletes the objects of entities that have no counterpart; nil if all have one.
    let deletion: SQL?
    /// Renames and adds columns of the old table.
    let changes: [SQL]
    let addedColumns: Set<String>
    /// Whether columns are renamed, or the table is.
    let isRenamed: Bool

    /// Nil if rows must be written or moved.
    ///
    /// - Parameter columns: The columns of the table in the file.
    init?(
        _ table: CopiedTable,
        from old: StoreSchema,
        by mapping: ResolvedMapping,
        _ columns: (_ table: String) -> [String]
    ) {
        guard table.sources.count == 1, let source = table.sources.first,
            table.number(source.plans) == .column(SystemColumn.entity),
            // Each of the old table's objects stays in it or is deleted.
            mapping.plans.count(where: { old.table(of: $0.source)?.name == source.table.name }) == source.plans.count
        else { return nil }
        var unused = Set(source.table.columns.map(\.name))
        var taken = Set(columns(source.table.name).map { $0.uppercased() })
        var renamings: [SQL] = []
        var additions: [SQL] = []
        var addedColumns: Set<String> = []
        let formerName: SQL = "\(identifier: source.table.name)"
        for (column, expression) in zip(table.table.columns, table.expressions(from: source)) {
            switch expression {
            case .column(let former):
                guard unused.remove(former) != nil,
                    source.table.columns.contains(where: { $0.name == former && $0.declaration == column.declaration })
                else { return nil }
                guard former != column.name else { continue }
                guard taken.insert(column.name.uppercased()).inserted else { return nil }
                renamings.append(
                    "ALTER TABLE \(formerName) RENAME COLUMN \(identifier: former) TO \(identifier: column.name)"
                )
            case .constant(let value):
                guard taken.insert(column.name.uppercased()).inserted else { return nil }
                addedColumns.insert(column.name)
                let content: SQL = value == .null ? "" : " DEFAULT \(literal: value)"
                additions.append(
                    """
                    ALTER TABLE \(formerName) ADD COLUMN \(identifier: column.name) \
                    \(SQL(text: column.declaration.rawValue))\(content)
                    """
                )
            case .computed: return nil
            }
        }
        // A column that nothing continues is dropped with its values, which rewrites the table.
        guard unused.isEmpty else { return nil }
        self.addedColumns = addedColumns
        self.formerName = source.table.name
        name = table.table.name
        isRenamed = !renamings.isEmpty || self.formerName != name
        changes = renamings + additions
        let kinds = old.model.kinds(of: source.table.root).filter { !$0.isAbstract }
        deletion =
            kinds.count == source.plans.count
            ? nil : "DELETE FROM \(formerName) WHERE Z_ENT NOT IN \(table.numbers(of: source))"
    }
}
