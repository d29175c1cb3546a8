// SPDX-License-Identifier: Apache-2.0

// Names of properties in the API, and the properties that an export includes.

import ObjectGraph
import ObjectModel

extension PropertyDescription {
    /// A name that begins with an underscore is prefixed with another one.
    var apiName: String { name.hasPrefix("_") ? "_" + name : name }
}

extension EntityDescription {
    /// The name of the entity in paths and references.
    var apiPath: String { entity.userInfo["path"] ?? name }

    /// The property with a name in the API.
    func property(forAPIName name: String) -> PropertyDescription? {
        if name.hasPrefix("__") { return property(named: String(name.dropFirst())) }
        return name.hasPrefix("_") ? nil : property(named: name)
    }

    /// The names of attributes and relationships in the API.
    var apiNames: [String] {
        attributes.map { PropertyDescription.attribute($0).apiName }
            + relationships.map { PropertyDescription.relationship($0).apiName }
    }

    /// The properties needed to recreate an object: stored values that aren't derived, and the to-many relationships
    /// that the other side doesn't determine.
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
    /// Whether it must be exported because the other side doesn't determine the members or their order, or because it
    /// must not be empty from the start.
    fileprivate func isExported(in model: ManagedObjectModel) -> Bool {
        !isTransient && (isOrdered || isRequired || determinesPairs(in: model))
    }

    /// Whether this side determines which objects are related: a to-one relationship always does. Of two to-many
    /// relationships, it is the one that must be exported anyway, or else the one with the lesser name.
    func determinesPairs(in model: ManagedObjectModel) -> Bool {
        let back = inverse.flatMap { model.destination(of: self).relationship(named: $0.name) }
        guard let inverse = back, !inverse.isTransient else { return true }
        guard isToMany, inverse.isToMany else { return !isToMany }
        func rank(_ one: RelationshipDescription) -> (Int, String, String) {
            (one.isOrdered || one.isRequired ? 0 : 1, one.name, one.relationship.destinationName)
        }
        return rank(self) <= rank(inverse)
    }

    /// Whether an object without a destination is invalid.
    var isRequired: Bool { !relationship.isOptional || (isToMany && (relationship.minimumCount ?? 0) > 0) }
}
