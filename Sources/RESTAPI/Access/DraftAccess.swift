// SPDX-License-Identifier: Apache-2.0

// The rules for changes in drafts.

import AccessRules
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// Checks pending changes against the rules of an identity.
///
/// Each request in a draft is judged by the rules of the identity that sends it, and the save of all pending changes by
/// those of the identity that saves. Values that were changed are those that differ from the committed ones.
struct DraftAccess {
    let access: Access
    let api: API
    let context: ManagedObjectContext

    /// Nil if everything is permitted.
    init?(_ api: API, in context: ManagedObjectContext) {
        guard let access = api.access else { return nil }
        self.access = access
        self.api = api
        self.context = context
    }

    /// Sets the values that creations force, of the objects that a request has inserted.
    func forceValues(of inserted: [ManagedObject]) throws {
        for object in inserted {
            for (name, value) in access.forcedValues(of: object.entity) {
                switch object.entity.property(named: name) {
                case .attribute(let attribute): try object.setValue(attribute.accepting(value) ?? .null, of: attribute)
                case .relationship(let relationship):
                    let isUser = if case .reference = value { true } else { false }
                    let user = try isUser ? access.user.map(context.existingObject) : nil
                    try object.setObject(user, of: relationship)
                case .fetched, nil: break
                }
            }
        }
    }

    /// Throws if the request names a property that the identity may not write.
    func checkProperties(of write: AppliedWrite) throws {
        for (index, one) in write.plan.writes.enumerated() {
            guard let object = write.objects[index] else { continue }
            let forced = object.isInserted ? access.forcedValues(of: object.entity) : [:]
            for change in one.changes where forced[change.property.property.name] == nil {
                guard !access.canWrite(change.property.property.name, of: object.entity) else { continue }
                throw refusal(of: object, "“\(change.property.name)” can't be written.", at: change.place)
            }
        }
    }

    /// Throws if the identity may not make the changes.
    func check(_ touched: TouchedObjects) throws {
        let evaluator = Evaluator.limited()
        for object in touched.inserted + touched.updated where !object.isDeleted {
            let isNew = object.isInserted
            guard isNew || isChanged(object) else { continue }
            guard try access.permits(isNew ? .create : .update, on: object, with: evaluator) else {
                throw try refusal(
                    of: object,
                    isNew ? "It can't be created like this." : "It can't be changed like this."
                )
            }
            guard !isNew,
                let name = changedProperties(of: object).first(where: { !access.canWrite($0, of: object.entity) })
            else { continue }
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

    private func isChanged(_ object: ManagedObject) -> Bool { !changedProperties(of: object).isEmpty }

    /// The names of the properties that differ from the committed ones and are the object's to change.
    private func changedProperties(of object: ManagedObject) -> [String] {
        object.changedValues.keys.sorted().filter { name in
            switch object.entity.property(named: name) {
            case .attribute(let attribute): !attribute.isDerived && !attribute.isTransient
            case .relationship(let relationship):
                !relationship.isTransient && (!relationship.isToMany || relationship.inverse?.isToMany == true)
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
