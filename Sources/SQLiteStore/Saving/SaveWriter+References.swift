// SPDX-License-Identifier: Apache-2.0

// Checks the relationships of a save: destinations exist, no row refers to a deleted one, members are unchanged.

import ObjectGraph
import SQLiteDriver

extension SaveWriter {
    func checkMembers(of request: StoreSaveRequest) throws {
        let reader = StoreReader(connection: connection, tables: tables)
        guard try request.outdatedMembers(reader.members).isEmpty else { throw Collision() }
    }

    /// The rows that the save writes, and the other rows in its relationships that exist, found by one query for each
    /// table. Throws if the destination of a to-one relationship doesn't exist.
    mutating func presentRows(for request: StoreSaveRequest) throws -> Set<ManagedObjectID> {
        let references = request.references
        guard !references.isEmpty || !request.members.isEmpty else { return [] }
        var present = Set(request.insertions.lazy.map(\.objectID))
        present.formUnion(request.updates.lazy.map(\.objectID))
        var others: Set<ManagedObjectID> = []
        func add(_ objectID: ManagedObjectID) { if !present.contains(objectID) { others.insert(objectID) } }
        for reference in references { add(reference.destination) }
        for change in request.members { ([change.owner] + change.added).forEach(add) }
        let tables = try Dictionary(grouping: others) { try writer(of: $0.entity).table.name }
        for (table, objects) in tables.sorted(by: { $0.key < $1.key }) {
            let keys = try objects.map(key).sorted()
            let query: SQL = "SELECT Z_PK FROM \(identifier: table) WHERE Z_PK IN \(.keys(keys))"
            let found = Set(try connection.rows(query) { $0.int64(0) })
            present.formUnion(try objects.filter { found.contains(try key($0)) })
        }
        guard references.allSatisfy({ present.contains($0.destination) }) else { throw Collision() }
        return present
    }

    mutating func checkNoReferencesToDeletions(of request: StoreSaveRequest) throws {
        for (entity, deletions) in Dictionary(grouping: request.deletions, by: \.objectID.entity) {
            let keys = try deletions.map { try key($0.objectID) }
            for relationship in entity.toManys where relationship.deletionAffectsMemberRows {
                try checkNoReferences(to: keys, relationship)
            }
        }
    }

    private mutating func checkNoReferences(to keys: [Int64], _ relationship: RelationshipDescription) throws {
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
