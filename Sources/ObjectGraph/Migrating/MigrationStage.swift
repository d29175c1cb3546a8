// SPDX-License-Identifier: Apache-2.0

// A stage of a migration as a program describes it: two versions of a model, and closures that change objects.

public import ObjectModel

/// A step from one version of a model to the next.
///
///     let migration = try ModelMigration(stages: [
///         .lightweight(from: version1, to: version2),
///         .custom(from: version2, to: version3, willMigrate: { context in … }, didMigrate: { context in … }),
///     ])
///
/// In both kinds of stages, what becomes of the objects must be inferable, if need be with rules. Closures change the
/// objects before and after that.
public struct MigrationStage: Sendable {
    /// Changes a store's objects. Changes that it doesn't save itself are saved when it returns. If it throws, the migration
    /// ends, and the store is as before.
    ///
    /// The objects of the context are of the class `ManagedObject`, and no other coordinator can save into the store.
    public typealias Closure = @Sendable (_ context: ManagedObjectContext) throws -> Void

    public let old: ManagedObjectModel
    public let new: ManagedObjectModel
    let rules: MappingRules
    let willMigrate: Closure?
    let didMigrate: Closure?

    /// A stage without closures.
    public static func lightweight(
        from old: ManagedObjectModel,
        to new: ManagedObjectModel,
        rules: MappingRules = MappingRules()
    ) -> MigrationStage {
        MigrationStage(old: old, new: new, rules: rules, willMigrate: nil, didMigrate: nil)
    }

    /// A stage with closures.
    ///
    /// - Parameters:
    ///   - willMigrate: Changes the objects in the old version.
    ///   - didMigrate: Changes the objects in the new version. What the new version has no place for is gone.
    public static func custom(
        from old: ManagedObjectModel,
        to new: ManagedObjectModel,
        rules: MappingRules = MappingRules(),
        willMigrate: Closure? = nil,
        didMigrate: Closure? = nil
    ) -> MigrationStage {
        MigrationStage(old: old, new: new, rules: rules, willMigrate: willMigrate, didMigrate: didMigrate)
    }

    var isCustom: Bool { willMigrate != nil || didMigrate != nil }
}

/// A stage with its mapping, as stores execute it.
package struct ResolvedStage: Sendable {
    package let mapping: ResolvedMapping
    package let willMigrate: MigrationStage.Closure?
    package let didMigrate: MigrationStage.Closure?
}
