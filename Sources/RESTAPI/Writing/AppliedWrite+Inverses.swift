// SPDX-License-Identifier: Apache-2.0

// Compares both sides of a relationship, if a body states the two.

import ObjectGraph
import ObjectModel

extension AppliedWrite {
    /// If an object is nested in a relationship and lists the members of the inverse, adds the relationship's owner to
    /// that list. Refuses new objects that are put into a relationship but refer to another owner themselves.
    mutating func matchInverses() {
        guard plan.writes.contains(where: { $0.changes.contains { $0.property.relationship?.inverse != nil } }) else {
            return
        }
        let indices = plan.writes.indices.filter { plan.writes[$0].isInsertion && !dropped.contains($0) }
        let insertions = Dictionary(grouping: indices) { objects[$0]?.objectID }
        for (owner, write) in plan.writes.enumerated() where !dropped.contains(owner) {
            for change in write.changes {
                guard let inverse = change.property.relationship?.inverse else { continue }
                for reference in change.change.put {
                    switch reference.target {
                    case .write(let nested):
                        if inverse.isToMany {
                            include(owner, in: inverse, of: nested)
                        } else {
                            check(nested, refersTo: owner, along: inverse, for: change)
                        }
                    case .temporary, .unique:
                        guard !inverse.isToMany, let object = objects[reference] else { continue }
                        for member in insertions[object.objectID] ?? [] {
                            check(member, refersTo: owner, along: inverse, for: change)
                        }
                    case .stored: break
                    }
                }
            }
        }
    }

    private mutating func include(_ owner: Int, in inverse: RelationshipDescription.Inverse, of nested: Int) {
        guard let place = plan.writes[nested].place(of: inverse), !dropped.contains(nested),
            let object = objects[owner], case let change = plan.writes[nested].changes[place],
            case .members(let members) = change.change, !members.contains(where: { objects[$0] === object })
        else { return }
        guard plan.writes[nested].isInsertion else {
            return findings.add(
                .reference,
                "It is added to a relationship of \(plan.writes[owner].place.object), which its own “\(change.property.name)” doesn't contain.",
                hint: "Add it there too, or send only additions: {\"add\": […]}.",
                at: change.place
            )
        }
        let reference = Reference(target: .write(owner), place: change.place)
        plan.writes[nested].changes[place].change = .members(members + [reference])
    }

    private mutating func check(
        _ member: Int,
        refersTo owner: Int,
        along inverse: RelationshipDescription.Inverse,
        for change: PropertyWrite
    ) {
        guard let place = plan.writes[member].place(of: inverse), !dropped.contains(member),
            let object = objects[owner], case let own = plan.writes[member].changes[place],
            case .toOne(let reference) = own.change, reference.flatMap({ objects[$0] }) != object
        else { return }
        let name = plan.writes[owner].location?.name ?? plan.writes[owner].place.object
        findings.add(
            .reference,
            "It is added to \(change.property.name) of \(name), but its own “\(own.property.name)” is "
                + "\(reference.map(\.words) ?? "null").",
            hint: "Omit “\(own.property.name)”.",
            at: own.place
        )
    }
}

extension ObjectWrite {
    /// The index of the change of an inverse.
    fileprivate func place(of inverse: RelationshipDescription.Inverse) -> Int? {
        changes.firstIndex { $0.property.relationship?.name == inverse.name }
    }
}
