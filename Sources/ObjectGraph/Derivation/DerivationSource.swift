// SPDX-License-Identifier: Apache-2.0

// What derived values are computed from.

/// The rows of a store while derived values are computed.
public protocol DerivationSource {
    /// The present row of an object; nil where it has none.
    func row(of objectID: ManagedObjectID) -> Row?

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID]
}
