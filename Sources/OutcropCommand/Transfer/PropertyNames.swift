// SPDX-License-Identifier: Apache-2.0

// What properties are called in the API, and which of them a file of objects has.

import ObjectGraph
import ObjectModel

extension PropertyDescription {
    /// One whose own name begins with an underscore has one more in front.
    var apiName: String { name.hasPrefix("_") ? "_" + name : name }
}

extension EntityDescription {
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
    var exportedNames: [String] {
        var names = attributes.filter { attribute in
            switch attribute.type {
            case .objectID, .undefined: false
            default: attribute.isPersistent && !attribute.isDerived
            }
        }.map { PropertyDescription.attribute($0).apiName }
        names += relationships.filter { !$0.isTransient && (!$0.isToMany || $0.isExported) }.map {
            PropertyDescription.relationship($0).apiName
        }
        return names
    }
}

extension RelationshipDescription {
    /// Whether the rows of the members leave something to be told of it: who they are, or in which order.
    fileprivate var isExported: Bool { isManyToMany || isOrdered || isRequired }

    /// Whether an object without any destination is no valid one.
    var isRequired: Bool { !relationship.isOptional || (isToMany && (relationship.minimumCount ?? 0) > 0) }
}
