// SPDX-License-Identifier: Apache-2.0

// What was edited on both sides: here, and by others whose changes were merged.

public import Predicates

/// The values that an object's edits went out from, where others have edited the same.
struct ContestedValues {
    var attributes: [Int: Value] = [:]
    var toOnes: [Int: ManagedObjectID?] = [:]

    var isEmpty: Bool { attributes.isEmpty && toOnes.isEmpty }

    /// Those of the values that an object has again, as after undo; nil where there are none. Nothing was edited then.
    func reset(in object: ManagedObject) -> ContestedValues? {
        guard object.isUpdated, !object.isFault, let committed = object.snapshot?.row else { return nil }
        var reset = ContestedValues()
        reset.attributes = attributes.filter { slot, before in
            object.row.attributes[slot] == before && committed.attributes[slot] != before
        }
        reset.toOnes = toOnes.filter { slot, before in
            object.row.toOnes[slot] == before && committed.toOnes[slot] != before
        }
        return reset.isEmpty ? nil : reset
    }

    mutating func remove(_ others: ContestedValues) {
        for slot in others.attributes.keys { attributes[slot] = nil }
        for slot in others.toOnes.keys { toOnes.removeValue(forKey: slot) }
    }
}

/// A property of an object that was edited here and by others.
public struct Contest: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case attribute(Predicates.Value)
        case toOne(ManagedObjectID?)
    }

    public let property: PropertyDescription
    /// What both edits go out from.
    public let base: Value
}

extension ManagedObjectContext {
    /// The properties of an object that are edited here and were edited by others since, where merges move the base. It is over when
    /// the property is set anew, or isn't edited any more.
    public func contests(of object: ManagedObject) -> [Contest] {
        confinement.check()
        guard object.isUpdated, !object.isFault, let values = contested[object.objectID],
            let committed = object.snapshot?.row
        else { return [] }
        let attributes = object.entity.attributes.compactMap { attribute -> Contest? in
            guard let base = values.attributes[attribute.slot],
                object.row.attributes[attribute.slot] != committed.attributes[attribute.slot]
            else { return nil }
            return Contest(property: .attribute(attribute), base: .attribute(base))
        }
        let toOnes = object.entity.toOnes.compactMap { relationship -> Contest? in
            guard let base = values.toOnes[relationship.slot],
                object.row.toOnes[relationship.slot] != committed.toOnes[relationship.slot]
            else { return nil }
            return Contest(property: .relationship(relationship), base: .toOne(base))
        }
        return attributes + toOnes
    }

    /// Counts what an object's property is as decided, whatever others have made of it.
    public func settleContest(of property: PropertyDescription, of object: ManagedObject) {
        confinement.check()
        guard var values = contested[object.objectID] else { return }
        switch property {
        case .attribute(let attribute): values.attributes[attribute.slot] = nil
        case .relationship(let relationship) where !relationship.isToMany: values.toOnes[relationship.slot] = nil
        case .relationship, .fetched: return
        }
        contested[object.objectID] = values.isEmpty ? nil : values
    }

    /// Notes what an object's edits go out from that others have edited too. What is noted already is from earlier.
    func noteContest(of object: ManagedObject, _ base: Row, _ stored: Row) {
        var values = contested[object.objectID] ?? ContestedValues()
        for slot in base.attributes.indices where object.entity.attributes[slot].isPersistent {
            let (own, theirs, before) = (object.row.attributes[slot], stored.attributes[slot], base.attributes[slot])
            guard own != theirs, own != before, theirs != before, values.attributes[slot] == nil else { continue }
            values.attributes[slot] = before
        }
        for slot in base.toOnes.indices {
            let (own, theirs, before) = (object.row.toOnes[slot], stored.toOnes[slot], base.toOnes[slot])
            guard own != theirs, own != before, theirs != before, values.toOnes[slot] == nil else { continue }
            values.toOnes.updateValue(before, forKey: slot)
        }
        contested[object.objectID] = values.isEmpty ? nil : values
    }
}
