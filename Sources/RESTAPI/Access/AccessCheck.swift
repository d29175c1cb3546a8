// SPDX-License-Identifier: Apache-2.0

// Checks the changes of a write against the rules of an identity.

import AccessRules
import Identities
import JSON
import ObjectGraph
import ObjectModel
import Predicates

/// The changes of a context, as an identity makes them.
///
/// 1. All objects whose rows change are checked, also those that delete rules and inverse relationships change, and those
///    that the request names for a change.
/// 2. `where` is checked on the committed object and `check` on the object as it will be, by the same alternative.
/// 3. Properties that the request names must be writable, and those that are changed along with them: the to-one side of
///    a relationship, and the other side of a many-to-many one.
/// 4. Objects that the identity can't read aren't named.
struct AccessCheck {
    let access: Access
    let write: AppliedWrite

    private var context: ManagedObjectContext { write.context }
    private var catalogue: Catalogue { write.api.catalogue }

    init?(_ write: AppliedWrite) {
        guard let access = write.api.access else { return nil }
        self.access = access
        self.write = write
    }

    /// Throws if the identity may not make the changes.
    func run() throws {
        try context.processPendingChanges()
        var denied: [Problem.Detail] = []
        let evaluator = Evaluator.limited()
        denied += deniedProperties()
        for object in context.insertedObjects where try !access.permits(.create, on: object, with: evaluator) {
            denied.append(detail(.create, object))
        }
        for object in try substitutes() where try !access.permits(.update, on: object, with: evaluator) {
            throw Problem.taken
        }
        let named = Set(write.plan.writes.indices.compactMap { write.objects[$0]?.objectID })
        for object in context.updatedObjects where object.hasPersistentChangedValues {
            let changed = changedProperties(of: object)
            guard !changed.isEmpty || named.contains(object.objectID) else { continue }
            guard try access.permits(.update, on: object, with: evaluator) else {
                denied.append(detail(.update, object))
                continue
            }
            let members = changedMembers(of: object)
            denied += (changed + members).filter { !access.canWrite($0, of: object) }.map {
                detail($0, of: object)
            }
        }
        for object in try unchangedObjects(of: evaluator) { denied.append(detail(.update, object)) }
        for object in context.deletedObjects where try !access.permits(.delete, on: object, with: evaluator) {
            denied.append(detail(.delete, object))
        }
        guard !denied.isEmpty else { return }
        throw try problem(denied)
    }

    /// The objects that the request would change to what they are, and may not change.
    private func unchangedObjects(of evaluator: Evaluator) throws -> [ManagedObject] {
        try write.plan.writes.enumerated().compactMap { index, one in
            guard one.location != nil, !one.isDeletion, !one.changes.isEmpty, !write.dropped.contains(index),
                let object = write.objects[index], !object.hasPersistentChangedValues
            else { return nil }
            return try access.permits(.update, on: object, with: evaluator) ? nil : object
        }
    }

    /// The stored objects that are changed since new ones have their unique values.
    private func substitutes() throws -> [ManagedObject] {
        let stored = write.substitutes.compactMap { index, substitute -> ManagedObjectID? in
            guard case .stored(let objectID) = substitute, !write.dropped.contains(index) else { return nil }
            return objectID
        }
        return try context.existingObjects(with: stored).compactMap(\.self)
    }

    /// The names of changed properties that are in the object's row and aren't computed.
    private func changedProperties(of object: ManagedObject) -> [String] {
        object.changedValues.keys.sorted().filter { name in
            switch object.entity.property(named: name) {
            case .attribute(let attribute): !attribute.isDerived && !attribute.isTransient
            case .relationship(let relationship): !relationship.isToMany && !relationship.isTransient
            case .fetched, nil: false
            }
        }
    }

    // MARK: Properties

    /// The names of to-many relationships whose change is one of the object: those that the request names on it, and
    /// many-to-many ones.
    private func changedMembers(of object: ManagedObject) -> [String] {
        let changed = object.changedValues
        let named = write.plan.writes.indices.filter { write.objects[$0] === object }
            .flatMap { write.plan.writes[$0].changes.map(\.property.property.name) }
        return object.entity.toManys.filter { changed[$0.name] != nil }
            .filter { $0.inverse?.isToMany == true || named.contains($0.name) }.map(\.name)
    }

    /// The properties of new objects that the identity may not write: those that the request names, and relationships
    /// that others set. Values that a creation forces don't matter.
    private func deniedProperties() -> [Problem.Detail] {
        var details: [Problem.Detail] = []
        for (index, one) in write.plan.writes.enumerated() {
            guard let object = write.objects[index], object.isInserted else { continue }
            let forced = access.forcedValues(of: object.entity)
            let named = one.changes.map(\.property.property.name)
            let linked = object.entity.toOnes.filter { object.changedValues[$0.name] ?? .null != .null }.map(\.name)
            for name in named + linked.filter({ !named.contains($0) }) where forced[name] == nil {
                guard !access.canWrite(name, of: object.entity) else { continue }
                details.append(detail(name, of: object))
            }
        }
        return details
    }

    private func detail(_ property: String, of object: ManagedObject) -> Problem.Detail {
        let writes = write.objects.writes
        let change = writes[object.objectID].flatMap { index in
            write.plan.writes[index].changes.first { $0.property.property.name == property }
        }
        let name = catalogue[object.entity].name(ofProperty: property)
        return Problem.Detail(
            object: self.name(of: object),
            property: name,
            code: "forbidden",
            message: name.map { "“\($0)” can't be written." } ?? "Something else of it can't be written.",
            extras: change?.place.extras ?? JSONObject()
        )
    }

    // MARK: Problems

    private func detail(_ verb: AccessVerb, _ object: ManagedObject) -> Problem.Detail {
        let index = write.objects.writes[object.objectID]
        return Problem.Detail(
            object: name(of: object),
            code: "forbidden",
            message: message(verb),
            extras: index.map { write.plan.writes[$0].place.extras } ?? JSONObject()
        )
    }

    private func message(_ verb: AccessVerb) -> String {
        switch verb {
        case .read: "It can't be read."
        case .create: "It can't be created like this."
        case .update: "It can't be changed like this."
        case .delete: "It can't be deleted."
        }
    }

    private func name(of object: ManagedObject) -> String? {
        if !object.objectID.isTemporary { return catalogue.reference(to: object.objectID) }
        return write.objects.writes[object.objectID].map { write.plan.writes[$0].place.object }
            ?? catalogue[object.entity].name
    }

    /// The problem without the names of objects that can't be read.
    private func problem(_ details: [Problem.Detail]) throws -> Problem {
        let objects = (context.updatedObjects + context.deletedObjects).map(\.objectID)
        let rows = try write.api.narrowed(context.committedReader).snapshots(of: objects)
        let hidden = zip(objects, rows).filter { $0.1 == nil }.map { catalogue.reference(to: $0.0) }
        var problem = Problem(
            .forbidden,
            details.count == 1 && details[0].object.map { !hidden.contains($0) } == true
                ? "\(details[0].object ?? ""): \(details[0].message)" : "The access rules don't permit the changes."
        )
        // Their number isn't told either.
        let other = Problem.Detail(code: "forbidden", message: "Another object can't be changed or deleted.")
        problem.errors =
            OrderedMembers(
                details.map { detail in detail.object.map(hidden.contains) == true ? other : detail }
            ).members
        problem.omitErrors()
        return problem
    }
}

extension Problem {
    fileprivate static let taken = Problem(.unique, "Some values aren't unique.")
}
