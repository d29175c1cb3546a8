// SPDX-License-Identifier: Apache-2.0

// The rules for changes in drafts.

import AccessRules
import Basics
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// Checks pending changes against the rules of an identity.
///
/// 1. Each request in a draft is judged by the rules of the identity that sends it, and the save of all pending changes by
///    those of the identity that saves: before it, and again on the rows that it has merged.
/// 2. Values that were changed are those that differ from the committed ones.
/// 3. A change of a many-to-many relationship is one of both sides: it is permitted if that of either is.
/// 4. Values that creations have forced stay as they are until the save.
struct DraftAccess {
    let access: Access
    private let api: API
    private let context: ManagedObjectContext
    /// The values that creations have forced, of the objects that were pending before the request.
    private let forced: [ManagedObject: [String: Value]]

    /// Nil if everything is permitted.
    init?(_ api: API, in context: ManagedObjectContext) {
        guard let access = api.access else { return nil }
        self.access = access
        self.api = api
        self.context = context
        let objects = context.insertedObjects.filter { !access.forcedValues(of: $0.entity).isEmpty }
        forced = Dictionary(keepingFirst: objects.map { ($0, $0.values(of: access.forcedValues(of: $0.entity).keys)) })
    }

    /// Throws if the request names an object that the identity may not change, or a property that it may not write.
    func check(_ write: AppliedWrite) throws {
        let evaluator = Evaluator.limited()
        for (index, one) in write.plan.writes.enumerated() where !one.changes.isEmpty {
            guard let object = write.objects[index], !object.isDeleted else { continue }
            guard try object.isInserted || access.permits(.update, on: object, with: evaluator) else {
                throw try refusal(of: object, "It can't be changed like this.")
            }
            let isForced = { access.forcedValues(of: object.entity)[$0] != nil && object.isInserted }
            for change in one.changes where !isForced(change.property.property.name) {
                guard !access.canWrite(change.property.property.name, of: object.entity) else { continue }
                throw refusal(of: object, "“\(change.property.name)” can't be written.", at: change.place)
            }
        }
        for (object, values) in forced where !object.isDeleted && object.values(of: values.keys) != values {
            throw try refusal(of: object, "What its creation has set can't be changed before it is saved.")
        }
    }

    /// Throws if the identity may not make the changes that are pending.
    func check() throws { try check(TouchedObjects(pendingIn: context)) }

    /// Throws if the identity may not make the changes.
    func check(_ touched: TouchedObjects) throws {
        let evaluator = Evaluator.limited()
        for object in touched.inserted + touched.updated where !object.isDeleted {
            let changed = changedProperties(of: object)
            if object.isInserted {
                guard try access.permits(.create, on: object, with: evaluator) else {
                    throw try refusal(of: object, "It can't be created like this.")
                }
            } else if !changed.isEmpty {
                guard try permitsUpdate(of: object, changing: changed, evaluator) else {
                    throw try refusal(of: object, "It can't be changed like this.")
                }
            }
            guard let name = changed.first(where: { !access.canWrite($0, of: object) }) else { continue }
            let shown = api.catalogue[object.entity].name(ofProperty: name)
            throw try refusal(
                of: object,
                shown.map { "“\($0)” can't be written." } ?? "Something of it can't be written."
            )
        }
        for object in touched.deleted where !object.objectID.isTemporary {
            guard try !access.permits(.delete, on: object, with: evaluator) else { continue }
            throw try refusal(of: object, "It can't be deleted.")
        }
    }

    /// Whether the identity may change an object, or, if only many-to-many relationships have changed, the other sides.
    private func permitsUpdate(
        of object: ManagedObject,
        changing changed: [String],
        _ evaluator: Evaluator
    ) throws -> Bool {
        if try access.permits(.update, on: object, with: evaluator) { return true }
        return try changed.allSatisfy { name in
            guard let relationship = object.entity.relationship(named: name), relationship.inverse?.isToMany == true,
                relationship.isToMany
            else { return false }
            let change = object.changedMembers(of: relationship)
            guard !change.isReordered else { return false }
            return try (change.added + change.removed).map(context.object).allSatisfy { member in
                try member.isDeleted || member.isInserted || access.permits(.update, on: member, with: evaluator)
            }
        }
    }

    /// The names of the properties that differ from the committed ones and are the object's to change; of a new object,
    /// relationships that others may have set.
    private func changedProperties(of object: ManagedObject) -> [String] {
        let forced = object.isInserted ? access.forcedValues(of: object.entity) : [:]
        return object.changedValues.filter { $0.value != .null && forced[$0.key] == nil || !object.isInserted }.keys
            .sorted()
            .filter { name in
                switch object.entity.property(named: name) {
                case .attribute(let attribute):
                    !object.isInserted && !attribute.isDerived && !attribute.isTransient
                case .relationship(let relationship) where relationship.isToMany:
                    relationship.inverse?.isToMany ?? true || object.changedMembers(of: relationship).isReordered
                case .relationship(let relationship): !relationship.isTransient
                case .fetched, nil: false
                }
            }
    }

    private func refusal(of object: ManagedObject, _ message: String) throws -> Problem {
        let isKnown =
            try object.objectID.isTemporary
            || api.narrowed(context.committedReader).snapshots(of: [object.objectID])[0] != nil
        return refusal(of: isKnown ? object : nil, message, at: nil)
    }

    private func refusal(of object: ManagedObject?, _ message: String, at place: BodyPosition?) -> Problem {
        let name = object.map { api.catalogue.reference(to: $0.objectID) }
        var problem = Problem(
            .forbidden,
            name.map { "\($0): \(message)" } ?? "The access rules don't permit a change of another object."
        )
        problem.errors = [
            Problem.Detail(
                object: name,
                code: "forbidden",
                message: name == nil ? "Another object can't be changed or deleted." : message,
                extras: place?.extras ?? [:]
            )
        ]
        return problem
    }
}

extension ManagedObject {
    /// The present values of some properties that differ from those of a new object.
    fileprivate func values(of names: some Sequence<String>) -> [String: Value] {
        let changed = changedValues
        return Dictionary(keepingFirst: names.compactMap { name in changed[name].map { (name, $0) } })
    }
}
