// SPDX-License-Identifier: Apache-2.0

// The stages in which a store is migrated to another version of its model.

public import ObjectModel

/// The stages that carry a store from one version of its model to another.
///
///     let migration = try ModelMigration(from: version1, to: version2)
///     let report = try SQLiteStore.migrate(path: "Blog.sqlite", by: migration)
///
/// A store that has the version of a later stage already begins with that stage.
///
/// 1. There is at least one stage, and each begins with the version that the one before ends with.
/// 2. Each stage can be inferred.
public struct ModelMigration: Sendable {
    package let stages: [ResolvedStage]

    /// Infers the migration in one stage. Throws what stands in the way of it.
    ///
    /// - Parameter rules: Rules for what can't be inferred, besides those in the new version's user info.
    public init(
        from old: ManagedObjectModel,
        to new: ManagedObjectModel,
        rules: MappingRules = MappingRules()
    ) throws(MigrationObstacles) {
        try self.init(resolving: [.lightweight(from: old, to: new, rules: rules)])
    }

    /// Infers a migration through several versions, stage by stage. Throws what stands in the way of the first stage that
    /// can't be inferred.
    ///
    /// - Parameter versions: At least two versions, from the oldest to the newest.
    public init(through versions: [ManagedObjectModel]) throws(MigrationObstacles) {
        precondition(versions.count > 1, "A migration needs a version to begin with and one to end with.")
        try self.init(resolving: zip(versions, versions.dropFirst()).map { .lightweight(from: $0, to: $1) })
    }

    /// A migration in several stages, some of which may have closures.
    ///
    /// Throws `MigrationObstacles` if a stage can't be inferred, and `MigrationOrderError` if a stage doesn't begin with
    /// the version that the one before ends with.
    ///
    /// - Parameter stages: At least one stage, from the oldest version to the newest.
    public init(stages: [MigrationStage]) throws {
        guard !stages.isEmpty else { throw MigrationOrderError.noStages }
        for (place, (former, stage)) in zip(stages, stages.dropFirst()).enumerated() {
            if let error = MigrationOrderError(stage, number: place + 2, after: former) { throw error }
        }
        try self.init(resolving: stages)
    }

    private init(resolving stages: [MigrationStage]) throws(MigrationObstacles) {
        var resolved: [ResolvedStage] = []
        for stage in stages {
            // The same version may have been resolved twice, but the objects of a stage are described by those before.
            let old = resolved.last?.mapping.new ?? stage.old
            let obstacles = ModelDiff(from: old.model, to: stage.new.model, rules: stage.rules).obstacles
            guard obstacles.isEmpty else {
                let number = stages.count > 1 ? resolved.count + 1 : nil
                throw MigrationObstacles(issues: obstacles, stage: number, isCustom: stage.isCustom)
            }
            let mapping = ModelMapping(from: old.model, to: stage.new.model, rules: stage.rules)
            resolved.append(
                ResolvedStage(
                    mapping: ResolvedMapping(mapping, from: old, to: stage.new),
                    willMigrate: stage.willMigrate,
                    didMigrate: stage.didMigrate
                )
            )
        }
        self.stages = resolved
    }

    private init?(rest: ArraySlice<ResolvedStage>) {
        guard !rest.isEmpty else { return nil }
        stages = Array(rest)
    }

    /// The version that a store has before.
    public var old: ManagedObjectModel { stages[0].mapping.old }

    /// The version that a store has afterwards.
    public var new: ManagedObjectModel { stages[stages.count - 1].mapping.new }

    /// Whether the stores' rows differ between the versions.
    package var changesRows: Bool {
        old.model.versionHashes() != new.model.versionHashes() || stages.contains(where: \.mapping.hasRules)
    }

    /// The mappings of the stages.
    public var mappings: [ModelMapping] { stages.map(\.mapping.mapping) }

    /// Whether a stage has closures.
    package var isCustom: Bool { stages.contains { $0.willMigrate != nil || $0.didMigrate != nil } }

    /// Finds the first version that a store has, and the stages that remain from there; nil if it has the last one.
    ///
    /// - Parameters:
    ///   - fit: Throws if the store doesn't have a version.
    ///   - isOther: Whether that is the reason of an error.
    package func beginning<Fit>(
        where fit: (ManagedObjectModel) throws -> Fit,
        unless isOther: (any Error) -> Bool
    ) throws -> (fit: Fit, rest: ModelMigration?) {
        do {
            let first = try fit(old)
            // The last version may be the first one once more, after others, and the store has it then.
            let hashes = old.model.versionHashes()
            let isLast =
                new.model.versionHashes() == hashes
                && stages.contains { $0.mapping.new.model.versionHashes() != hashes }
            return isLast ? (try fit(new), nil) : (first, self)
        } catch let error where isOther(error) {
            for (place, stage) in stages.enumerated() {
                do {
                    return (try fit(stage.mapping.new), ModelMigration(rest: stages[(place + 1)...]))
                } catch let later where isOther(later) {
                    continue
                }
            }
            throw error
        }
    }
}

/// How a migration is executed.
public enum MigrationMode: Sendable {
    /// Values and objects that the new version has no place for are lost, as the report says.
    case complete
    /// It fails, and leaves the store as it was, if anything would be lost. What closures of stages delete isn't lost.
    case lossless
    /// Everything is taken back in the end, and obstacles are only reported. Closures of stages are called.
    case rehearsal
}

/// Called while tables are written, with the number of rows written so far and of those to be written.
public typealias MigrationProgress = @Sendable (_ rows: Int, _ expected: Int) -> Void

/// Why the migration between two versions can't be inferred.
public struct MigrationObstacles: Error, Hashable, Sendable, CustomStringConvertible {
    public let issues: [ModelIssue]
    /// The number of the stage, from 1; nil if there is only one.
    public let stage: Int?
    private let isCustom: Bool

    init(issues: [ModelIssue], stage: Int? = nil, isCustom: Bool = false) {
        self.issues = issues
        self.stage = stage
        self.isCustom = isCustom
    }

    public var description: String {
        let findings = issues.map { issue in
            let place = [issue.place.entity, issue.place.property].compactMap(\.self).joined(separator: ".")
            return "\(place): \(issue.message)"
        }
        let subject = stage.map { "Stage \($0) of the migration" } ?? "The migration"
        let hint =
            isCustom
            ? ["Its closures can't replace that: add a version between, with the old property and the new one."] : []
        return (["\(subject) can't be inferred."] + findings + hint).joined(separator: " ")
    }
}
