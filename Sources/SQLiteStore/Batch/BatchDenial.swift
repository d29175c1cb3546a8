// SPDX-License-Identifier: Apache-2.0

// Finds the rows of a batch deletion that deny rules keep.

import ObjectGraph
import ObjectModel
import SQLiteDriver

/// Checks deny rules for the rows in `KeyTable.found`, after all cascades. It reads only the rows that an error names,
/// however many are denied.
struct BatchDenial {
    private let connection: Connection
    private let tables: StoreTables

    /// The number of rows that an error names.
    private static let limit = 100

    init(_ connection: Connection, _ tables: StoreTables) {
        self.connection = connection
        self.tables = tables
    }

    /// Throws if destinations of deny rules stay.
    func check(_ relationships: [RelationshipRows]) throws {
        var failures: [ValidationFailure] = []
        var count = 0
        for rows in relationships where rows.relationship.deleteRule == .deny {
            let found = try self.failures(along: rows, limit: Self.limit - failures.count)
            failures += found
            count += try failures.count < Self.limit ? found.count : self.count(along: rows)
        }
        guard !failures.isEmpty else { return }
        throw GraphError.validation(failures, omitting: count - failures.count)
    }

    private func count(along rows: RelationshipRows) throws -> Int {
        let query: SQL = "SELECT COUNT(DISTINCT o.Z_PK) \(rows.survivors(of: .found))"
        return try connection.first(query) { Int($0.int64(0)) } ?? 0
    }

    private func failures(along rows: RelationshipRows, limit: Int) throws -> [ValidationFailure] {
        guard let reader = tables.rowReader(of: rows.owner.root) else { return [] }
        let denied = try connection.rows(
            """
            SELECT o.Z_PK, o.Z_ENT, COUNT(*) \(rows.survivors(of: .found)) \
            GROUP BY o.Z_PK ORDER BY o.Z_PK LIMIT \(value: .integer(Int64(limit)))
            """
        ) { (key: $0.int64(0), objectID: reader.objectID($0), count: Int($0.int64(2))) }
        return try denied.map { row in
            ValidationFailure(
                denying: row.objectID,
                along: rows.relationship,
                blockingObjects: try blockingObjects(of: row.key, along: rows),
                count: row.count
            )
        }
    }

    /// The first destinations of a row that stay.
    private func blockingObjects(of key: Int64, along rows: RelationshipRows) throws -> [ManagedObjectID] {
        guard let reader = tables.rowReader(of: rows.destination) else { return [] }
        let limit = Int64(ValidationFailure.blockingObjectLimit)
        return try connection.rows(
            """
            SELECT m.Z_PK, m.Z_ENT \(rows.survivors(of: .found)) AND o.Z_PK = \(value: .integer(key)) \
            ORDER BY m.Z_PK LIMIT \(value: .integer(limit))
            """
        ) { reader.objectID($0) }
    }
}
