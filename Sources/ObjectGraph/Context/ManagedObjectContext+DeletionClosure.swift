// SPDX-License-Identifier: Apache-2.0

// What deleting objects would do to others, without doing it.

import ObjectModel

/// What the delete rules make of deleting some objects.
public struct DeletionClosure: Sendable {
    /// An object that would lead to a deleted one no more.
    public struct Nullification: Hashable, Sendable {
        public let objectID: ManagedObjectID
        /// Its to-one relationship, which would become nil, or its to-many one, which would lose members.
        public let relationship: RelationshipDescription
    }

    /// An object that can't be deleted as long as others are there.
    public struct Denial: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let relationship: RelationshipDescription
        /// Those in the way, the first of them.
        public let objectsInTheWay: [ManagedObjectID]
        /// How many there are.
        public let count: Int
    }

    /// All objects that would go, those that were given first.
    public fileprivate(set) var deleted: [ManagedObjectID] = []
    public fileprivate(set) var nullified: [Nullification] = []
    public fileprivate(set) var denied: [Denial] = []
}

extension ManagedObjectContext {
    /// What deleting some objects would do, with all that is pending here; nothing is changed by it. Hooks aren't called.
    ///
    ///     let closure = try context.deletionClosure(of: [organization])
    ///     print(closure.deleted.count, closure.denied.isEmpty)
    ///
    /// The stores are asked level by level: each relationship of the objects that a level would delete costs a call, whatever their
    /// number.
    public func deletionClosure(of objects: [ManagedObject]) throws(GraphError) -> DeletionClosure {
        confinement.check()
        try processPendingChanges()
        var walk = DeletionWalk(context: self)
        try walk.take(objects)
        return try walk.closure()
    }
}

/// Goes from wave to wave as a deletion does.
private struct DeletionWalk {
    let context: ManagedObjectContext
    private var deleted = OrderedMembers<ManagedObject>()
    private var unlinked = OrderedMembers<DeletionClosure.Nullification>()
    private var guarded: [(object: ManagedObject, relationship: RelationshipDescription, others: [ManagedObjectID])] =
        []

    /// How many of the objects in the way are told.
    static let toldCount = 20

    init(context: ManagedObjectContext) {
        self.context = context
    }

    mutating func take(_ objects: [ManagedObject]) throws(GraphError) {
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

    /// What goes along with some objects because of a relationship.
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

    /// Deny is judged on all that goes together; what goes itself needs no letting go.
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
                    objectsInTheWay: Array(inTheWay.prefix(Self.toldCount)),
                    count: inTheWay.count
                )
            )
        }
        return closure
    }
}
