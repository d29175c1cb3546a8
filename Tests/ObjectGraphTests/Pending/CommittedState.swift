// SPDX-License-Identifier: Apache-2.0

// What pending changes are laid over: rows and members by ID, whether they come from stores or from a parent's view.

@testable import ObjectGraph

/// A row and its version.
struct CommittedRow: Hashable, Sendable {
    let version: Int64
    var row: Row

    init(version: Int64, row: Row) {
        self.version = version
        self.row = row
    }
}

/// A committed state. Both sides of its relationships agree.
protocol CommittedState {
    /// The row of an object, or nil.
    func committedRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow?

    /// The last row of an object that has none any more, if it is known.
    func formerRow(of objectID: ManagedObjectID) throws(GraphError) -> CommittedRow?

    /// The members of a to-many relationship, in their order where that counts.
    func committedMembers(
        of owner: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObjectID]

    /// Whether an object is among the members of a many-to-many relationship.
    func isCommittedMember(
        _ member: ManagedObjectID,
        of owner: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> Bool
}

extension CommittedState {
    func isCommittedMember(
        _ member: ManagedObjectID,
        of owner: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws(GraphError) -> Bool {
        try committedMembers(of: owner, relationship).contains(member)
    }
}
