// SPDX-License-Identifier: Apache-2.0

// Deleting rows with delete rules, in waves.

import ObjectModel

extension RowGraph {
    /// A deletion that is denied unless all destinations are deleted as well.
    private struct Denial {
        let objectID: ManagedObjectID
        let relationship: RelationshipDescription
        let destinations: [ManagedObjectID]
    }

    /// Deletes rows and their cascades; returns all deleted objects. It ends, since no row is deleted twice.
    func delete(_ snapshots: [Snapshot]) throws -> [ManagedObjectID] {
        var denials: [Denial] = []
        var wave = snapshots.filter { markDeleted($0.objectID) }
        while !wave.isEmpty {
            if let maximum, deleted.count > maximum { throw GraphError.limitExceeded(maximum) }
            var next: [Snapshot] = []
            for (entity, wave) in grouped(wave) {
                for relationship in entity.relationships where !relationship.isTransient {
                    next += try propagate(wave, along: relationship, &denials)
                }
            }
            wave = next
        }
        try check(denials)
        return deleted.members
    }

    /// Unlinks deleted rows from a relationship. Returns the rows that are deleted with them.
    private func propagate(
        _ snapshots: [Snapshot],
        along relationship: RelationshipDescription,
        _ denials: inout [Denial]
    ) throws -> [Snapshot] {
        let destinations = try destinations(of: relationship, from: snapshots)
        try load(destinations.joined())
        var next: [Snapshot] = []
        for (snapshot, destinations) in zip(snapshots, destinations) {
            switch relationship.deleteRule {
            case .cascade:
                next += try destinations.compactMap { try self.snapshot($0) }.filter { markDeleted($0.objectID) }
            case .deny where !destinations.isEmpty:
                denials.append(
                    Denial(objectID: snapshot.objectID, relationship: relationship, destinations: destinations)
                )
            case .deny, .nullify, .noAction: break
            }
            for destination in destinations { try unlink(destination, from: snapshot.objectID, relationship) }
        }
        return next
    }

    private func destinations(
        of relationship: RelationshipDescription,
        from snapshots: [Snapshot]
    ) throws -> [[ManagedObjectID]] {
        if relationship.isToMany { return try members(of: relationship, owners: snapshots.map(\.objectID)) }
        return snapshots.map { $0.row.toOnes[relationship.slot].map { [$0] } ?? [] }
    }

    /// Unlinks a deleted object from a destination. A to-many side is unlinked whatever the rule.
    private func unlink(
        _ destination: ManagedObjectID,
        from objectID: ManagedObjectID,
        _ relationship: RelationshipDescription
    ) throws {
        guard let inverse = relationship.inverse else { return }
        if relationship.isManyToMany {
            try changePair(objectID, destination, of: relationship) { $0.remove($1) }
        } else if inverse.isToMany {
            try recordMemberChange(of: destination, at: inverse.slot) { $0.remove(objectID) }
        } else if relationship.deleteRule == .nullify,
            try present(destination)?.toOnes[inverse.slot] == objectID
        {
            try edit(destination) { $0.toOnes[inverse.slot] = nil }
        }
    }

    private func check(_ denials: [Denial]) throws {
        let failures = try denials.compactMap { denial -> ValidationFailure? in
            let inTheWay = try denial.destinations.filter { try present($0) != nil }
            if inTheWay.isEmpty { return nil }
            let entity = denial.objectID.entity
            var failure = ValidationFailure.denied(entity, along: denial.relationship, blockedBy: inTheWay)
            failure.objectID = denial.objectID
            failure.entityName = entity.name
            return failure
        }
        guard failures.isEmpty else { throw GraphError.validation(failures) }
    }

    /// Rows by entity, both in order.
    private func grouped(_ snapshots: [Snapshot]) -> [(EntityDescription, [Snapshot])] {
        let groups = Dictionary(grouping: snapshots, by: \.objectID.entity)
        return groups.sorted { $0.key.index < $1.key.index }.map { ($0.key, $0.value) }
    }
}
