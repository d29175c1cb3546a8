// SPDX-License-Identifier: Apache-2.0

// Stores that applications have written, migrated to the later versions of their models.

import Foundation
import ObjectGraph
import ObjectModel
import SQLiteStore
import TestSupport
import Testing

@Suite("Migrations of stores of applications", .enabled(if: Corpus.path != nil, "OUTCROP_CORPUS names no folder"))
struct AppStoreMigrationTests {
    /// The versions of models that have several, in their order.
    private static let chains: [[ManagedObjectModel]] = Corpus.bundles.compactMap { bundle in
        guard let file = try? ModelFile.read(path: bundle), file.versions.count > 1 else { return nil }
        return file.versions.compactMap { try? ManagedObjectModel($0.model) }
    }

    /// The versions after that of a store, where other projects have them.
    private static func laterVersions(than model: Model) -> [[ManagedObjectModel]] {
        let names = Set(model.entities.map(\.name))
        return chains.compactMap { versions in
            let place = versions.firstIndex { version in
                Set(version.model.entities.map(\.name)) == names
                    && !ModelDiff(from: model, to: version.model).changesStorage
            }
            guard let place, place + 1 < versions.count else { return nil }
            return Array(versions[(place + 1)...])
        }
    }

    @Test(
        "the store of an application has its objects in each later version, and no more findings than before",
        arguments: Turn.part(of: Corpus.stores)
    )
    func laterVersions(path: String) throws {
        guard let model = try StoreCopy.of(path, { try? SQLiteStore.embeddedModel(path: $0) }) else { return }
        for versions in Self.laterVersions(than: model) {
            for place in versions.indices {
                try Self.migrate(path, from: ManagedObjectModel(model), through: Array(versions[...place]))
            }
        }
    }

    private static func migrate(
        _ path: String,
        from model: ManagedObjectModel,
        through versions: [ManagedObjectModel]
    ) throws {
        guard let last = versions.last else { return }
        let migrations: [ModelMigration]
        do {
            migrations = [try ModelMigration(from: model, to: last), try ModelMigration(through: [model] + versions)]
        } catch {
            #expect(error.issues.allSatisfy { $0.place.entity != nil })
            return
        }
        for migration in migrations {
            try StoreCopy.of(path) { path in
                let before = try Contents(path)
                let report = try SQLiteStore.migrate(path: path, by: migration)
                // Objects that break new rules were reported.
                let violations = report.stages.flatMap { $0.violations }.reduce(0) { $0 + $1.objectCount }
                let after = try Contents(path)
                #expect(!ModelDiff(from: last.model, to: after.model).changesStorage)
                for (code, count) in after.findings {
                    let new = [.required, .count].contains(code) ? violations : 0
                    #expect(count <= (before.findings[code] ?? 0) + new, "\(code) after a migration of \(path)")
                }
                #expect(after.counts == before.counts(by: migration))
            }
        }
    }

    /// What a store contains.
    private struct Contents {
        let model: Model
        /// The numbers of objects by entity, without entities that have none.
        var counts: [String: Int] = [:]
        /// The numbers of affected objects.
        var findings: [StoreFinding.Code: Int] = [:]

        init(_ path: String) throws {
            let store = try SQLiteStore(path: path)
            model = store.model.model
            for entity in store.model.entities {
                let request = StoreFetchRequest(entity: entity, includesSubentities: false)
                guard case .snapshots(let rows) = try store.fetch(request, at: nil), !rows.isEmpty else { continue }
                counts[entity.name] = rows.count
            }
            for finding in try store.check() { findings[finding.code, default: 0] += finding.count }
        }

        /// The numbers of objects that remain after a migration.
        func counts(by migration: ModelMigration) -> [String: Int] {
            migration.mappings.reduce(into: counts) { counts, mapping in
                let former = counts
                counts = [:]
                for entity in mapping.entities {
                    if let source = entity.source, let count = former[source] { counts[entity.name] = count }
                }
            }
        }
    }
}
