// SPDX-License-Identifier: Apache-2.0

// Conversion between the content of a file and rows in memory.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates

extension AtomicState {
    /// Creates a state from the content of a file. Throws if it is inconsistent.
    init(_ content: StoreContent, in model: ManagedObjectModel) throws(StoreFileError) {
        self.init()
        guard (0...FileObject.numberLimit).contains(content.head.lastReference) else {
            throw .damaged("The last reference of the store is out of range.")
        }
        var resolver = ReferenceResolver(content.head, model: model)
        for object in content.objects { try resolver.add(object) }
        for object in content.objects {
            var toOnes: [ManagedObjectID?] = []
            for relationship in object.entity.toOnes {
                try toOnes.append(resolver.destination(of: relationship, object))
            }
            let values = object.entity.mapping(object.attributes) { attribute, value in attribute.restored(value) }
            let row = Row(attributes: values, toOnes: toOnes)
            guard !object.entity.uniquenessConstraints.contains(where: { isTaken($0, by: row) }) else {
                throw .damaged("\(object) has the same unique values as another object.")
            }
            let objectID = resolver.objectID(object)
            put(Snapshot(objectID: objectID, version: object.version, row: row))
        }
        var lists: [StoreSaveRequest.MembersChange] = []
        for object in content.objects {
            for relationship in object.entity.toManys where !object.toManys[relationship.slot].isEmpty {
                let members = try resolver.members(of: relationship, object)
                let owner = resolver.objectID(object)
                let order = relationship.isOrdered ? members : nil
                lists.append(.init(owner: owner, relationship: relationship, added: members, order: order))
            }
        }
        change(lists)
    }

    private func isTaken(_ constraint: [PropertyDescription], by row: Row) -> Bool {
        // A derived value may have become equal to another after both rows were saved.
        let isDerived = constraint.contains {
            if case .attribute(let attribute) = $0 { attribute.isDerived } else { false }
        }
        return !isDerived && UniqueKey(constraint, of: row).flatMap(holder(of:)) != nil
    }

    /// The objects for a file, by entity and then by reference.
    func objects(in model: ManagedObjectModel) -> [FileObject] {
        model.entities.flatMap { entity in
            (tables[entity]?.members ?? []).compactMap { rows[$0] }.map(object).sorted { $0.reference < $1.reference }
        }
    }

    private func object(_ snapshot: Snapshot) -> FileObject {
        let entity = snapshot.objectID.entity
        var object = FileObject(entity: entity, reference: snapshot.objectID.number, version: snapshot.version)
        object.attributes = entity.mapping(snapshot.row.attributes) { attribute, value in attribute.transformed(value) }
        object.toOnes = snapshot.row.toOnes.map { $0?.number }
        for relationship in entity.toManys where relationship.isListed {
            object.toManys[relationship.slot] = members(of: relationship, owner: snapshot.objectID).map(\.number)
        }
        return object
    }
}

extension ManagedObjectID {
    /// The object's reference, which is a number in an atomic store.
    var number: Int64 {
        if case .integer(let number) = reference { number } else { 0 }
    }
}

extension EntityDescription {
    /// Replaces the values of attributes that have transformers by the results of a closure.
    fileprivate func mapping(_ values: [Value], _ transform: (AttributeDescription, Value) -> Value) -> [Value] {
        var values = values
        for attribute in attributes where attribute.hasTransformer && attribute.isPersistent {
            values[attribute.slot] = transform(attribute, values[attribute.slot])
        }
        return values
    }
}

extension FileObject: CustomStringConvertible {
    /// The upper limit of numbers in a file, so that later increments can't overflow.
    fileprivate static let numberLimit = Int64.max / 2

    public var description: String { "\(entity.name) \(reference)" }
}

/// Resolves references of a file to objects.
private struct ReferenceResolver {
    let store: UUID
    let model: ManagedObjectModel
    let last: Int64
    private var ids: [Int64: ManagedObjectID] = [:]

    init(_ head: StoreHead, model: ManagedObjectModel) {
        store = head.identifier
        last = head.lastReference
        self.model = model
    }

    mutating func add(_ object: FileObject) throws(StoreFileError) {
        guard !object.entity.isAbstract else {
            throw .damaged("\(object) has an abstract entity.")
        }
        guard object.reference > 0, object.reference <= last, (1...FileObject.numberLimit).contains(object.version)
        else {
            throw .damaged("\(object) has a reference or a version that was never assigned.")
        }
        guard ids.updateValue(objectID(object.entity, object.reference), forKey: object.reference) == nil else {
            throw .damaged("Two objects have the reference \(object.reference).")
        }
    }

    func objectID(_ object: FileObject) -> ManagedObjectID {
        ids[object.reference] ?? objectID(object.entity, object.reference)
    }

    /// The destination of a to-one relationship. Its object may have been deleted, if the delete rule is no action.
    func destination(
        of relationship: RelationshipDescription,
        _ object: FileObject
    ) throws(StoreFileError) -> ManagedObjectID? {
        guard let number = object.toOnes[relationship.slot] else { return nil }
        let entity = model.entity(named: relationship.relationship.destinationName)
        guard let found = ids[number] else {
            guard number > 0, number <= last else {
                throw .damaged("“\(relationship.name)” of \(object) has a reference that was never assigned.")
            }
            return entity.map { objectID($0, number) }
        }
        try requireKind(found, relationship, object)
        return found
    }

    func members(
        of relationship: RelationshipDescription,
        _ object: FileObject
    ) throws(StoreFileError) -> [ManagedObjectID] {
        var members: [ManagedObjectID] = []
        for number in object.toManys[relationship.slot] {
            guard let found = ids[number] else {
                throw .damaged(
                    "“\(relationship.name)” of \(object) refers to the object \(number), which doesn't exist."
                )
            }
            try requireKind(found, relationship, object)
            members.append(found)
        }
        return members
    }

    private func requireKind(
        _ found: ManagedObjectID,
        _ relationship: RelationshipDescription,
        _ object: FileObject
    ) throws(StoreFileError) {
        let entity = model.entity(named: relationship.relationship.destinationName)
        guard let entity, found.entity.isKind(of: entity) else {
            throw .damaged("“\(relationship.name)” of \(object) refers to a \(found.entity.name).")
        }
    }

    private func objectID(_ entity: EntityDescription, _ number: Int64) -> ManagedObjectID {
        ManagedObjectID(entity: entity, store: store, reference: .integer(number))
    }
}
