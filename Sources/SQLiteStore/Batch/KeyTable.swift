// SPDX-License-Identifier: Apache-2.0

// Sets of rows that a batch works on, as temporary tables of the writing connection.

import ObjectGraph
import SQLiteDriver

/// A temporary table of keys, with the numbers of the root entity, which identifies the table, and of
/// the rows' own entities.
enum KeyTable: String, CaseIterable {
    /// The rows of a batch, and those that deletions cascade to.
    case found = "Z_BATCH"
    /// The rows that are saved.
    case saved = "Z_SAVED"
    /// The rows with derived values to recompute, and those that changed by it.
    case derived = "Z_DERIVED"
    case changed = "Z_CHANGED"

    var name: SQL { "temp.\(identifier: rawValue)" }

    /// Creates the table if necessary, and clears it.
    func prepare(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS \(identifier: rawValue) \
            (ZROOT INTEGER, Z_PK INTEGER, Z_ENT INTEGER, PRIMARY KEY (ZROOT, Z_PK)) WITHOUT ROWID
            """
        )
        try clear(connection)
    }

    func clear(_ connection: Connection) throws { try connection.execute("DELETE FROM \(name)") }

    /// The right side of `IN` for the keys of a hierarchy's rows.
    func keys(root: Int64, of entities: [Int64]? = nil) -> SQL {
        let kinds = entities.map { " AND Z_ENT IN \(SQL.numbers($0))" as SQL } ?? ""
        return "(SELECT Z_PK FROM \(name) WHERE ZROOT = \(literal: .integer(root))\(kinds))"
    }

    /// A condition that the table contains the row of an alias.
    func contains(_ alias: SQL, root: Int64) -> SQL {
        """
        EXISTS (SELECT 1 FROM \(name) AS k WHERE k.ZROOT = \(literal: .integer(root)) AND k.Z_PK = \(alias).Z_PK)
        """
    }

    /// Inserts the keys and entities that a query finds in one hierarchy.
    func insert(root: Int64, _ rows: SQL, _ connection: Connection) throws {
        try connection.execute("INSERT OR IGNORE INTO \(name) SELECT \(literal: .integer(root)), \(rows)")
    }

    func insert(_ objects: [ManagedObjectID], _ tables: StoreTables, _ connection: Connection) throws {
        let groups = Dictionary(grouping: objects.filter { tables.key(of: $0) != nil }, by: \.entity)
        for (entity, objects) in groups.sorted(by: { $0.key.index < $1.key.index }) {
            guard let table = tables.schema.table(of: entity) else { continue }
            let kinds = tables.schema.kindCondition(entity, alias: "t0").map { " AND \($0)" as SQL } ?? ""
            try insert(
                root: tables.schema.rootNumber(of: entity),
                """
                t0.Z_PK, t0.Z_ENT FROM \(identifier: table.name) AS t0 \
                WHERE t0.Z_PK IN \(.keys(objects.compactMap(tables.key)))\(kinds)
                """,
                connection
            )
        }
    }

    /// The IDs of all rows, table by table.
    func objectIDs(_ tables: StoreTables, _ connection: Connection) throws -> [ObjectIDRange] {
        var keys: [Int64: KeyRanges] = [:]
        try connection.run("SELECT ZROOT, Z_PK, Z_ENT FROM \(name) ORDER BY ZROOT, Z_PK") { row in
            keys[row.int64(0), default: KeyRanges()].add(row.int64(1), row.int64(2))
        }
        return tables.schema.tables.flatMap { table in
            keys[tables.schema.rootNumber(of: table.root)]?.objectIDs(table.root, tables) ?? []
        }
    }

    func count(_ connection: Connection) throws -> Int {
        try connection.first("SELECT COUNT(*) FROM \(name)") { Int($0.int64(0)) } ?? 0
    }
}

extension SQL {
    /// The right side of `IN` for entity numbers.
    static func numbers(_ numbers: [Int64]) -> SQL {
        "(\(numbers.map { "\(literal: .integer($0))" as SQL }.joined(separator: ", ")))"
    }
}

extension StoreSchema {
    /// A condition for rows of an entity or its subentities, or nil if all rows of the table match.
    func kindCondition(_ entity: EntityDescription, includingSubentities: Bool = true, alias: SQL) -> SQL? {
        guard let table = table(of: entity), table.hasSubentities else { return nil }
        if includingSubentities, entity == table.root { return nil }
        let kinds = includingSubentities ? Array(model.kinds(of: entity)) : [entity]
        let numbers = kinds.map { self.numbers[$0] }
        return numbers.count == 1
            ? "\(alias).Z_ENT = \(literal: .integer(numbers[0]))" : "\(alias).Z_ENT IN \(SQL.numbers(numbers))"
    }
}
