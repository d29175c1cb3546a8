// SPDX-License-Identifier: Apache-2.0

// What a plan does to the properties of one object.

import FoundationEssentials
import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates

extension WriteAttempt {
    func apply(_ index: Int) throws {
        let write = plan.writes[index]
        guard let object = objects[index], !write.isDeletion else { return }
        if case .replace = write.action { try clear(object, but: Set(write.changes.map(\.property))) }
        for change in write.changes {
            guard object.entity.property(named: change.property.property.name) == change.property.property else {
                findings.add(
                    .unknown,
                    "\(object.entity.name) has no property “\(change.property.name)”.",
                    hint: api.catalogue[object.entity].hint(for: change.property.name),
                    at: change.place
                )
                continue
            }
            try noting(at: change.place) { () throws(GraphError) in try apply(change, to: object) }
            if isDraft { context.settleContest(of: change.property.property, of: object) }
        }
    }

    /// Gives what isn't named its default; relationships to many stay.
    private func clear(_ object: ManagedObject, but named: Set<ResourceProperty>) throws {
        for property in api.catalogue[object.entity].properties where !named.contains(property) {
            if let attribute = property.attribute, !attribute.isDerived {
                try object.setValue(attribute.attribute.defaultValue ?? .null, of: attribute)
            } else if let relationship = property.relationship, !relationship.isToMany {
                try object.setObject(nil, of: relationship)
            }
        }
    }

    /// Notes what the engine doesn't take, and lets everything else through.
    private func noting(at place: BodyPlace, _ body: () throws(GraphError) -> Void) throws {
        do throws(GraphError) {
            try body()
        } catch {
            guard [.wrongType, .notWritable, .invalidRequest, .acrossStores].contains(error.code) else { throw error }
            findings.add(.type, error.message, hint: error.hint, at: place)
        }
    }

    private func apply(_ write: PropertyWrite, to object: ManagedObject) throws(GraphError) {
        switch write.change {
        case .keep: break
        case .value(let value):
            guard let attribute = write.property.attribute else { return }
            try set(value, of: attribute, of: object, write)
        case .merge(let changes):
            guard let attribute = write.property.attribute else { return }
            guard let merged = changes.merged(over: try object.value(of: attribute), of: attribute) else {
                findings.add(.range, "A sum doesn't fit \(write.property.name).", at: write.place)
                return
            }
            try set(merged, of: attribute, of: object, write)
        case .increment(let amount):
            guard let attribute = write.property.attribute else { return }
            if let sum = try object.value(of: attribute).adding(amount, for: attribute) {
                try object.setValue(sum, of: attribute)
            } else {
                findings.add(.range, "The sum doesn't fit \(write.property.name).", at: write.place)
            }
        case .toOne(let reference):
            guard let relationship = write.property.relationship else { return }
            guard let reference else { return try object.setObject(nil, of: relationship) }
            guard let destination = destination(reference, relationship) else { return }
            try object.setObject(destination, of: relationship)
        case .members(let references):
            guard let relationship = write.property.relationship else { return }
            let members = references.compactMap { destination($0, relationship) }
            if members.count == references.count { try object.setObjects(members, of: relationship) }
        case .edit(let edit):
            guard let relationship = write.property.relationship else { return }
            try apply(edit, to: relationship, of: object, write)
        }
    }

    /// Sets a value, unless it is how the present one is shown.
    private func set(
        _ value: Value,
        of attribute: AttributeDescription,
        of object: ManagedObject,
        _ write: PropertyWrite
    ) throws(GraphError) {
        if let value = attribute.value(value, inPlaceOf: try object.value(of: attribute)) {
            try object.setValue(value, of: attribute)
        } else {
            findings.add(.type, attribute.takesBytes(write.property.name), at: write.place)
        }
    }

    private func apply(
        _ edit: MembersEdit,
        to relationship: RelationshipDescription,
        of object: ManagedObject,
        _ write: PropertyWrite
    ) throws(GraphError) {
        func found(_ references: [Reference]) -> [(reference: Reference, object: ManagedObject)] {
            references.compactMap { reference in
                destination(reference, relationship, isOfPath: edit.isOfPath).map { (reference, $0) }
            }
        }
        let (removed, added) = (found(edit.removed), found(edit.added))
        let present = try presentMembers((removed + added).map(\.object), relationship, of: object)
        for (reference, member) in removed {
            if !edit.isOfPath, present?.contains(member.objectID) == false { continue }
            if edit.isOfPath, try !object.contains(member, in: relationship) {
                refusal = .noMember(reference, relationship)
                continue
            }
            try object.remove(member, from: relationship)
        }
        for (_, member) in added where present?.contains(member.objectID) != true {
            try object.add(member, to: relationship)
        }
        for move in edit.moves {
            try WorkLimits.check()
            guard let member = destination(move.member, relationship, isOfPath: edit.isOfPath) else { continue }
            try apply(move, member, to: relationship, of: object, isOfPath: edit.isOfPath)
        }
    }

    /// Those of some objects that are members already, where a draft would else show what is no change: the context itself finds that
    /// out only when it reads all members. Nil where nobody needs to know.
    private func presentMembers(
        _ objects: [ManagedObject],
        _ relationship: RelationshipDescription,
        of object: ManagedObject
    ) throws(GraphError) -> Set<ManagedObjectID>? {
        guard isDraft, relationship.isManyToMany, !object.isInserted, !objects.isEmpty else { return nil }
        let named = ObjectExpression.constant(.array(objects.map(\.objectID.value)))
        let among = RelatedRequest(predicate: .comparing(.evaluatedObject, .in, named))
        return Set(
            try context.related(along: relationship, owners: [object.objectID], matching: among).members.joined()
        )
    }

    private func apply(
        _ move: MembersEdit.Move,
        _ member: ManagedObject,
        to relationship: RelationshipDescription,
        of object: ManagedObject,
        isOfPath: Bool
    ) throws(GraphError) {
        var members = try object.objects(of: relationship)
        guard let place = members.firstIndex(where: { $0 === member }) else {
            findings.add(.reference, "It is no member, and can't be moved.", at: move.member.place)
            return
        }
        guard move.index < members.count else {
            let message = "There is no place \(move.index) among \(members.count) members, which count from 0."
            findings.add(.range, message, at: move.member.place)
            if isOfPath { refusal = Problem(.parameter, message) }
            return
        }
        members.insert(members.remove(at: place), at: move.index)
        try object.setObjects(members, of: relationship)
    }

    /// The object of a reference, if the relationship can lead to it.
    private func destination(
        _ reference: Reference,
        _ relationship: RelationshipDescription,
        isOfPath: Bool = false
    ) -> ManagedObject? {
        guard let object = object(of: reference) else {
            if isOfPath { refusal = .noMember(reference, relationship) }
            return nil
        }
        let wanted = api.catalogue.model.destination(of: relationship)
        guard object.entity.isKind(of: wanted) else {
            let message = "It is a \(object.entity.name), where a \(wanted.name) is expected."
            findings.add(.reference, message, at: reference.place)
            return nil
        }
        return object
    }
}

extension Problem {
    /// A path names a member that isn't there.
    fileprivate static func noMember(_ reference: Reference, _ relationship: RelationshipDescription) -> Problem {
        guard case .stored(let location) = reference.target else {
            return Problem(.notFound, "There is no such member.")
        }
        return Problem(.notFound, "There is no \(location.name.shortened) in \(relationship.name).")
    }
}
