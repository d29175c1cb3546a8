// SPDX-License-Identifier: Apache-2.0

// Checks that the destination of a to-one relationship exists.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Looks up destinations of a relationship.
struct DestinationCheck {
    private let table: EntityTable
    private let kinds: Set<Int64>

    init?(_ relationship: RelationshipDescription, _ tables: StoreTables) {
        let destination = tables.model.destination(of: relationship)
        guard let table = tables.schema.table(of: destination) else { return nil }
        self.table = table
        kinds = Set(tables.model.kinds(of: destination).map { tables.schema.numbers[$0] })
    }

    /// The number of an object's entity, or nil if it doesn't exist or the relationship can't refer to it.
    func number(of key: Int64, _ connection: Connection) throws -> Int64? {
        let query: SQL = "SELECT Z_ENT FROM \(identifier: table.name) WHERE Z_PK = \(value: .integer(key))"
        guard let number = try connection.first(query, { $0.int64(0) }), kinds.contains(number) else { return nil }
        return number
    }
}

extension StoreTables {
    /// The key of an object in this store, from a URI that may be a destination of a relationship, or nil.
    func key(of reference: ObjectReference, _ relationship: RelationshipDescription) -> Int64? {
        let destination = model.destination(of: relationship)
        let parts = reference.uri.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "x-coredata:", parts[2] == identifier.uuidString,
            let entity = model.entity(named: String(parts[3])), entity.rootIndex == destination.rootIndex,
            parts[4].first == "p"
        else { return nil }
        return Int64(parts[4].dropFirst())
    }
}
