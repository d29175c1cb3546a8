// SPDX-License-Identifier: Apache-2.0

// Checks the changes of a write against the rules of an identity.

import AccessRules
import Identities
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

    init?(_ write: AppliedWrite) {
        guard let access = write.api.access else { return nil }
        self.access = access
        self.write = write
    }

    /// Throws if the identity may not make the changes.
    func run() throws {
        try context.processPendingChanges()
        var denied: [AccessDenial] = []
        let evaluator = Evaluator.limited()
        denied += deniedProperties()
        for object in context.insertedObjects where try !access.permits(.create, on: object, with: evaluator) {
            denied.append(AccessDenial(.verb(.create), of: object))
        }
        for object in try substitutes() where try !access.permits(.update, on: object, with: evaluator) {
            throw Problem.taken
        }
        let named = namedProperties()
        for object in context.updatedObjects where object.hasPersistentChangedValues {
            let changed = changedProperties(of: object)
            let isUpdate = !changed.isEmpty || named[object.objectID] != nil
            if isUpdate, try !access.permits(.update, on: object, with: evaluator) {
                denied.append(AccessDenial(.verb(.update), of: object))
                continue
            }
            let members = changedMembers(of: object, naming: named[object.objectID] ?? [])
            denied += (changed + members).filter { !access.canWrite($0, of: object) }.map {
                AccessDenial(.property($0), of: object)
            }
        }
        denied += try unchangedObjects(of: evaluator).map { AccessDenial(.verb(.update), of: $0) }
        for object in context.deletedObjects where try !access.permits(.delete, on: object, with: evaluator) {
            denied.append(AccessDenial(.verb(.delete), of: object))
        }
        guard !denied.isEmpty else { return }
        throw try AccessRefusal(of: write, for: denied).problem()
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

    /// The names of the properties that the request names, by their objects.
    private func namedProperties() -> [ManagedObjectID: Set<String>] {
        var named: [ManagedObjectID: Set<String>] = [:]
        for (index, one) in write.plan.writes.enumerated() {
            guard let object = write.objects[index] else { continue }
            named[object.objectID, default: []].formUnion(one.changes.map(\.property.property.name))
        }
        return named
    }

    /// The names of to-many relationships whose change is one of the object: those that the request names on it, and
    /// many-to-many ones.
    private func changedMembers(of object: ManagedObject, naming named: Set<String>) -> [String] {
        let changed = object.changedValues
        return object.entity.toManys.filter { changed[$0.name] != nil }
            .filter { named.contains($0.name) || isRelinked($0, of: object) }.map(\.name)
    }

    /// Whether a many-to-many relationship has other members, apart from those that are deleted.
    private func isRelinked(_ relationship: RelationshipDescription, of object: ManagedObject) -> Bool {
        guard relationship.inverse?.isToMany == true else { return false }
        let change = object.changedMembers(of: relationship)
        return (change.added + change.removed).contains { context.registeredObject(for: $0)?.isDeleted != true }
    }

    /// The properties of new objects that the identity may not write: those that the request names, and relationships
    /// that others set. Values that a creation forces don't matter.
    private func deniedProperties() -> [AccessDenial] {
        var denied: [AccessDenial] = []
        for (index, one) in write.plan.writes.enumerated() {
            guard let object = write.objects[index], object.isInserted else { continue }
            let forced = access.forcedValues(of: object.entity)
            let named = one.changes.map(\.property.property.name)
            let linked =
                object.entity.toOnes.filter { object.changedValues[$0.name] ?? .null != .null }.map(\.name)
                + object.entity.toManys.filter { isRelinked($0, of: object) }.map(\.name)
            for name in named + linked.filter({ !named.contains($0) }) where forced[name] == nil {
                guard !access.canWrite(name, of: object.entity) else { continue }
                denied.append(AccessDenial(.property(name), of: object))
            }
        }
        return denied
    }
}

extension Problem {
    fileprivate static let taken = Problem(.unique, "Some values aren't unique.")
}
