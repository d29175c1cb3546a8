// SPDX-License-Identifier: Apache-2.0

// Finds contradictions within a body: the result of the save would depend on the order of its operations.

import ObjectGraph
import ObjectModel
import Predicates

extension AppliedWrite {
    /// Refuses operations that contradict each other, and different changes of an object that a body names several
    /// times.
    mutating func checkContradictions() {
        let isTransaction = if case .operations = plan.answer { true } else { false }
        guard isTransaction || plan.writes.count > 1 else { return }
        let changed = plan.writes.indices.compactMap { objects[$0]?.objectID }
        let named = Dictionary(changed.map { ($0, 1) }, uniquingKeysWith: +)
        var claims = WriteEffects()
        for (index, write) in plan.writes.enumerated() where !write.isDeletion && !dropped.contains(index) {
            guard let object = objects[index], isTransaction || named[object.objectID] != 1 else { continue }
            for change in write.changes {
                for claim in self.claims(of: change, on: object, isUpsert: isUpsert(index)) {
                    // Of several insertions that are one object the last one counts.
                    let isSame = { [plan, objects] (earlier: Int) in
                        write.isInsertion && plan.writes[earlier].isInsertion && objects[earlier] === object
                    }
                    guard let other = claims.add(claim, at: change.place, of: index, exceptBeside: isSame) else {
                        continue
                    }
                    findings.add(
                        .duplicate,
                        "“\(change.property.name)” of \(write.place.object.shortened) contradicts "
                            + "\(other.pointer).",
                        hint: "The order of a body's parts has no meaning; set each value only once.",
                        at: change.place
                    )
                }
            }
        }
    }

    private func claims(of write: PropertyWrite, on object: ManagedObject, isUpsert: Bool) -> [WriteEffect] {
        let name = write.property.property.name
        let relationship = write.property.relationship
        func memberships(_ members: [ManagedObject], isMember: Bool = true) -> [WriteEffect] {
            guard let relationship else { return [] }
            return members.flatMap { WriteEffect.memberships(of: $0, in: relationship, of: object, isMember: isMember) }
        }
        switch write.change {
        case .keep: return []
        case .value(let value): return [WriteEffect(object, path: [name], content: .value(value))]
        case .increment: return [WriteEffect(object, path: [name], content: .increment)]
        case .merge(let changes): return WriteEffect.elements(changes, of: object, at: [name])
        case .toOne(let reference):
            let destination = reference.flatMap { objects[$0] }
            guard reference == nil || destination != nil else { return [] }
            return [WriteEffect(object, path: [name], content: .object(destination?.objectID))]
                + memberships([destination].compactMap(\.self))
        case .members(let references):
            let members = references.compactMap { objects[$0] }
            if isUpsert, relationship?.inverse?.isToMany == false { return memberships(members) }
            return [WriteEffect(object, path: [name], content: .members(members.map(\.objectID)))]
                + memberships(members)
        case .edit(let edit):
            return memberships(edit.added.compactMap { objects[$0] })
                + memberships(edit.removed.compactMap { objects[$0] }, isMember: false)
                + (edit.moves.isEmpty ? [] : [WriteEffect(object, path: [name], content: .order)])
        }
    }
}

/// The effect of an operation on a part of an object.
private struct WriteEffect {
    enum Content: Equatable {
        case value(Value)
        case increment
        /// Sets some elements of a composite.
        case elements
        /// The destination of a to-one relationship.
        case object(ManagedObjectID?)
        /// All members of a to-many relationship.
        case members([ManagedObjectID])
        case membership(ManagedObjectID, Bool)
        case order
    }

    let object: ManagedObjectID
    /// A property, or an element within it.
    let path: [String]
    let content: Content

    init(_ object: ManagedObject, path: [String], content: Content) {
        self.object = object.objectID
        self.path = path
        self.content = content
    }

    static func elements(
        _ changes: [String: ElementChange],
        of object: ManagedObject,
        at path: [String]
    ) -> [WriteEffect] {
        changes.flatMap { name, change -> [WriteEffect] in
            switch change {
            case .value(let value): [WriteEffect(object, path: path + [name], content: .value(value))]
            case .increment: [WriteEffect(object, path: path + [name], content: .increment)]
            case .merge(let changes): elements(changes, of: object, at: path + [name])
            }
        } + [WriteEffect(object, path: path, content: .elements)]
    }

    /// The effect on both sides if an object becomes or stops being a member of a relationship.
    static func memberships(
        of member: ManagedObject,
        in relationship: RelationshipDescription,
        of owner: ManagedObject,
        isMember: Bool
    ) -> [WriteEffect] {
        let own = WriteEffect(owner, path: [relationship.name], content: .membership(member.objectID, isMember))
        guard let inverse = relationship.inverse else { return [own] }
        var claims = [own, WriteEffect(member, path: [inverse.name], content: .membership(owner.objectID, isMember))]
        if isMember, !inverse.isToMany {
            claims.append(WriteEffect(member, path: [inverse.name], content: .object(owner.objectID)))
        }
        return claims
    }

    func contradicts(_ other: WriteEffect) -> Bool {
        switch (content, other.content) {
        case (.increment, .increment), (.elements, .elements): false
        case (.membership(let object, let isMember), .membership(let another, let isAnother)):
            object == another && isMember != isAnother
        case (.membership(let object, let isMember), .object(let one)),
            (.object(let one), .membership(let object, let isMember)):
            (object == one) != isMember
        case (.membership(let object, let isMember), .members(let all)),
            (.members(let all), .membership(let object, let isMember)):
            all.contains(object) != isMember
        case (.membership, .order), (.order, .membership): false
        // The positions depend on which member is moved first.
        case (.order, .order): true
        default: content != other.content
        }
    }
}

/// The effects of all operations so far.
private struct WriteEffects {
    private struct Part: Hashable {
        let object: ManagedObjectID
        let path: [String]
    }

    private struct Entry {
        let claim: WriteEffect
        let place: BodyPosition
        let write: Int
    }

    private var entries: [Part: [Entry]] = [:]

    /// Adds a claim. Returns the place of a contradicting claim of another operation, or nil.
    mutating func add(
        _ claim: WriteEffect,
        at place: BodyPosition,
        of write: Int,
        exceptBeside isSame: (Int) -> Bool
    ) -> BodyPosition? {
        let part = Part(object: claim.object, path: claim.path)
        let other = entries[part]?.first { $0.write != write && $0.claim.contradicts(claim) && !isSame($0.write) }
        entries[part, default: []].append(Entry(claim: claim, place: place, write: write))
        return other?.place
    }
}
