// SPDX-License-Identifier: Apache-2.0

// Entities of a compiled model. Each entity lists all its properties, including inherited ones.

import PropertyList

extension CompiledReader {
    mutating func entity(_ object: ArchivedObject) throws(ModelError) -> Entity {
        let name = object.text("NSEntityName") ?? ""
        place = ModelIssue.Place(file: file, entity: name)
        let parent = object["NSSuperentity"]?.object
        let className = object.text("NSClassNameForEntity")
        var entity = Entity(
            name: name,
            className: className == "NSManagedObject" ? nil : className,
            isAbstract: object.flag("NSIsAbstract"),
            parentName: parent?.text("NSEntityName"),
            uniquenessConstraints: try nameLists(object["NSUniqueTuples"]),
            userInfo: try userInfo(object["NSUserInfo"]),
            renamingIdentifier: object.renamingIdentifier(besides: name),
            versionHashModifier: object.text("NSVersionHashModifier")
        )
        let inherited = Set(try entries(parent?["NSProperties"]).map(\.key))
        var properties = IndexableProperties()
        for (key, value) in try entries(object["NSProperties"]) {
            guard let property = value.object else { continue }
            properties.add(property.underlying, named: key)
            // An inherited property is archived as a proxy, or in older archives as a copy.
            guard property.className != "_NSPropertyDescriptionProxy", !inherited.contains(key) else { continue }
            place.property = key
            try add(property, named: key, to: &entity)
        }
        place.property = nil
        try readIndexes(of: object, over: properties, into: &entity)
        return entity
    }

    private mutating func add(
        _ property: ArchivedObject,
        named name: String,
        to entity: inout Entity
    ) throws(ModelError) {
        if property.isKind(of: "NSAttributeDescription") {
            entity.attributes.append(try attribute(property, name: name))
        } else if property.isKind(of: "NSRelationshipDescription") {
            entity.relationships.append(try relationship(property, name: name))
        } else if property.isKind(of: "NSFetchedPropertyDescription") {
            entity.fetchedProperties.append(try fetchedProperty(property, name: name))
        } else {
            report("The property is of the class \(property.className), and is ignored.")
        }
    }

    private mutating func relationship(
        _ object: ArchivedObject,
        name: String
    ) throws(ModelError) -> Relationship {
        // Zero and negative numbers mean unbounded.
        let maximum = object.integer("NSMaxCount") ?? 1
        let minimum = object.integer("NSMinCount") ?? 0
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        let rule = object.integer("NSDeleteRule") ?? 1
        if !rules.indices.contains(rule) { report("The delete rule \(rule) is unknown, and is read as “Nullify”.") }
        return Relationship(
            name: name,
            destinationName: object.text("_NSDestinationEntityName")
                ?? object["NSDestinationEntity"]?.object?.text("NSEntityName") ?? "",
            inverseName: object.text("_NSInverseRelationshipName")
                ?? object["NSInverseRelationship"]?.object?.text("NSPropertyName"),
            isToMany: maximum != 1,
            isOrdered: object.flag("NSIsOrdered"),
            isOptional: object.flag("NSIsOptional"),
            isTransient: object.flag("NSIsTransient"),
            minimumCount: minimum > 0 ? minimum : nil,
            maximumCount: maximum > 1 ? maximum : nil,
            deleteRule: rules.indices.contains(rule) ? rules[rule] : .nullify,
            userInfo: try userInfo(object["NSUserInfo"]),
            renamingIdentifier: object.renamingIdentifier(besides: name),
            versionHashModifier: object.text("NSVersionHashModifier")
        )
    }

    /// Lists of property names, archived as names or as properties.
    mutating func nameLists(_ value: ArchivedValue?) throws(ModelError) -> [[String]] {
        var lists: [[String]] = []
        for list in try members(value) {
            lists.append(try members(list).compactMap { $0.string ?? $0.object?.text("NSPropertyName") })
        }
        return lists
    }
}
