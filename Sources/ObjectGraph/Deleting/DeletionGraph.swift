// SPDX-License-Identifier: Apache-2.0

// The delete rules of relationships, for objects of any kind.

import ObjectModel

/// An object or a row that may be deleted.
protocol DeletableObject {
    var objectID: ManagedObjectID { get }
}

extension ManagedObject: DeletableObject {}
extension Snapshot: DeletableObject {}

/// The destinations of a deleted object along a relationship.
struct DeletedLinks<Object: DeletableObject> {
    let object: Object
    let relationship: RelationshipDescription
    let destinations: [Object]

    /// The failure if the relationship denies the deletion, or nil if none of the destinations stay.
    func denial(where stays: (Object) throws -> Bool) rethrows -> ValidationFailure? {
        let inTheWay = try destinations.filter(stays)
        guard !inTheWay.isEmpty else { return nil }
        return ValidationFailure(
            denying: object.objectID,
            along: relationship,
            blockingObjects: inTheWay.prefix(ValidationFailure.blockingObjectLimit).map(\.objectID),
            count: inTheWay.count
        )
    }
}

extension ValidationFailure {
    /// The maximum number of objects in `blockingObjects`.
    package static let blockingObjectLimit = 20

    /// The failure of a deletion that a relationship's delete rule denies.
    ///
    /// - Parameters:
    ///   - blockingObjects: The first destinations that aren't deleted.
    ///   - count: The number of all of them.
    package init(
        denying objectID: ManagedObjectID,
        along relationship: RelationshipDescription,
        blockingObjects: [ManagedObjectID],
        count: Int
    ) {
        let entity = objectID.entity
        self.init(
            .relationshipDeniedDelete,
            "\(entity.name) can't be deleted while it has \(relationship.name).",
            property: relationship.name
        )
        self.objectID = objectID
        entityName = entity.name
        self.blockingObjects = blockingObjects
        blockingCount = count
    }
}

/// A graph whose objects are deleted by the rules of their relationships: a context, a preview, or rows of a store.
///
/// The graph deletes in waves: the objects that a wave reaches by cascades are the next one.
///
/// 1. No object is in two waves, so a deletion ends, even in cycles.
/// 2. Each wave reads each relationship of each entity with one call, however many objects it has.
/// 3. A deletion is denied only by objects that stay, so deny rules are decided after the last wave.
protocol DeletionGraph: AnyObject {
    associatedtype Object: DeletableObject
    associatedtype Failure: Error

    /// The links of deleted objects of one entity, or none if the graph has nothing to do about them.
    func links(
        along relationship: RelationshipDescription,
        from deleted: [Object]
    ) throws(Failure) -> [DeletedLinks<Object>]

    /// Deletes the destinations that aren't deleted yet.
    func cascade(_ links: DeletedLinks<Object>) throws(Failure)

    /// Denies the deletion unless all destinations are deleted as well.
    func deny(_ links: DeletedLinks<Object>)

    /// Unlinks the deleted object from the destinations, whatever the rule.
    func unlink(_ links: DeletedLinks<Object>, inverse: RelationshipDescription.Inverse) throws(Failure)
}

extension DeletionGraph {
    /// Applies the delete rules of one wave, entity by entity.
    func applyDeleteRules(to wave: [Object]) throws(Failure) {
        for entity in OrderedMembers(wave.map(\.objectID.entity)) {
            let deleted = wave.filter { $0.objectID.entity == entity }
            for relationship in entity.relationships {
                let all = try links(along: relationship, from: deleted).filter { !$0.destinations.isEmpty }
                for links in all {
                    switch relationship.deleteRule {
                    case .cascade: try cascade(links)
                    case .deny: deny(links)
                    case .nullify, .noAction: break
                    }
                }
                guard let inverse = relationship.inverse else { continue }
                for links in all { try unlink(links, inverse: inverse) }
            }
        }
    }
}

extension RelationshipDescription {
    /// Whether the deletion of an object changes its destinations.
    var isFollowedByDeletion: Bool { deleteRule == .cascade || deleteRule == .nullify && inverse != nil }
}
