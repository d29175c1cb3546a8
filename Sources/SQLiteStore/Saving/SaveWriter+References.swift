// SPDX-License-Identifier: Apache-2.0

// Whether the rows that a save has written lead to rows, and none to those that it has deleted, and members are who they were.

import ObjectGraph
import SQLiteDriver

extension SaveWriter {
    func checkMembers(of request: StoreSaveRequest) throws {
        let reader = StoreReader(connection: connection, tables: tables)
        guard try request.overtakenMembers(reader.members).isEmpty else { throw Collision() }
    }

    mutating func checkReferences(of request: StoreSaveRequest) throws {
        try checkDestinations(of: request.references)
        guard !request.deletions.isEmpty else { return }
        for (entity, deletions) in Dictionary(grouping: request.deletions, by: \.objectID.entity) {
            let keys = try deletions.map { try key($0.objectID) }
            for relationship in entity.toManys where relationship.isLedToByRows {
                try checkThatNoneLeads(to: keys, relationship)
            }
        }
    }

    private mutating func checkDestinations(of references: [StoreSaveRequest.Reference]) throws {
        var wanted: [String: Set<Int64>] = [:]
        for reference in references {
            let table = try writer(of: reference.destination.entity).table
            wanted[table.name, default: []].insert(try key(reference.destination))
        }
        for (table, keys) in wanted {
            let query: SQL = """
                SELECT COUNT(*) FROM \(identifier: table) WHERE Z_PK IN \(.keys(keys.sorted()))
                """
            guard try connection.first(query, { $0.int64(0) }) == Int64(keys.count) else { throw Collision() }
        }
    }

    private mutating func checkThatNoneLeads(to keys: [Int64], _ relationship: RelationshipDescription) throws {
        guard let inverse = relationship.inverse else { return }
        let members = try writer(of: tables.model.destination(of: relationship))
        guard let column = members.layout.toOnes[inverse.slot]?.key else { return }
        let query: SQL = """
            SELECT 1 FROM \(identifier: members.table.name) \
            WHERE \(identifier: members.table.columns[column].name) IN \(.keys(keys)) LIMIT 1
            """
        if try connection.first(query, { _ in true }) ?? false { throw Collision() }
    }
}
