// SPDX-License-Identifier: Apache-2.0

// Which rows a batch is for.

import ObjectGraph
import Predicates
import SQLiteDriver

/// The rows that a batch's request finds.
struct BatchRows {
    let request: StoreFetchRequest
    private let tables: StoreTables

    init(_ request: StoreFetchRequest, _ tables: StoreTables) {
        self.request = request
        self.tables = tables
    }

    /// What follows `SELECT t0.…`: the table as `t0`, and a condition if there is one; nil where the rows aren't told by SQL.
    var source: (table: SQL, condition: SQL?)? {
        guard let table = tables.schema.table(of: request.entity), request.predicate == nil, request.limit == nil,
            request.offset == 0
        else { return nil }
        let kinds = tables.schema.kindCondition(
            request.entity,
            includingSubentities: request.includesSubentities,
            alias: "t0"
        )
        return ("\(identifier: table.name) AS t0", kinds)
    }

    /// Finds the rows, and notes them.
    func collect(in keys: KeyTable, _ connection: Connection) throws {
        if let (table, condition) = source {
            let filter = condition.map { " WHERE \($0)" as SQL } ?? ""
            let root = tables.schema.rootNumber(of: request.entity)
            return try keys.insert(root: root, "t0.Z_PK, t0.Z_ENT FROM \(table)\(filter)", connection)
        }
        var request = request
        request.kind = .objectIDs
        let reader = StoreReader(connection: connection, tables: tables)
        guard case .objectIDs(let objects) = try StoreFetch(request, reader).result() else { return }
        try keys.insert(objects, tables, connection)
    }
}
