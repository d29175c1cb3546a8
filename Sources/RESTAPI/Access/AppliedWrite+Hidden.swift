// SPDX-License-Identifier: Apache-2.0

// Keeps what an identity can't read when it replaces values: it sends back what it has been shown.

import ObjectGraph

extension AppliedWrite {
    /// Whether a to-one relationship refers to an object that the identity can't read, so that it is shown as null.
    func showsNull(_ relationship: RelationshipDescription, of object: ManagedObject) throws(GraphError) -> Bool {
        guard restricts(relationship), !object.isInserted, let destination = try object.object(of: relationship) else {
            return false
        }
        return try hidden(among: [destination]).contains(destination)
    }

    /// The members of a to-many relationship with those that the identity can't read, which keep their places after the
    /// members that precede them.
    func keepingHidden(
        _ members: [ManagedObject],
        of relationship: RelationshipDescription,
        of object: ManagedObject
    ) throws(GraphError) -> [ManagedObject] {
        guard restricts(relationship), !object.isInserted else { return members }
        let present = try object.objects(of: relationship)
        let hidden = try hidden(among: present)
        guard !hidden.isEmpty else { return members }
        var result = members
        for (place, member) in present.enumerated() where hidden.contains(member) && !members.contains(member) {
            let before = present[..<place].last { result.contains($0) }
            let index = before.flatMap { before in result.firstIndex { $0 === before } }.map { $0 + 1 } ?? 0
            result.insert(member, at: index)
        }
        return result
    }

    /// The members of a relationship that the identity can read: positions count only these.
    func shownMembers(
        _ members: [ManagedObject],
        of relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObject] {
        guard restricts(relationship) else { return members }
        let hidden = try hidden(among: members)
        return members.filter { !hidden.contains($0) }
    }

    private func restricts(_ relationship: RelationshipDescription) -> Bool {
        guard let access = api.access else { return false }
        return access.visibility(of: api.catalogue.model.destination(of: relationship)) != nil
    }

    /// The stored objects among some that the identity can't read.
    private func hidden(among objects: [ManagedObject]) throws(GraphError) -> Set<ManagedObject> {
        let stored = objects.filter { !$0.objectID.isTemporary }
        let rows = try api.narrowed(context.committedReader).snapshots(of: stored.map(\.objectID))
        return Set(zip(stored, rows).filter { $0.1 == nil }.map(\.0))
    }
}
