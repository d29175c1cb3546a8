// SPDX-License-Identifier: Apache-2.0

// Finds the owners of a batch's rows, since their to-many relationships change with the rows. If there are more rows
// than notifications name, owners aren't reported.

import ObjectGraph
import SQLiteDriver

/// The objects that own some rows through a to-many relationship: the destinations of the rows' to-one relationship.
/// (An owner in `RelationshipRows` is the row itself.)
struct BatchOwners {
    fileprivate var name = ""
    /// By the keys of the owned rows.
    fileprivate var owners: [Int64: ManagedObjectID] = [:]

    /// Records all owners, or those of rows that have another owner in `others`.
    func record(unlike others: BatchOwners? = nil, in changed: inout ChangedProperties) {
        for (key, owner) in owners where others?.owners[key] != owner { changed.add(CollectionOfOne(name), of: owner) }
    }
}

extension BatchWriter {
    /// The destinations of some rows' to-one relationship, if its inverse is to-many.
    func owners(ofRows keys: KeyRanges, in table: EntityTable, _ rows: RelationshipRows) throws -> BatchOwners {
        var found = BatchOwners()
        guard keys.count <= ChangedProperties.limit, !rows.relationship.isToMany,
            let inverse = rows.relationship.inverse,
            inverse.isToMany, let reader = tables.rowReader(of: rows.destination)
        else { return found }
        found.name = inverse.name
        let query: SQL = "SELECT Z_PK FROM \(identifier: table.name) WHERE Z_PK IN \(.keys(keys.keys))"
        try connection.run("SELECT o.Z_PK, m.Z_PK, m.Z_ENT \(rows.destinations(ofRows: query))") { row in
            found.owners[row.int64(0)] = reader.objectID(row, from: 1)
        }
        return found
    }

    /// Records the destinations of the rows in a key table as changed, unless they are in the table themselves. Only
    /// for relationships with a to-many inverse.
    func recordOwners(
        ofRowsIn keys: KeyTable,
        _ rows: RelationshipRows,
        in changed: inout ChangedProperties
    ) throws {
        guard let inverse = rows.relationship.inverse, inverse.isToMany,
            let reader = tables.rowReader(of: rows.destination)
        else { return }
        // One more than the limit shows that there are too many.
        let limit: SQL = "\(literal: .integer(Int64(ChangedProperties.limit + 1)))"
        try connection.run(
            """
            SELECT DISTINCT m.Z_PK, m.Z_ENT \(rows.destinations(from: keys.name)) \
            AND NOT \(keys.contains("m", root: rows.destinationRoot)) LIMIT \(limit)
            """
        ) { changed.add(CollectionOfOne(inverse.name), of: reader.objectID($0)) }
    }
}
