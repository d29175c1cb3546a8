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
        var builder = DeletionClosureBuilder(context: self)
        try builder.add(objects)
        return try builder.closure()
    }
}

/// Computes the waves that a deletion would go through.
private struct DeletionClosureBuilder {
    let context: ManagedObjectContext
    private var deleted = OrderedMembers<ManagedObject>()
    private var unlinked = OrderedMembers<DeletionClosure.Nullification>()
    private var guarded: [(object: ManagedObject, relationship: RelationshipDescription, others: [ManagedObjectID])] =
        []

    /// The largest number of denying objects that are listed.
    static let listedCount = 20

    init(context: ManagedObjectContext) {
        self.context = context
    }

    mutating func add(_ objects: [ManagedObject]) throws(GraphError) {
        var wave = objects
        while !wave.isEmpty {
            try context.fire(wave)
            let new = wave.filter { !$0.isDeleted && !$0.status.contains(.missing) && deleted.append($0) }
            wave = []
            for (entity, objects) in Dictionary(grouping: new, by: \.entity).sorted(by: { $0.key.index < $1.key.index })
            {
                for relationship in entity.relationships { wave += try reached(from: objects, along: relationship) }
            }
        }
    }

    /// The objects that are deleted along with some objects because of a relationship.
    private mutating func reached(
        from objects: [ManagedObject],
        along relationship: RelationshipDescription
    ) throws(GraphError) -> [ManagedObject] {
        let rule = relationship.deleteRule
        guard rule != .noAction, rule != .nullify || relationship.inverse != nil else { return [] }
        if relationship.isToMany { try context.load(relationship, of: objects) }
        var reached: [ManagedObject] = []
        for object in objects {
            let others =
                relationship.isToMany
                ? object.toMany(relationship).members?.members ?? []
                : object.row.toOnes[relationship.slot].map { [$0] } ?? []
            switch rule {
            case .cascade: reached += others.map(context.object(with:))
            case .deny: if !others.isEmpty { guarded.append((object, relationship, others)) }
            default:
                guard let inverse = relationship.inverse else { continue }
                for other in others {
                    guard let back = other.entity.relationship(named: inverse.name) else { continue }
                    unlinked.append(DeletionClosure.Nullification(objectID: other, relationship: back))
                }
            }
        }
        return reached
    }

    /// Deny rules consider all objects that are deleted together; deleted objects aren't listed as nullified.
    func closure() throws(GraphError) -> DeletionClosure {
        var closure = DeletionClosure()
        closure.deleted = deleted.map(\.objectID)
        let gone = Set(closure.deleted)
        func stays(_ objectID: ManagedObjectID) -> Bool {
            !gone.contains(objectID) && context.registered[objectID].map { !$0.isDeleted } ?? true
        }
        closure.nullified = unlinked.members.filter { stays($0.objectID) }
        for (object, relationship, others) in guarded {
            let inTheWay = others.filter(stays)
            guard !inTheWay.isEmpty else { continue }
            closure.denied.append(
                DeletionClosure.Denial(
                    objectID: object.objectID,
                    relationship: relationship,
                    blockingObjects: Array(inTheWay.prefix(Self.listedCount)),
                    count: inTheWay.count
                )
            )
        }
        return closure
    }
}
