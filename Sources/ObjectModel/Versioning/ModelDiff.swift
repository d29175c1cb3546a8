// SPDX-License-Identifier: Apache-2.0

/// The difference between two versions of a model.
///
///     let diff = ModelDiff(from: old, to: new)
///     print(diff)                      // entity User: + attribute bio, …
///     if !diff.canBeInferred { throw diff.obstacles[0] }
///
/// The order of entities and properties makes no difference, nor do the settings that only model editors use
/// (`extras`).
public struct ModelDiff: Hashable, Sendable {
    /// The changed entities in the new version's order, followed by the removed ones in the old version's.
    public let entities: [EntityChange]
    /// Differences outside the entities; none affects stores.
    public let aspects: [AspectChange]
    /// The reasons why the migration can't be inferred.
    public let obstacles: [ModelIssue]
    /// What the migration would lose (warnings), and what may need attention afterwards (notes).
    public let consequences: [ModelIssue]

    /// - Parameter rules: Rules for the migration, besides those in the new version's user info.
    public init(from old: Model, to new: Model, rules: MappingRules = MappingRules()) {
        let comparison = ModelComparison(old: old, new: new, rules: rules)
        entities = comparison.entityChanges()
        aspects = comparison.modelAspects()
        var review = MigrationReview(comparison)
        // A store of the old version is compatible with the new one, whatever is wrong with either.
        if entities.contains(where: \.changesStorage) || !rules.isEmpty { review.review() }
        obstacles = review.obstacles
        consequences = review.consequences
    }

    public var isEmpty: Bool { entities.isEmpty && aspects.isEmpty }

    /// Whether a store of the old version must be migrated.
    public var changesStorage: Bool { entities.contains(where: \.changesStorage) }

    /// Whether lightweight migration is possible.
    public var canBeInferred: Bool { obstacles.isEmpty }
}

/// An entity that was added, removed or changed.
public struct EntityChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        case removed
        case changed
    }

    public let kind: Kind
    /// The name in the new version, or in the old one if the entity was removed.
    public let name: String
    /// The name in the old version, if it was renamed.
    public let oldName: String?
    public let aspects: [AspectChange]
    /// The changed properties that the entity itself declares; empty if the entity was added or removed.
    public let properties: [PropertyChange]

    public var changesStorage: Bool {
        kind != .changed || oldName != nil || aspects.contains { $0.aspect.changesStorage }
            || properties.contains(where: \.changesStorage)
    }
}

/// A property that was added, removed, changed, or moved in the hierarchy.
public struct PropertyChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        case removed
        case changed
        /// It was inherited from this entity.
        case movedFrom(String)
        /// It is now inherited from this entity.
        case movedTo(String)
    }

    public let kind: Kind
    /// The property in the new version, or in the old one if it was removed.
    public let property: Property
    /// The name in the old version, if it was renamed.
    public let oldName: String?
    public let aspects: [AspectChange]

    public var name: String { property.name }

    public var changesStorage: Bool {
        kind != .changed || oldName != nil || aspects.contains { $0.aspect.changesStorage }
    }
}
