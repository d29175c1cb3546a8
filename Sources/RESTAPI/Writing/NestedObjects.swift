// SPDX-License-Identifier: Apache-2.0

// The objects that a creation has nested, which its answer shows as if they were included.

import ObjectGraph

/// The relationships of new objects in which a body has nested others, and their objects.
///
/// 1. They are those of new objects only: an object that existed before may have any number of members.
/// 2. An object has nested ones only within the object in which it is nested itself, so that answers end.
struct NestedObjects: Sendable {
    private struct Relationship: Sendable {
        let property: ResourceProperty
        let members: [Member]
    }

    private struct Member: Sendable {
        let objectID: ManagedObjectID
        /// The write that creates it within this relationship, or nil.
        let write: Int?
    }

    private var relationships: [Int: [Relationship]] = [:]

    init(in write: AppliedWrite) throws(GraphError) {
        switch write.plan.answer {
        case .object, .list:
            let writes = write.objects.writes
            for index in write.plan.answered { try add(index, of: write, writes) }
        case .deletion, .operations: break
        }
    }

    /// All shown objects.
    var objectIDs: [ManagedObjectID] { relationships.values.joined().flatMap { $0.members.map(\.objectID) } }

    private mutating func add(
        _ index: Int,
        of write: AppliedWrite,
        _ writes: [ManagedObjectID: Int]
    ) throws(GraphError) {
        let plan = write.plan
        guard plan.writes[index].isInsertion, write.substitutes[index] == nil, let object = write.objects[index] else {
            return
        }
        for change in plan.writes[index].changes where change.change.put.contains(where: \.isNested) {
            guard let relationship = object.entity.relationship(named: change.property.property.name) else { continue }
            let objects =
                relationship.isToMany
                ? try object.objects(of: relationship) : [try object.object(of: relationship)].compactMap(\.self)
            let members = objects.map { member in
                let nested = writes[member.objectID].flatMap { plan.writes[$0].parent == index ? $0 : nil }
                return Member(objectID: member.objectID, write: nested)
            }
            relationships[index, default: []].append(Relationship(property: change.property, members: members))
            for case let nested? in members.map(\.write) { try add(nested, of: write, writes) }
        }
    }

    /// An object with what was nested in it.
    ///
    /// - Parameter rows: The row of an object; nil if it isn't visible.
    func object(
        _ row: Snapshot,
        of write: Int?,
        in api: API,
        rows: (ManagedObjectID) -> Snapshot?
    ) -> ObjectDTO {
        let resource = api.catalogue[row.objectID.entity]
        guard let relationships = write.flatMap({ relationships[$0] }) else {
            return ObjectDTO(row: row, shape: api.catalogue.shape(of: row.objectID.entity))
        }
        var selection = Selection.all
        selection.embedded = relationships.map { Selection.Embedding(property: $0.property, selection: .all) }
        var object = ObjectDTO(row: row, shape: ObjectShape(selection, of: resource))
        object.related = relationships.map { relationship in
            let members = relationship.members.compactMap { member in
                rows(member.objectID).map { self.object($0, of: member.write, in: api, rows: rows) }
            }
            return relationship.property.relationship?.isToMany == true ? .many(members) : .one(members.first)
        }
        return object
    }
}

extension Reference {
    /// Whether its object is nested in the body.
    fileprivate var isNested: Bool {
        if case .write = target { true } else { false }
    }
}
