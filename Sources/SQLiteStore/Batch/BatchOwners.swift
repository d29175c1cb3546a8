// SPDX-License-Identifier: Apache-2.0

// Whose relationships to many are others by what a batch does to the rows that lead to them. Nobody is told of them where the rows
// are more than are named.

import ObjectGraph
import SQLiteDriver

/// The objects that have some rows in a relationship to many.
struct BatchOwners {
    fileprivate var name = ""
    /// By the keys of the rows that lead to them.
    fileprivate var owners: [Int64: ManagedObjectID] = [:]

    /// Notes them all, or those that have a row which they don't have otherwise.
    func note(unlike others: BatchOwners? = nil, in changed: inout ChangedProperties) {
        for (key, owner) in owners where others?.owners[key] != owner { changed.add(CollectionOfOne(name), of: owner) }
    }
}

extension BatchWriter {
    /// The objects that some rows of a table lead to by a relationship to one, and that may have many such rows.
    func owners(ofRows keys: KeyRanges, in table: EntityTable, _ rows: RelationshipRows) throws -> BatchOwners {
        var found = BatchOwners()
        guard keys.count <= ChangedProperties.limit, !rows.relationship.isToMany,
            let inverse = rows.relationship.inverse,
            inverse.isToMany, let reader = tables.reader(of: rows.destination)
        else { return found }
        found.name = inverse.name
        let query: SQL = "SELECT Z_PK FROM \(identifier: table.name) WHERE Z_PK IN \(.keys(keys.keys))"
        try connection.run("SELECT o.Z_PK, m.Z_PK, m.Z_ENT \(rows.destinations(ofRows: query))") { row in
            found.owners[row.int64(0)] = reader.objectID(row, from: 1)
        }
        return found
    }

    /// Notes the objects that rows lead to whose keys are in a table, and that have them in a relationship to many; those are left out
    /// that are in the table as well.
    func noteOwners(
        ofRowsIn keys: KeyTable,
        _ rows: RelationshipRows,
        in changed: inout ChangedProperties
    ) throws {
        guard let inverse = rows.relationship.inverse, inverse.isToMany,
            let reader = tables.reader(of: rows.destination)
        else { return }
        // One more than there may be tells that there are too many.
        let limit: SQL = "\(literal: .integer(Int64(ChangedProperties.limit + 1)))"
        try connection.run(
            """
            SELECT DISTINCT m.Z_PK, m.Z_ENT \(rows.destinations(from: keys.name)) \
            AND NOT \(keys.contains("m", root: rows.destinationRoot)) LIMIT \(limit)
            """
        ) { changed.add(CollectionOfOne(inverse.name), of: reader.objectID($0)) }
    }
}
