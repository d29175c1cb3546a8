// SPDX-License-Identifier: Apache-2.0

// The effects of deleting objects, computed without deleting them.

import ObjectModel

/// The effects of delete rules when some objects are deleted.
public struct DeletionClosure: Sendable {
    /// An object that would lose its reference to a deleted one.
    public struct Nullification: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// Its to-one relationship that would become nil, or its to-many relationship that would lose members.
        public let relationship: RelationshipDescription
    }

    /// An object that can't be deleted while others exist.
    public struct Denial: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let relationship: RelationshipDescription
        /// The first of the objects that deny the deletion.
        public let blockingObjects: [ManagedObjectID]
        /// The number of objects that deny the deletion.
        public let count: Int
    }

    /// All objects that would be deleted, the given ones first.
    public fileprivate(set) var deleted: [ManagedObjectID] = []
    public fileprivate(set) var nullified: [Nullification] = []
    public fileprivate(set) var denied: [Denial] = []
}

extension ManagedObjectContext {
    /// The effects of deleting some objects, with pending changes considered. Nothing is changed, and hooks aren't
    /// called.
    ///
    ///     let closure = try context.deletionClosure(of: [organization])
    ///     print(closure.deleted.count, closure.denied.isEmpty)
    ///
    /// The stores are read level by level, with one call per relationship, however many objects there are.
    public func deletionClosure(of objects: [ManagedObject]) throws(GraphError) -> DeletionClosure {
        confinement.check()
        try processPendingChanges()
        let preview = DeletionPreview(context: self)
        try preview.delete(objects)
        return preview.closure
    }
}

/// A deletion of a context's objects that only records what it would do.
private final class DeletionPreview: DeletionGraph {
    typealias Failure = GraphError

    private let context: ManagedObjectContext
    private var wave: [ManagedObject] = []
    private var deleted = OrderedMembers<ManagedObject>()
    private var unlinked = OrderedMembers<DeletionClosure.Nullification>()
    private var deniable: [DeletedLinks<ManagedObject>] = []

    init(context: ManagedObjectContext) {
        self.context = context
    }

    func delete(_ objects: [ManagedObject]) throws(GraphError) {
        wave = objects
        while !wave.isEmpty {
            try context.fire(wave)
            let new = wave.filter { !$0.isDeleted && !$0.status.contains(.missing) && deleted.append($0) }
            wave = []
            try applyDeleteRules(to: new)
        }
    }

    var closure: DeletionClosure {
        func stays(_ object: ManagedObject) -> Bool { !object.isDeleted && !deleted.contains(object) }
        var closure = DeletionClosure()
        closure.deleted = deleted.map(\.objectID)
        closure.nullified = unlinked.filter { stays(context.object(with: $0.objectID)) }
        closure.denied = deniable.compactMap { links in
            links.denial(where: stays).map { failure in
                DeletionClosure.Denial(
                    objectID: links.object.objectID,
                    relationship: links.relationship,
                    blockingObjects: failure.blockingObjects,
                    count: failure.blockingCount
                )
            }
        }
        return closure
    }

    func links(
        along relationship: RelationshipDescription,
        from deleted: [ManagedObject]
    ) throws(GraphError) -> [DeletedLinks<ManagedObject>] {
        guard relationship.isFollowedByDeletion || relationship.deleteRule == .deny else { return [] }
        return try context.loadLinks(along: relationship, from: deleted)
    }

    func cascade(_ links: DeletedLinks<ManagedObject>) { wave += links.destinations }

    func deny(_ links: DeletedLinks<ManagedObject>) { deniable.append(links) }

    func unlink(_ links: DeletedLinks<ManagedObject>, inverse: RelationshipDescription.Inverse) {
        for other in links.destinations where links.relationship.deleteRule == .nullify {
            guard let back = other.entity.relationship(named: inverse.name) else { continue }
            unlinked.append(DeletionClosure.Nullification(objectID: other.objectID, relationship: back))
        }
    }
}
