// SPDX-License-Identifier: Apache-2.0

// Applies a plan to the properties of one object.

import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension AppliedWrite {
    mutating func apply(_ index: Int) throws {
        let write = plan.writes[index]
        guard let object = objects[index], !write.isDeletion else { return }
        let kept = keptProperties[index] ?? []
        if case .replace = write.action { try clear(object, except: Set(write.changes.map(\.property)), kept) }
        for change in write.changes where !kept.contains(change.property.property.name) {
            guard object.entity.property(named: change.property.property.name) == change.property.property else {
                findings.add(
                    .unknown,
                    "\(api.catalogue[object.entity].name) has no property “\(change.property.name)”.",
                    hint: api.catalogue[object.entity].hint(for: change.property.name),
                    at: change.place
                )
                continue
            }
            do throws(GraphError) {
                try apply(change, to: object, isUpsert: isUpsert(index))
            } catch {
                guard [.wrongType, .notWritable, .invalidRequest, .acrossStores].contains(error.code) else {
                    throw error
                }
                findings.add(.type, error.message, hint: error.hint, at: change.place)
            }
            context.resolveEditConflict(of: change.property.property, of: object)
        }
        try setServerValues(of: write, to: object, kept)
    }

    /// Sets the values that the server gives itself. The object may have another entity than the body names, or than the
    /// path if its unique values are those of the body.
    private mutating func setServerValues(of write: ObjectWrite, to object: ManagedObject, _ kept: Set<String>) throws {
        for (attribute, value) in write.serverValues where !kept.contains(attribute.name) {
            guard object.entity.property(named: attribute.name) == .attribute(attribute) else {
                findings.add(
                    .unknown,
                    "\(api.catalogue[object.entity].name) has no property “\(attribute.name)”.",
                    at: write.password?.place ?? write.place
                )
                continue
            }
            try object.setValue(value, of: attribute)
        }
    }

    /// Sets properties that the body doesn't name to their defaults, except to-many relationships.
    private func clear(_ object: ManagedObject, except named: Set<ResourceProperty>, _ kept: Set<String>) throws {
        for property in api.catalogue[object.entity].properties where !named.contains(property) {
            let name = property.property.name
            // An identity replaces what it may write.
            if kept.contains(name) || api.access?.canWrite(name, of: object.entity) == false { continue }
            if let attribute = property.attribute, !attribute.isDerived {
                try object.setValue(attribute.attribute.defaultValue ?? .null, of: attribute)
            } else if let relationship = property.relationship, !relationship.isToMany,
                try !showsNull(relationship, of: object)
            {
                try object.setObject(nil, of: relationship)
            }
        }
    }

    /// Whether an insertion changes a stored object.
    func isUpsert(_ index: Int) -> Bool {
        if case .stored? = substitutes[index] { true } else { false }
    }

    private mutating func apply(
        _ write: PropertyWrite,
        to object: ManagedObject,
        isUpsert: Bool
    ) throws(GraphError) {
        if let attribute = write.property.attribute {
            try apply(write, to: attribute, of: object)
        } else if let relationship = write.property.relationship {
            try apply(write, to: relationship, of: object, isUpsert: isUpsert)
        }
    }

    private mutating func apply(
        _ write: PropertyWrite,
        to attribute: AttributeDescription,
        of object: ManagedObject
    ) throws(GraphError) {
        switch write.change {
        case .value(let value): try set(value, of: attribute, of: object, by: write)
        case .merge(let changes):
            guard let merged = changes.merged(over: try object.value(of: attribute), of: attribute) else {
                return findings.add(.range, "A sum is out of range for \(write.property.name).", at: write.place)
            }
            try set(merged, of: attribute, of: object, by: write)
        case .increment(let amount):
            let present = write.property.shown(try object.value(of: attribute))
            guard let sum = present.adding(amount, for: attribute) else {
                return findings.add(.range, "The sum is out of range for \(write.property.name).", at: write.place)
            }
            try object.setValue(sum, of: attribute)
        case .keep, .toOne, .members, .edit: break
        }
    }

    /// Sets a value, unless the present one is shown alike.
    private mutating func set(
        _ value: Value,
        of attribute: AttributeDescription,
        of object: ManagedObject,
        by write: PropertyWrite
    ) throws(GraphError) {
        let present = try object.value(of: attribute)
        if present == .null, !object.isInserted, let shown = write.property.shownForNull,
            attribute.value(value, inPlaceOf: shown) == shown
        {
            return
        }
        guard let value = attribute.value(value, inPlaceOf: present) else {
            return findings.add(.type, attribute.bytesMessage(write.property.name), at: write.place)
        }
        try object.setValue(value, of: attribute)
    }

    private mutating func apply(
        _ write: PropertyWrite,
        to relationship: RelationshipDescription,
        of object: ManagedObject,
        isUpsert: Bool
    ) throws(GraphError) {
        switch write.change {
        case .toOne(nil):
            if try !showsNull(relationship, of: object) { try object.setObject(nil, of: relationship) }
        case .toOne(let reference?):
            guard let destination = destination(of: reference, along: relationship) else { return }
            try object.setObject(destination, of: relationship)
        case .members(let references):
            let members = references.compactMap { destination(of: $0, along: relationship) }
            guard members.count == references.count else { return }
            // As if a new object had been saved and found the stored one: its members refer to that then.
            if isUpsert, relationship.inverse?.isToMany == false {
                for member in members { try object.add(member, to: relationship) }
            } else {
                let all = try keepingHidden(members, of: relationship, of: object)
                try object.setObjects(all, of: relationship)
            }
        case .edit(let edit): try apply(edit, to: relationship, of: object)
        case .keep, .value, .merge, .increment: break
        }
    }

    private mutating func apply(
        _ edit: MembersEdit,
        to relationship: RelationshipDescription,
        of object: ManagedObject
    ) throws(GraphError) {
        let isFromPath = edit.isFromPath
        let removed = edit.removed.compactMap { destination(of: $0, along: relationship, isFromPath: isFromPath) }
        let added = edit.added.compactMap { destination(of: $0, along: relationship, isFromPath: isFromPath) }
        let present = try currentMembers(among: removed + added, of: relationship, of: object)
        for member in removed {
            if isFromPath, try !object.contains(member, in: relationship) {
                refusal = .noMember(edit.removed[0], of: relationship)
            } else if isFromPath || present?.contains(member.objectID) != false {
                try object.remove(member, from: relationship)
            }
        }
        for member in added where present?.contains(member.objectID) != true {
            try object.add(member, to: relationship)
        }
        for move in edit.moves {
            try WorkLimits.check()
            guard let member = destination(of: move.member, along: relationship, isFromPath: isFromPath) else {
                continue
            }
            try apply(move, of: member, in: relationship, of: object, isFromPath: isFromPath)
        }
    }

    /// The objects that are members already. Adding these would show as a change in a draft, since the context
    /// recognises members only after it has read all of them. Nil if that doesn't matter.
    private func currentMembers(
        among objects: [ManagedObject],
        of relationship: RelationshipDescription,
        of owner: ManagedObject
    ) throws(GraphError) -> Set<ManagedObjectID>? {
        guard api.isOfContext, relationship.isManyToMany, !owner.isInserted, !objects.isEmpty else { return nil }
        let named = ObjectExpression.constant(.array(objects.map(\.objectID.value)))
        let among = RelatedRequest(predicate: .comparing(.evaluatedObject, .in, named))
        return Set(try context.related(along: relationship, owners: [owner.objectID], matching: among).members.joined())
    }

    private mutating func apply(
        _ move: MembersEdit.Move,
        of member: ManagedObject,
        in relationship: RelationshipDescription,
        of object: ManagedObject,
        isFromPath: Bool
    ) throws(GraphError) {
        var members = try object.objects(of: relationship)
        guard let place = members.firstIndex(where: { $0 === member }) else {
            return findings.add(.reference, "It isn't a member, so it can't be moved.", at: move.member.place)
        }
        let shown = try shownMembers(members, of: relationship)
        guard move.index < shown.count else {
            let message = "The index \(move.index) is out of range; there are \(shown.count) members, counted from 0."
            findings.add(.range, message, at: move.member.place)
            if isFromPath { refusal = Problem(.parameter, message) }
            return
        }
        if shown.count == members.count {
            members.insert(members.remove(at: place), at: move.index)
        } else {
            let others = shown.filter { $0 !== member }
            members.remove(at: place)
            let next = others.dropFirst(move.index).first.flatMap { next in members.firstIndex { $0 === next } }
            members.insert(member, at: next ?? members.count)
        }
        try object.setObjects(members, of: relationship)
    }

    /// The object of a reference, if the relationship can refer to it.
    private mutating func destination(
        of reference: Reference,
        along relationship: RelationshipDescription,
        isFromPath: Bool = false
    ) -> ManagedObject? {
        guard let object = objects[reference] else {
            if isFromPath { refusal = .noMember(reference, of: relationship) }
            return nil
        }
        let wanted = api.catalogue.model.destination(of: relationship)
        guard object.entity.isKind(of: wanted) else {
            let actual = api.catalogue[object.entity].name.withArticle
            let message = "It is \(actual), but \(api.catalogue[wanted].name.withArticle) is expected."
            findings.add(.reference, message, at: reference.place)
            return nil
        }
        return object
    }
}

extension Problem {
    /// The problem with a path that names a missing member.
    fileprivate static func noMember(_ reference: Reference, of relationship: RelationshipDescription) -> Problem {
        guard case .stored(let location) = reference.target else {
            return Problem(.notFound, "There is no such member.")
        }
        return Problem(
            .notFound,
            "\(reference.place.property ?? relationship.name) doesn't contain \(location.name.shortened)."
        )
    }
}
