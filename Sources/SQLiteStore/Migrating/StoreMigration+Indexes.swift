// SPDX-License-Identifier: Apache-2.0

// The indexes and derived values of a migrated store.

import ObjectGraph
import SQLiteDriver

extension StoreMigration {
    /// Whether derived values may have changed: rows or references were written or deleted, or a derivation is new.
    var needsDerivation: Bool {
        !writtenTables.isEmpty || kept.contains { $0.deletion != nil } || mapping.hasNewPairings || mapping.hasRules
            || mapping.plans.contains { plan in
                plan.attributes.contains { $0.attribute.isDerived && $0.source?.derivation != $0.attribute.derivation }
            }
    }

    /// Removes the indexes that the new version doesn't have.
    func removeIndexes() throws {
        for index in Set(old.indexes).subtracting(new.indexes) {
            try connection.execute("DROP INDEX IF EXISTS \(identifier: index.name)")
        }
    }

    /// Creates the new version's indexes that enforce uniqueness, or all others.
    func createIndexes(unique: Bool) throws {
        for index in missingIndexes where index.isUnique == unique {
            try connection.execute("DROP INDEX IF EXISTS \(identifier: index.name)")
            try connection.execute(index.creation)
        }
    }

    /// The indexes of written and renamed tables, and those that other tables didn't have.
    private var missingIndexes: [StoredIndex] {
        let before = Set(old.indexes)
        let renamed = kept.filter(\.isRenamed).map(\.name)
        let keptTables = Set(new.tables.map(\.name) + new.pairTables.map(\.name))
            .subtracting(writtenTables + renamed)
        return new.indexes.filter { !keptTables.contains($0.table) || !before.contains($0) }
    }

    /// Objects with the same values of a uniqueness constraint that is new, or whose table was written.
    func duplicates(in tables: StoreTables, _ folder: ExternalFolder) throws -> [MigrationReport.Violation] {
        let unique = Set(missingIndexes.filter(\.isUnique).map(\.table))
        let check = StoreCheck(connection: connection, tables: tables, folder: folder)
        return try new.tables.filter { unique.contains($0.name) }.flatMap { table in
            try check.uniqueFlaws(table).map(\.finding).map { finding in
                MigrationReport.Violation(
                    entity: finding.entity ?? "",
                    properties: (finding.property ?? "").split(separator: ", ").map(String.init),
                    message: "\(finding.property ?? "") must be unique.",
                    objectCount: finding.count,
                    examples: finding.keys,
                    isObstacle: true
                )
            }
        }
    }
}
