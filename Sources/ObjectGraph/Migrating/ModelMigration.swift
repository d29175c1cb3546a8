// SPDX-License-Identifier: Apache-2.0

// The stages in which a store is migrated to another version of its model.

public import ObjectModel

/// The stages that carry a store from one version of its model to another.
///
///     let migration = try ModelMigration(from: version1, to: version2)
///     let report = try SQLiteStore.migrate(path: "Blog.sqlite", by: migration)
///
/// 1. There is at least one stage, and each begins with the version that the one before ends with.
/// 2. Each stage can be inferred.
public struct ModelMigration: Sendable {
    package let stages: [ResolvedMapping]

    /// Infers the migration in one stage. Throws what stands in the way of it.
    ///
    /// - Parameter rules: Rules for what can't be inferred, besides those in the new version's user info.
    public init(
        from old: ManagedObjectModel,
        to new: ManagedObjectModel,
        rules: MappingRules = MappingRules()
    ) throws(MigrationObstacles) {
        try self.init([(old, new)], rules)
    }

    /// Infers a migration through several versions, stage by stage. Throws what stands in the way of the first stage that
    /// can't be inferred.
    ///
    /// - Parameter versions: At least two versions, from the oldest to the newest.
    public init(through versions: [ManagedObjectModel]) throws(MigrationObstacles) {
        precondition(versions.count > 1, "A migration needs a version to begin with and one to end with.")
        try self.init(Array(zip(versions, versions.dropFirst())), MappingRules())
    }

    private init(
        _ steps: [(old: ManagedObjectModel, new: ManagedObjectModel)],
        _ rules: MappingRules
    ) throws(MigrationObstacles) {
        stages = try steps.map { old, new throws(MigrationObstacles) in
            let obstacles = ModelDiff(from: old.model, to: new.model, rules: rules).obstacles
            guard obstacles.isEmpty else { throw MigrationObstacles(issues: obstacles) }
            return ResolvedMapping(ModelMapping(from: old.model, to: new.model, rules: rules), from: old, to: new)
        }
    }

    /// The version that a store has before.
    public var old: ManagedObjectModel { stages[0].old }

    /// The version that a store has afterwards.
    public var new: ManagedObjectModel { stages[stages.count - 1].new }

    /// Whether the stores' rows differ between the versions.
    package var changesRows: Bool {
        old.model.versionHashes() != new.model.versionHashes() || stages.contains(where: \.hasRules)
    }

    /// The mappings of the stages.
    public var mappings: [ModelMapping] { stages.map(\.mapping) }
}

/// How a migration is executed.
public enum MigrationMode: Sendable {
    /// Values and objects that the new version has no place for are lost, as the report says.
    case complete
    /// It fails, and leaves the store as it was, if anything would be lost.
    case lossless
    /// Everything is taken back in the end, and obstacles are only reported.
    case rehearsal
}

/// Called while tables are written, with the number of rows written so far and of those to be written.
public typealias MigrationProgress = @Sendable (_ rows: Int, _ expected: Int) -> Void

/// Why the migration between two versions can't be inferred.
public struct MigrationObstacles: Error, Hashable, Sendable, CustomStringConvertible {
    public let issues: [ModelIssue]

    public var description: String {
        let findings = issues.map { issue in
            let place = [issue.place.entity, issue.place.property].compactMap(\.self).joined(separator: ".")
            return "\(place): \(issue.message)"
        }
        return "The migration can't be inferred. " + findings.joined(separator: " ")
    }
}
