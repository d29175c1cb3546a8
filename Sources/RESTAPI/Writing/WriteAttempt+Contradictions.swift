// SPDX-License-Identifier: Apache-2.0

// Parts of one body that say different things of the same: what was saved would depend on their order.

import ObjectGraph
import ObjectModel
import Predicates

extension WriteAttempt {
    /// Refuses operations that contradict each other, and different changes of one object that a body names several times.
    func checkContradictions() {
        let isTransaction = if case .operations = plan.answer { true } else { false }
        let named = Dictionary(objects.compactMap { $0.map { ($0.objectID, 1) } }, uniquingKeysWith: +)
        var claims = Claims()
        for (index, write) in plan.writes.enumerated() where !write.isDeletion && substitutes[index] == nil {
            guard let object = objects[index], isTransaction || named[object.objectID] != 1 else { continue }
            for change in write.changes {
                for claim in said(by: change, of: object) {
                    guard let other = claims.add(claim, change.place, of: index) else { continue }
                    findings.add(
                        .duplicate,
                        "“\(change.property.name)” of \(write.place.object.shortened) is said to be something else at "
                            + "\(other.pointer).",
                        hint: "The parts of a body have no order; say each thing once.",
                        at: change.place
                    )
                }
            }
        }
    }

    /// Refuses to relate objects to what another operation of the transaction deletes.
    func checkRelatingToDeleted() {
        for write in plan.writes where !write.isDeletion {
            for change in write.changes {
                for reference in change.change.put where object(of: reference)?.isDeleted == true {
                    findings.add(
                        .reference,
                        "\(reference.words) is put into “\(change.property.name)” here, and deleted by the same transaction.",
                        at: reference.place
                    )
                }
            }
        }
    }

    private func said(by write: PropertyWrite, of object: ManagedObject) -> [Claim] {
        let name = write.property.property.name
        switch write.change {
        case .keep: return []
        case .value(let value): return [Claim(object, [name], .value(value))]
        case .increment: return [Claim(object, [name], .increment)]
        case .merge(let changes): return elements(changes, of: object, [name])
        case .toOne(let reference):
            guard let relationship = write.property.relationship else { return [] }
            let destination = reference.flatMap(object(of:))
            guard reference == nil || destination != nil else { return [] }
            return [Claim(object, [name], .object(destination?.objectID))]
                + (destination.map { memberships(of: $0, in: relationship, of: object, true) } ?? [])
        case .members(let references):
            guard let relationship = write.property.relationship else { return [] }
            let members = references.compactMap(object(of:))
            return [Claim(object, [name], .members(members.map(\.objectID)))]
                + members.flatMap { memberships(of: $0, in: relationship, of: object, true) }
        case .edit(let edit):
            guard let relationship = write.property.relationship else { return [] }
            return edit.added.compactMap(object(of:)).flatMap {
                memberships(of: $0, in: relationship, of: object, true)
            }
                + edit.removed.compactMap(object(of:)).flatMap {
                    memberships(of: $0, in: relationship, of: object, false)
                } + (edit.moves.isEmpty ? [] : [Claim(object, [name], .order)])
        }
    }

    private func elements(_ changes: [String: ElementChange], of object: ManagedObject, _ path: [String]) -> [Claim] {
        changes.flatMap { name, change -> [Claim] in
            switch change {
            case .value(let value): [Claim(object, path + [name], .value(value))]
            case .increment: [Claim(object, path + [name], .increment)]
            case .merge(let changes): elements(changes, of: object, path + [name])
            }
        } + [Claim(object, path, .elements)]
    }

    /// The object that a reference names, if it is there.
    func object(of reference: Reference) -> ManagedObject? {
        switch reference.target {
        case .write(let index): objects[index]
        case .temporary(let name): byName[name]
        case .stored(let location): located[location]
        }
    }

    /// What both sides say where an object is a member of a relationship, or is none.
    private func memberships(
        of member: ManagedObject,
        in relationship: RelationshipDescription,
        of owner: ManagedObject,
        _ isMember: Bool
    ) -> [Claim] {
        let own = Claim(owner, [relationship.name], .membership(member.objectID, isMember))
        guard let inverse = relationship.inverse else { return [own] }
        var claims = [own, Claim(member, [inverse.name], .membership(owner.objectID, isMember))]
        if isMember, !inverse.isToMany { claims.append(Claim(member, [inverse.name], .object(owner.objectID))) }
        return claims
    }
}

/// What an operation says of a part of an object.
private struct Claim {
    enum Content: Equatable {
        case value(Value)
        case increment
        /// That some elements of a composite are something.
        case elements
        /// What a relationship to one leads to.
        case object(ManagedObjectID?)
        /// All that a relationship to many leads to.
        case members([ManagedObjectID])
        case membership(ManagedObjectID, Bool)
        case order
    }

    let object: ManagedObjectID
    /// A property, or an element within it.
    let path: [String]
    let content: Content

    init(_ object: ManagedObject, _ path: [String], _ content: Content) {
        (self.object, self.path, self.content) = (object.objectID, path, content)
    }

    func contradicts(_ other: Claim) -> Bool {
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
        // Where each is moved to depends on which one was moved before.
        case (.order, .order): true
        default: content != other.content
        }
    }
}

/// What all operations so far say.
private struct Claims {
    private struct Part: Hashable {
        let object: ManagedObjectID
        let path: [String]
    }

    private struct Entry {
        let claim: Claim
        let place: BodyPlace
        let write: Int
    }

    private var entries: [Part: [Entry]] = [:]

    /// Adds a claim; the place of one of another operation that contradicts it, if there is one.
    mutating func add(_ claim: Claim, _ place: BodyPlace, of write: Int) -> BodyPlace? {
        let part = Part(object: claim.object, path: claim.path)
        let other = entries[part]?.first { $0.write != write && $0.claim.contradicts(claim) }
        entries[part, default: []].append(Entry(claim: claim, place: place, write: write))
        return other?.place
    }
}
