// SPDX-License-Identifier: Apache-2.0

// Properties that were edited both here and by others whose changes were merged.

public import Predicates

/// The base values of an object's edits to properties that others have edited since.
struct ConflictBases {
    /// The base values of a property's edits, across merges. A property that is set back to one of them isn't edited.
    struct Bases<Value: Equatable> {
        var values: [Value]
        /// Whether the property was set after the latest conflicting merge.
        var isDecided = false

        mutating func add(_ value: Value) {
            if isDecided || values.isEmpty { values = [value] }
            isDecided = false
        }

        /// Records that a value was chosen. From then on a former base value is an edit like any other.
        mutating func decide(_ value: Value) {
            values.removeAll { $0 == value }
            isDecided = true
        }
    }

    var attributes: [Int: Bases<Value>] = [:]
    var toOnes: [Int: Bases<ManagedObjectID?>] = [:]

    var isEmpty: Bool { attributes.isEmpty && toOnes.isEmpty }

    /// The properties that are back at one of their base values, as after undo, and so are no longer edited.
    func reset(in object: ManagedObject) -> (attributes: Set<Int>, toOnes: Set<Int>)? {
        guard object.isUpdated, !object.isFault, let committed = object.snapshot?.row else { return nil }
        let attributes = attributes.filter { slot, bases in
            let value = object.row.attributes[slot]
            return bases.values.contains(value) && committed.attributes[slot] != value
        }
        let toOnes = toOnes.filter { slot, bases in
            let own = object.row.toOnes[slot]
            let theirs = committed.toOnes[slot]
            guard bases.values.contains(own), theirs != own else { return false }
            // If it is nil because of another object's change, the object has no edit of its own to drop.
            let relationship = object.entity.toOnes[slot]
            return own != nil || !object.confinement.context.follows(from: theirs, relationship)
        }
        return attributes.isEmpty && toOnes.isEmpty ? nil : (Set(attributes.keys), Set(toOnes.keys))
    }
}

/// A property of an object that was edited both here and by others.
public struct EditConflict: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case attribute(Predicates.Value)
        case toOne(ManagedObjectID?)
    }

    public let property: PropertyDescription
    /// The value that both edits are based on.
    public let base: Value
}

extension ManagedObjectContext {
    /// The properties of an object that are edited here and were edited by others since, if merges move the base. A
    /// conflict ends when the property is set again or is no longer edited.
    public func editConflicts(of object: ManagedObject) -> [EditConflict] {
        confinement.check()
        guard object.isUpdated, !object.isFault, let values = pending.contested[object.objectID],
            let committed = object.snapshot?.row
        else { return [] }
        let attributes = object.entity.attributes.compactMap { attribute -> EditConflict? in
            guard let bases = values.attributes[attribute.slot], !bases.isDecided, let base = bases.values.last,
                object.row.attributes[attribute.slot] != committed.attributes[attribute.slot]
            else { return nil }
            return EditConflict(property: .attribute(attribute), base: .attribute(base))
        }
        let toOnes = object.entity.toOnes.compactMap { relationship -> EditConflict? in
            guard let bases = values.toOnes[relationship.slot], !bases.isDecided, let base = bases.values.last,
                object.row.toOnes[relationship.slot] != committed.toOnes[relationship.slot]
            else { return nil }
            return EditConflict(property: .relationship(relationship), base: .toOne(base))
        }
        return attributes + toOnes
    }

    /// Marks a property's conflict as resolved in favor of its present value.
    public func resolveEditConflict(of property: PropertyDescription, of object: ManagedObject) {
        confinement.check()
        switch property {
        case .attribute(let attribute): resolveEditConflict(of: object, attribute: attribute.slot)
        case .relationship(let relationship) where !relationship.isToMany:
            resolveEditConflict(of: object, toOne: relationship.slot)
        case .relationship, .fetched: return
        }
    }

    func resolveEditConflict(of object: ManagedObject, attribute slot: Int) {
        guard !object.isFault else { return }
        pending.contested[object.objectID]?.attributes[slot]?.decide(object.row.attributes[slot])
    }

    func resolveEditConflict(of object: ManagedObject, toOne slot: Int) {
        guard !object.isFault else { return }
        pending.contested[object.objectID]?.toOnes[slot]?.decide(object.row.toOnes[slot])
    }

    /// Records the base values of edited properties that others have edited too.
    func recordEditConflict(of object: ManagedObject, base: Row, stored: Row) {
        var values = pending.contested[object.objectID] ?? ConflictBases()
        for slot in base.attributes.indices where object.entity.attributes[slot].isPersistent {
            let own = object.row.attributes[slot]
            let theirs = stored.attributes[slot]
            let before = base.attributes[slot]
            guard own != theirs, own != before, theirs != before else { continue }
            values.attributes[slot, default: .init(values: [])].add(before)
        }
        for slot in base.toOnes.indices {
            let own = object.row.toOnes[slot]
            let theirs = stored.toOnes[slot]
            let before = base.toOnes[slot]
            guard own != theirs, own != before, theirs != before else { continue }
            values.toOnes[slot, default: .init(values: [])].add(before)
        }
        pending.contested[object.objectID] = values.isEmpty ? nil : values
    }
}
