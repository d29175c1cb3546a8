// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@Suite("Migrations through the versions of real models")
struct CorpusMigrationTests {
    /// The bundles with several versions.
    static let bundles = Turn.part(
        of: Corpus.bundles.filter { bundle in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle)) ?? []
            return names.count { $0.hasSuffix(".xcdatamodel") } > 1
        }
    )

    /// How many versions of a bundle are tried, spread over all of them: all in a run that has the work to itself.
    private static let limit = ProcessInfo.processInfo.environment["OUTCROP_TURN"] == nil ? Int.max : 4

    @Test(
        "each version is migrated to the last, or what stands in the way is named",
        .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no models"),
        arguments: bundles
    )
    func chain(bundle: String) throws {
        guard let file = try? ModelFile.read(path: bundle) else { return }
        let versions = file.versions.compactMap { try? ManagedObjectModel($0.model) }
        guard let last = versions.last, versions.count > 1 else { return }
        let earlier = versions.dropLast()
        let step = max(1, earlier.count / Self.limit)
        for place in stride(from: 0, to: earlier.count, by: step) {
            try migrate(versions[place], through: [last])
        }
        try migrate(versions[0], through: Array(versions.dropFirst().prefix(Self.limit)))
    }

    private func migrate(_ first: ManagedObjectModel, through versions: [ManagedObjectModel]) throws {
        let migration: ModelMigration
        do {
            migration = try ModelMigration(through: [first] + versions)
        } catch {
            #expect(error.issues.allSatisfy { $0.place.entity != nil })
            return
        }
        let stores = try MigratedStores(first, seed: 1, size: 2 * first.entities.count)
        try stores.migrate(by: migration)
        try stores.expectSame(migration.new)
    }
}
