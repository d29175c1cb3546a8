// SPDX-License-Identifier: Apache-2.0

// Deleting rows with delete rules, in waves.

import ObjectModel

extension RowGraph: DeletionGraph {
    typealias Failure = any Error

    /// Deletes rows and their cascades; returns all deleted objects.
    func delete(_ snapshots: [Snapshot]) throws -> [ManagedObjectID] {
        for snapshot in snapshots { markDeleted(snapshot.objectID) }
        var count = 0
        while count < deleted.count {
            if let maximum, deleted.count > maximum { throw GraphError.limitExceeded(maximum) }
            let wave = try deleted.members.dropFirst(count).compactMap(snapshot)
            count = deleted.count
            try applyDeleteRules(to: wave)
        }
        let failures = try deniable.compactMap { try $0.denial { try present($0.objectID) != nil } }
        guard failures.isEmpty else { throw GraphError.validation(failures) }
        return deleted.members
    }

    /// A to-many inverse loses the deleted rows under every delete rule.
    func links(along relationship: RelationshipDescription, from deleted: [Snapshot]) throws -> [DeletedLinks<Snapshot>]
    {
        let isConcerned =
            relationship.isFollowedByDeletion || relationship.deleteRule == .deny
            || relationship.inverse?.isToMany == true
        guard isConcerned, !relationship.isTransient else { return [] }
        let destinations =
            relationship.isToMany
            ? try members(of: relationship, owners: deleted.map(\.objectID))
            : deleted.map { $0.row.toOnes[relationship.slot].map { [$0] } ?? [] }
        try load(destinations.joined())
        return try zip(deleted, destinations).map { row, destinations in
            DeletedLinks(object: row, relationship: relationship, destinations: try destinations.compactMap(snapshot))
        }
    }

    func cascade(_ links: DeletedLinks<Snapshot>) {
        for destination in links.destinations { markDeleted(destination.objectID) }
    }

    func deny(_ links: DeletedLinks<Snapshot>) { deniable.append(links) }

    func unlink(_ links: DeletedLinks<Snapshot>, inverse: RelationshipDescription.Inverse) throws {
        let objectID = links.object.objectID
        for destination in links.destinations.map(\.objectID) {
            if links.relationship.isManyToMany {
                try changePair(objectID, destination, of: links.relationship) { $0.remove($1) }
            } else if inverse.isToMany {
                try recordMemberChange(of: destination, at: inverse.slot) { $0.remove(objectID) }
            } else if links.relationship.deleteRule == .nullify,
                try present(destination)?.toOnes[inverse.slot] == objectID
            {
                try edit(destination) { $0.toOnes[inverse.slot] = nil }
            }
        }
    }
}
