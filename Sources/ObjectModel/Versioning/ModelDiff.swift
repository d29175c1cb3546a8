// SPDX-License-Identifier: Apache-2.0

// What changed from one version of a model to another, and whether a store can follow without being told how.

/// The difference between two versions of a model.
///
///     let diff = ModelDiff(from: old, to: new)
///     print(diff)                      // entity User: + attribute bio, …
///     if !diff.canBeInferred { throw diff.obstacles[0] }
///
/// The order of entities and properties is no difference, nor are settings that only an editor of models knows (`extras`).
public struct ModelDiff: Hashable, Sendable {
    /// In the new version's order, then what was removed in the old one's.
    public let entities: [EntityChange]
    /// What differs beside the entities; none of it matters to a store.
    public let aspects: [AspectChange]
    /// Why the migration can't be inferred, if it can't be.
    public let obstacles: [ModelIssue]
    /// What the migration would lose (warnings), and what may need a look after it (notes).
    public let consequences: [ModelIssue]

    public init(from old: Model, to new: Model) {
        let comparison = ModelComparison(old: old, new: new)
        entities = comparison.entityChanges()
        aspects = comparison.modelAspects()
        var review = MigrationReview(comparison)
        // A store of the old version fits the new one as it is, whatever is wrong with both.
        if entities.contains(where: \.changesStorage) { review.review() }
        obstacles = review.obstacles
        consequences = review.consequences
    }

    public var isEmpty: Bool { entities.isEmpty && aspects.isEmpty }

    /// Whether a store of the old version has to be migrated before it fits the new one.
    public var changesStorage: Bool { entities.contains(where: \.changesStorage) }

    /// Whether lightweight migration can do it.
    public var canBeInferred: Bool { obstacles.isEmpty }
}

/// An entity that was added or removed, or that differs.
public struct EntityChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        case removed
        case changed
    }

    public let kind: Kind
    /// Its name in the new version, or in the old one if it was removed.
    public let name: String
    /// Its name in the old version, where that is another.
    public let oldName: String?
    public let aspects: [AspectChange]
    /// The properties it declares itself that differ; none if the entity itself was added or removed.
    public let properties: [PropertyChange]

    public var changesStorage: Bool {
        kind != .changed || oldName != nil || aspects.contains { $0.aspect.changesStorage }
            || properties.contains(where: \.changesStorage)
    }
}

/// A property that was added, removed or moved in the hierarchy, or that differs.
public struct PropertyChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case added
        case removed
        case changed
        /// It was inherited from this entity before.
        case movedFrom(String)
        /// It is inherited from this entity now.
        case movedTo(String)
    }

    public let kind: Kind
    /// The property as it is now, or was if it was removed.
    public let property: Property
    /// Its name in the old version, where that is another.
    public let oldName: String?
    public let aspects: [AspectChange]

    public var name: String { property.name }

    public var changesStorage: Bool {
        kind != .changed || oldName != nil || aspects.contains { $0.aspect.changesStorage }
    }
}
