// SPDX-License-Identifier: Apache-2.0

// Checks all that is to be saved, and collects everything that is wrong.

import ObjectModel
import Predicates

extension ManagedObjectContext {
    /// Throws one error with everything that keeps the context's changes from being saved, but for conflicts with what others have saved:
    /// what they have deleted is validated when it is to be inserted again.
    public func validate() throws(GraphError) {
        confinement.check()
        let patterns = PatternChecker()
        var meter = WorkMeter()
        var failures: [ValidationFailure] = []
        var count = 0
        func add(_ more: [ValidationFailure]) throws(GraphError) {
            try meter.step()
            count += more.count
            failures += more.prefix(Self.failureLimit - failures.count)
        }
        for object in deleted.members { try add(object.deletionFailures()) }
        for object in inserted.members { try add(object.failures(patterns) { try object.validateForInsert() }) }
        for object in updated.members where !isKept(object.objectID) {
            try add(object.failures(patterns) { try object.validateForUpdate() })
        }
        guard failures.isEmpty else { throw .validation(failures, omitting: count - failures.count) }
    }

    /// The most failures that are kept, since many objects may have the same one.
    private static let failureLimit = 1_000
}

extension ValidationFailure {
    /// A deletion that a relationship forbids.
    package static func denied(
        _ entity: EntityDescription,
        _ relationship: RelationshipDescription,
        _ inTheWay: [ManagedObjectID]
    ) -> ValidationFailure {
        var failure = ValidationFailure(
            .relationshipDeniedDelete,
            "\(entity.name) can't be deleted as long as it has \(relationship.name).",
            property: relationship.name
        )
        failure.objectsInTheWay = Array(inTheWay.prefix(20))
        failure.countInTheWay = inTheWay.count
        return failure
    }
}

extension ManagedObject {
    /// Deny is judged on all that is deleted together.
    fileprivate func deletionFailures() throws(GraphError) -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for relationship in entity.relationships where relationship.deleteRule == .deny && !status.contains(.missing) {
            let inTheWay = try objects(of: relationship, in: confinement.context).filter { !$0.isDeleted }
            if inTheWay.isEmpty { continue }
            failures.append(.denied(entity, relationship, inTheWay.map(\.objectID)))
        }
        return completed(failures + caught { try validateForDelete() })
    }

    fileprivate func failures(
        _ patterns: PatternChecker,
        _ hook: () throws -> Void
    ) throws(GraphError)
        -> [ValidationFailure]
    {
        var failures: [ValidationFailure] = []
        if !isFault {
            for attribute in entity.attributes where !attribute.isDerived || !attribute.isPersistent {
                var value = row.attributes[attribute.slot]
                let thrown = caught { try validate(&value, forKey: attribute.name) }
                if value != row.attributes[attribute.slot] { try setValue(value, of: attribute) }
                failures += thrown + attribute.failures(of: row.attributes[attribute.slot], patterns)
            }
        }
        for relationship in entity.relationships {
            if needsMembers(for: relationship) { try confinement.context.load(relationship, of: [self]) }
            failures += countFailures(of: relationship) + lossFailures(of: relationship)
        }
        return completed(failures + caught(hook))
    }

    /// Whether the members must be known to count them. Adding to a relationship without bounds doesn't ask for them.
    private func needsMembers(for relationship: RelationshipDescription) -> Bool {
        guard relationship.isToMany, !toManys.isEmpty else { return false }
        let toMany = toManys[relationship.slot]
        guard toMany.isFault, toMany.hasChanges else { return false }
        return relationship.limitsAdditions || !relationship.relationship.isOptional && !toMany.removed.isEmpty
    }

    /// Relationships that nobody has touched are as they were when they were saved.
    private func countFailures(of relationship: RelationshipDescription) -> [ValidationFailure] {
        let count: Int
        if relationship.isToMany {
            guard !toManys.isEmpty, let members = toManys[relationship.slot].members,
                isInserted || toManys[relationship.slot].hasChanges
            else { return [] }
            count = members.count
        } else {
            guard !isFault else { return [] }
            count = row.toOnes[relationship.slot] == nil ? 0 : 1
        }
        return relationship.failure(ofCount: count).map { [$0] } ?? []
    }

    /// An object that was deleted before it was ever saved is nobody to lead to.
    private func lossFailures(of relationship: RelationshipDescription) -> [ValidationFailure] {
        let context = confinement.context
        func isLost(_ objectID: ManagedObjectID) -> Bool {
            objectID.isTemporary && context.current(objectID).isTemporary && !context.hasUnsaved(objectID)
        }
        let lost: ManagedObjectID?
        if relationship.isToMany {
            guard relationship.inverseToOne == nil, !toManys.isEmpty else { return [] }
            lost = toManys[relationship.slot].added.first(where: isLost)
        } else {
            guard !isFault, let destination = row.toOnes[relationship.slot] else { return [] }
            lost = isLost(destination) ? destination : nil
        }
        guard let lost else { return [] }
        return [
            ValidationFailure(
                .referentialIntegrity,
                "\(entity.name).\(relationship.name) leads to an object that was deleted before it was saved.",
                property: relationship.name,
                value: .reference(lost.objectReference)
            )
        ]
    }

    private func objects(
        of relationship: RelationshipDescription,
        in context: ManagedObjectContext
    ) throws(GraphError) -> [ManagedObject] {
        if relationship.isToMany { return try objects(of: relationship) }
        return row.toOnes[relationship.slot].map { [context.object(with: $0)] } ?? []
    }

    /// What a hook throws, as failures.
    private func caught(_ hook: () throws -> Void) -> [ValidationFailure] {
        do {
            try hook()
            return []
        } catch let failure as ValidationFailure {
            return [failure]
        } catch let several as ValidationFailures {
            return several.failures
        } catch {
            return [ValidationFailure(.general, "\(error)")]
        }
    }

    private func completed(_ failures: [ValidationFailure]) -> [ValidationFailure] {
        failures.map { failure in
            var completed = failure
            completed.objectID = objectID
            completed.entityName = entity.name
            return completed
        }
    }
}
