// SPDX-License-Identifier: Apache-2.0

// What a fetch finds.

import ObjectGraph
import Predicates
import SQLiteDriver

/// A fetch over the tables.
struct StoreFetch {
    private let request: StoreFetchRequest
    private let reader: StoreReader

    init(_ request: StoreFetchRequest, _ reader: StoreReader) {
        (self.request, self.reader) = (request, reader)
    }

    func result() throws -> StoreFetchResult {
        let source = RowSource(reader)
        let objects = try candidates().map { StoredRow(snapshot: $0, source: source) }
        if case .table(let table) = request.kind { return .table(try request.table(table, of: objects)) }
        let found = try request.objects(among: objects).map(\.snapshot)
        return switch request.kind {
        case .objectIDs: .objectIDs(found.map(\.objectID))
        case .count: .count(found.count)
        case .snapshots, .table: .snapshots(found)
        }
    }

    private func candidates() throws -> [Snapshot] {
        guard let rows = reader.tables.reader(of: request.entity) else { return [] }
        let entities =
            request.includesSubentities ? Array(reader.schema.model.kinds(of: request.entity)) : [request.entity]
        let numbers = entities.map { reader.schema.numbers[$0] }
        return try reader.connection.rows(
            """
            SELECT \(rows.columns(of: "t0")) FROM \(identifier: rows.table.name) AS t0 \
            WHERE t0.Z_ENT IN \(.keys(numbers)) ORDER BY t0.Z_PK
            """
        ) { rows.snapshot($0) }
    }
}
