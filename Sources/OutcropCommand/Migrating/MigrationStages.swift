// SPDX-License-Identifier: Apache-2.0

// The stages from one version of a model to another.

import ObjectGraph
import ObjectModel

/// One stage if that can be inferred and no version between has rules, or else a stage for each version between.
struct MigrationStages {
    let migration: ModelMigration
    /// The names of the versions that the stages begin and end with.
    let versionNames: [String]

    /// - Parameters:
    ///   - versions: The versions of the model, from the oldest to the newest.
    ///   - rules: Rules for the migration in one stage.
    init(
        from stored: StoredVersion,
        to model: ManagedObjectModel,
        of target: ModelVersion,
        among versions: [ModelVersion],
        rules: MappingRules? = nil
    ) throws(MigrationObstacles) {
        let between = rules == nil ? Self.versions(between: stored, and: target, among: versions) : []
        let staged =
            between.isEmpty ? nil : try? ModelMigration(through: [stored.model] + between.map(\.model) + [model])
        let stageNames = [stored.name] + between.map(\.name) + [target.name]
        // Rules are for the version that introduces what they describe.
        if let staged, between.contains(where: { $0.model.model.hasMigrationRules }) {
            migration = staged
            versionNames = stageNames
            return
        }
        do throws(MigrationObstacles) {
            migration = try ModelMigration(from: stored.model, to: model, rules: rules ?? MappingRules())
            versionNames = [stored.name, target.name]
        } catch {
            guard let staged else { throw error }
            migration = staged
            versionNames = stageNames
        }
    }

    private static func versions(
        between stored: StoredVersion,
        and target: ModelVersion,
        among versions: [ModelVersion]
    ) -> [(name: String, model: ManagedObjectModel)] {
        let hashes = stored.model.model.versionHashes()
        guard let first = versions.lastIndex(where: { $0.model.versionHashes() == hashes }),
            let last = versions.firstIndex(where: { $0.name == target.name && $0.model == target.model }), first < last
        else { return [] }
        return versions[first + 1..<last].compactMap { version in
            (try? ManagedObjectModel(version.model)).map { (version.name, $0) }
        }
    }
}
