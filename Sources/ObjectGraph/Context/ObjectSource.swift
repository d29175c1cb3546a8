// SPDX-License-Identifier: Apache-2.0

// What a context needs of what is beneath it: a coordinator's stores, or a parent context.

import Predicates

/// Where a context's objects come from, and where its saves go.
protocol ObjectSource: AnyObject {
    /// The class of an entity's objects.
    func objectClass(for entity: EntityDescription) -> ManagedObject.Type

    /// The rows of some objects, in the same order; nil for those that aren't there.
    func snapshots(of objects: [ManagedObjectID]) throws(GraphError) -> [Snapshot?]

    /// For each owner the members of its to-many relationship, in their order.
    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID]
    ) throws(GraphError) -> [[ManagedObjectID]]

    func fetch(_ request: StoreFetchRequest) throws(GraphError) -> StoreFetchResult

    /// Whether the objects of some entities are kept by several stores, whose answers come one after the other.
    func isSpread(over kinds: Range<Int>) -> Bool

    /// What others have saved since it was asked for last.
    func takeSavedChanges() -> [SavedChanges]

    /// Gives back what was taken and could not be merged.
    func putBack(_ changes: [SavedChanges])

    /// Writes changes, all or none.
    func save(_ changes: [ObjectChange]) throws(GraphError) -> SaveOutcome
}
