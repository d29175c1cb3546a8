// SPDX-License-Identifier: Apache-2.0

// Reads references that have the values of a uniqueness constraint in place of a key.

import JSON
import ObjectGraph
import SourceText

extension BodyReader {
    /// A reference to the object that has the values of a uniqueness constraint.
    ///
    /// - Parameter object: The object whose `_id` has the values.
    mutating func reference(
        _ values: JSONObject,
        of object: JSONObject,
        to destination: Resource,
        at place: BodyPosition
    ) -> Reference? {
        guard admitObject() else { return nil }
        if let other = object.members.first(where: { $0.name != "_id" }) {
            findings.add(
                .identity,
                "An object that is named by unique values can't have “\(other.name.shortened)” here.",
                hint: "To change it, name it by its reference.",
                at: place.member(other.name, other.value)
            )
            return nil
        }
        let kinds = catalogue.model.kinds(of: destination.entity)
        let constraints = constraints(of: destination)
        let names = Set(values.names)
        guard let constraint = constraints.first(where: { Set($0.compactMap { name($0, of: destination) }) == names }),
            let kind = kinds.first(where: { $0.uniquenessConstraints.contains(constraint) })
        else {
            let hint = forms(of: constraints, of: destination).map { "Use \($0.joined(separator: " or "))." }
            findings.add(
                .reference,
                "A reference by values has those of a uniqueness constraint of \(destination.name), not "
                    + "\(values.names.joined(separator: ", ").shortened).",
                hint: hint,
                at: place
            )
            return nil
        }
        let writes = values.members.compactMap { uniqueValue($0, of: catalogue[kind], at: place.part("_id")) }
        // Otherwise there is a finding about a value.
        guard writes.count == values.count,
            let values = UniqueValues(of: destination.entity, constraint, in: writes)
        else { return nil }
        return Reference(target: .unique(values), place: place)
    }

    /// The name for clients of a property of the entity or of a subentity.
    private func name(_ property: PropertyDescription, of resource: Resource) -> String? {
        let owner = catalogue.model.kinds(of: resource.entity).first { $0.property(named: property.name) == property }
        return catalogue.name(ofPath: property.name, of: owner)
    }

    /// The uniqueness constraints of a resource's objects whose properties all have names.
    private func constraints(of resource: Resource) -> [[PropertyDescription]] {
        let all = catalogue.model.kinds(of: resource.entity).flatMap(\.uniquenessConstraints)
        return OrderedMembers(all).members.filter { constraint in
            constraint.allSatisfy { name($0, of: resource) != nil }
        }
    }

    /// The forms of the values of some uniqueness constraints, or nil if there are none.
    private func forms(of constraints: [[PropertyDescription]], of resource: Resource) -> [String]? {
        guard !constraints.isEmpty else { return nil }
        return constraints.map { constraint in
            UniqueValues.form(constraint.compactMap { name($0, of: resource) })
        }
    }

    /// A hint at references by unique values.
    func valuesHint(_ resource: Resource) -> String? {
        forms(of: constraints(of: resource), of: resource).map { forms in
            "By unique values, it is \(forms.map { "{\"_id\": \($0)}" }.joined(separator: " or "))."
        }
    }

    private mutating func uniqueValue(
        _ member: JSONMember,
        of resource: Resource,
        at place: BodyPosition
    ) -> PropertyWrite? {
        guard let property = resource.property(named: member.name) else { return nil }
        let place = place.member(member.name, member.value)
        if let attribute = property.attribute {
            return attribute.value(from: member.value, at: place, into: &findings).map {
                PropertyWrite(property: property, change: .value(property.stored($0)), place: place)
            }
        }
        guard let relationship = property.relationship, let location = location(member.value) else {
            refuse(member.value, to: property.relationship.map(catalogue.destination) ?? resource, at: place)
            return nil
        }
        guard check(location, to: catalogue.destination(of: relationship), at: place) else { return nil }
        let reference = Reference(target: .stored(location), place: place)
        return PropertyWrite(property: property, change: .toOne(reference), place: place)
    }
}
