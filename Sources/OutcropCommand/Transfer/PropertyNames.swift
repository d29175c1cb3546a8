// SPDX-License-Identifier: Apache-2.0

// What properties are called in the API, and which of them a file of objects has.

import ObjectGraph
import ObjectModel

extension PropertyDescription {
    /// One whose own name begins with an underscore has one more in front.
    var apiName: String { name.hasPrefix("_") ? "_" + name : name }
}

extension EntityDescription {
    /// What stands for it in paths and references.
    var pathOfAPI: String { entity.userInfo["path"] ?? name }

    /// The property that the API calls so.
    func property(calledByAPI name: String) -> PropertyDescription? {
        if name.hasPrefix("__") { return property(named: String(name.dropFirst())) }
        return name.hasPrefix("_") ? nil : property(named: name)
    }

    /// What the API calls attributes and relationships.
    var namesOfAPI: [String] {
        attributes.map { PropertyDescription.attribute($0).apiName }
            + relationships.map { PropertyDescription.relationship($0).apiName }
    }

    /// What it takes to make an object anew: what is stored and not computed, and of relationships to many those that the other side
    /// doesn't tell.
    func exportedNames(in model: ManagedObjectModel) -> [String] {
        var names = attributes.filter { attribute in
            switch attribute.type {
            case .objectID, .undefined: false
            default: attribute.isPersistent && !attribute.isDerived
            }
        }.map { PropertyDescription.attribute($0).apiName }
        names += relationships.filter { $0.isExported(in: model) }.map { PropertyDescription.relationship($0).apiName }
        return names
    }
}

extension RelationshipDescription {
    /// Whether it must be told since it says something that the other side doesn't: who the members are, or in which order, or that there
    /// are any from the start.
    fileprivate func isExported(in model: ManagedObjectModel) -> Bool {
        !isTransient && (isOrdered || isRequired || tellsPairs(in: model))
    }

    /// Whether this side tells which objects are related: to one it always does. Of two to many it is the one that is exported
    /// anyway, or else that of the lesser name.
    func tellsPairs(in model: ManagedObjectModel) -> Bool {
        let back = inverse.flatMap { model.destination(of: self).relationship(named: $0.name) }
        guard let inverse = back, !inverse.isTransient else { return true }
        guard isToMany, inverse.isToMany else { return !isToMany }
        func rank(_ one: RelationshipDescription) -> (Int, String, String) {
            (one.isOrdered || one.isRequired ? 0 : 1, one.name, one.relationship.destinationName)
        }
        return rank(self) <= rank(inverse)
    }

    /// Whether an object without any destination is no valid one.
    var isRequired: Bool { !relationship.isOptional || (isToMany && (relationship.minimumCount ?? 0) > 0) }
}
