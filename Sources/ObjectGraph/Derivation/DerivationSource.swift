// SPDX-License-Identifier: Apache-2.0

// The input of derived values.

/// The rows of a store while derived values are computed.
public protocol DerivationSource {
    /// The present row of an object, or nil.
    func row(of objectID: ManagedObjectID) -> Row?

    func members(of relationship: RelationshipDescription, owner: ManagedObjectID) -> [ManagedObjectID]
}
