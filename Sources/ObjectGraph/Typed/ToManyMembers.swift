// SPDX-License-Identifier: Apache-2.0

// The common operations of both kinds of to-many views.

/// A to-many relationship of one object.
struct ToManyMembers<Member: ManagedObject> {
    private let owner: ManagedObject
    /// Nil if the model has none of the name; the error is deferred.
    private let relationship: RelationshipDescription?

    init(of owner: ManagedObject, _ name: String) {
        self.owner = owner
        relationship = owner.deferring(nil) { () throws(GraphError) in try owner.requireRelationship(name) }
    }

    var objects: [Member] {
        read([]) { relationship throws(GraphError) in
            try owner.objects(of: relationship).map { object throws(GraphError) in try owner.typed(object) }
        }
    }

    var count: Int {
        read(0) { relationship throws(GraphError) in
            try owner.confinement.context.load(relationship, of: [owner])
            return owner.toMany(relationship).members?.count ?? 0
        }
    }

    subscript(index: Int) -> Member {
        let member: Member? = read(nil) { relationship throws(GraphError) in
            try owner.confinement.context.load(relationship, of: [owner])
            guard let members = owner.toMany(relationship).members, (0..<members.count).contains(index) else {
                return nil
            }
            return try owner.typed(owner.confinement.context.object(with: members[index]))
        }
        guard let member else { preconditionFailure("There is no member at the index \(index).") }
        return member
    }

    func contains(_ member: Member) -> Bool {
        read(false) { relationship throws(GraphError) in
            if let known = owner.toMany(relationship).contains(member.objectID) { return known }
            try owner.confinement.context.load(relationship, of: [owner])
            return owner.toMany(relationship).contains(member.objectID) ?? false
        }
    }

    func firstIndex(of member: Member) -> Int? {
        read(nil) { relationship throws(GraphError) in
            try owner.confinement.context.load(relationship, of: [owner])
            return owner.toMany(relationship).firstIndex(of: member.objectID)
        }
    }

    func insert(_ member: Member, at index: Int?) {
        read(()) { relationship throws(GraphError) in try owner.add(member, to: relationship, at: index) }
    }

    func remove(_ member: Member) {
        read(()) { relationship throws(GraphError) in try owner.remove(member, from: relationship) }
    }

    func replace(with members: [Member]) {
        read(()) { relationship throws(GraphError) in try owner.setObjects(members, of: relationship) }
    }

    private func read<Result>(
        _ absent: @autoclosure () -> Result,
        _ work: (RelationshipDescription) throws(GraphError) -> Result
    ) -> Result {
        guard let relationship else { return absent() }
        return owner.deferring(absent()) { () throws(GraphError) in try work(relationship) }
    }
}
