// SPDX-License-Identifier: Apache-2.0

// Turns a batch into validated operations of a save, and into changes for contexts.

import Predicates

extension RowGraph {
    /// The operations that store the changes; throws if they violate the model's rules.
    func saveRequest() throws -> StoreSaveRequest {
        try validate()
        var request = StoreSaveRequest()
        for objectID in deleted {
            guard let snapshot = try snapshot(objectID) else { continue }
            request.deletions.append(.init(objectID: snapshot.objectID, version: snapshot.version))
        }
        for objectID in inserted {
            guard let row = rows[objectID] else { continue }
            let kept = kept[objectID]
            request.insertions.append(
                .init(objectID: objectID, version: kept?.nextVersion ?? 1, row: row, keepsReference: kept != nil)
            )
        }
        for objectID in updated {
            guard let base = try snapshot(objectID), let row = rows[objectID], row != base.row else { continue }
            request.updates.append(
                .init(
                    objectID: base.objectID,
                    version: base.version,
                    row: row,
                    attributes: row.attributes.indices.filter { row.attributes[$0] != base.row.attributes[$0] },
                    toOnes: row.toOnes.indices.filter { row.toOnes[$0] != base.row.toOnes[$0] }
                )
            )
        }
        request.members = pairChanges { $0.isOrdered || $0.writesPairs }.compactMap { change in
            // The store itself unlinks deleted objects.
            let removed = change.removed.filter { !deleted.contains($0) }
            guard !change.added.isEmpty || !removed.isEmpty || change.order != nil else { return nil }
            return .init(
                owner: change.owner,
                relationship: change.relationship,
                added: change.added,
                removed: removed,
                order: change.order
            )
        }
        request.removeDuplicatePairs()
        return request
    }

    /// The changes that the save will make.
    var plannedChanges: PlannedChanges {
        var changes = PlannedChanges()
        changes.inserted = Set(inserted)
        changes.updated = updated.compactMap { (try? snapshot($0)) ?? nil }
        changes.deleted = deleted.compactMap { (try? snapshot($0)) ?? nil }
        changes.members = pairChanges { _ in true }
        return changes
    }

    /// The changes of many-to-many relationships whose owners aren't deleted.
    private func pairChanges(
        _ isWanted: (RelationshipDescription) -> Bool
    ) -> [StoreSaveRequest.MembersChange] {
        membershipKeys.compactMap { key in
            guard key.relationship.isManyToMany, isWanted(key.relationship), !deleted.contains(key.owner),
                let change = memberships[key],
                !change.added.isEmpty || !change.removed.isEmpty || change.order != nil
            else { return nil }
            return .init(
                owner: key.owner,
                relationship: key.relationship,
                added: change.added.members,
                removed: change.removed.members,
                order: change.order
            )
        }
    }

    /// The error for violations of uniqueness, with the number of the row.
    func error(for violations: [ConstraintViolation]) -> GraphError {
        var error = GraphError.constraintConflicts(violations)
        error.row = violations.compactMap { violation in
            let rows = violation.objects.compactMap { numbers[$0] }
            return violation.stored == nil ? rows.dropFirst().first : rows.first
        }.min()
        return error
    }
}

// MARK: Validating

extension RowGraph {
    /// Validates only what the batch has set: other values may stem from other versions of the model.
    private func validate() throws {
        for objectID in inserted {
            guard let row = rows[objectID] else { continue }
            try check(objectID, row.failures(of: objectID.entity, patterns, since: nil))
        }
        for objectID in updated {
            guard let row = rows[objectID], let base = try snapshot(objectID) else { continue }
            try check(base.objectID, row.failures(of: base.objectID.entity, patterns, since: base.row))
        }
        for objectID in inserted {
            for relationship in objectID.entity.toManys where relationship.hasBounds {
                let change = memberships[MembersKey(owner: objectID, relationship: relationship)]
                try check(objectID, [relationship.failure(ofCount: change?.added.count ?? 0)].compactMap(\.self))
            }
        }
        try validateMembers()
    }

    private func validateMembers() throws {
        let changed = membershipKeys.filter { key in
            guard key.relationship.hasBounds, !deleted.contains(key.owner), !inserted.contains(key.owner) else {
                return false
            }
            return key.relationship.limitsAdditions || memberships[key]?.removed.isEmpty == false
        }
        for (relationship, keys) in Dictionary(grouping: changed, by: \.relationship) {
            let members = try members(of: relationship, owners: keys.map(\.owner))
            for (key, members) in zip(keys, members) {
                let change = memberships[key] ?? Membership()
                let count = members.count + change.added.count - change.removed.count
                try check(key.owner, [relationship.failure(ofCount: count)].compactMap(\.self))
            }
        }
    }

    private func check(_ objectID: ManagedObjectID, _ failures: [ValidationFailure]) throws {
        guard !failures.isEmpty else { return }
        var error = GraphError.validation(
            failures.map { failure in
                var completed = failure
                completed.objectID = inserted.contains(objectID) ? nil : objectID
                completed.entityName = objectID.entity.name
                return completed
            }
        )
        error.row = numbers[objectID]
        throw error
    }
}

extension Row {
    /// The validation failures of values and to-one relationships that differ from a base, or of all.
    fileprivate func failures(
        of entity: EntityDescription,
        _ patterns: PatternChecker,
        since base: Row?
    ) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for attribute in entity.attributes where !attribute.isDerived && attribute.isPersistent {
            let value = attributes[attribute.slot]
            if let base, base.attributes[attribute.slot] == value { continue }
            failures += attribute.failures(of: value, using: patterns)
        }
        for relationship in entity.toOnes where !relationship.isTransient && toOnes[relationship.slot] == nil {
            if let base, base.toOnes[relationship.slot] == nil { continue }
            if let failure = relationship.failure(ofCount: 0) { failures.append(failure) }
        }
        return failures
    }
}
