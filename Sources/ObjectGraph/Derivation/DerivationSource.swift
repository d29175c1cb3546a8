// SPDX-License-Identifier: Apache-2.0

// The rows that derived values are computed from, and those that they are written to.

public import Predicates

/// The rows of a store while derived values are computed.
public protocol DerivationSource {
    /// The present row of an object, or nil.
    func row(of objectID: ManagedObjectID) -> Row?

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID]
}

/// The rows of a store that a save writes derived values to: see `Derivations.recompute(…)`.
public protocol DerivationTarget: DerivationSource {
    func snapshot(of objectID: ManagedObjectID) throws -> Snapshot?

    /// Computes the values of some rows by `derivations.derive(…)`, and writes those that differ without a new version.
    ///
    /// - Parameter saved: The objects whose rows the save has written.
    /// - Returns: The former rows of changed objects, or nil for objects that the store has changed in another way, such
    ///   as by triggers.
    mutating func recompute(
        _ objects: Set<ManagedObjectID>,
        saved: Set<ManagedObjectID>,
        by derivations: Derivations,
        with evaluator: Evaluator
    ) throws -> [ManagedObjectID: Snapshot?]
}
