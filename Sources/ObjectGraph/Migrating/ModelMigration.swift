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
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) throws(MigrationObstacles) {
        try self.init(through: [old, new])
    }

    /// Infers a migration through several versions, stage by stage. Throws what stands in the way of the first stage that
    /// can't be inferred.
    ///
    /// - Parameter versions: At least two versions, from the oldest to the newest.
    public init(through versions: [ManagedObjectModel]) throws(MigrationObstacles) {
        precondition(versions.count > 1, "A migration needs a version to begin with and one to end with.")
        var stages: [ResolvedMapping] = []
        for (old, new) in zip(versions, versions.dropFirst()) {
            let obstacles = ModelDiff(from: old.model, to: new.model).obstacles
            guard obstacles.isEmpty else { throw MigrationObstacles(issues: obstacles) }
            stages.append(ResolvedMapping(ModelMapping(from: old.model, to: new.model), from: old, to: new))
        }
        self.stages = stages
    }

    /// The version that a store has before.
    public var old: ManagedObjectModel { stages[0].old }

    /// The version that a store has afterwards.
    public var new: ManagedObjectModel { stages[stages.count - 1].new }

    /// Whether the stores' rows differ between the versions.
    package var changesRows: Bool { old.model.versionHashes() != new.model.versionHashes() }

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
