// SPDX-License-Identifier: Apache-2.0

// Entities as objects of an archive. Each lists all its properties, including inherited ones.

import PropertyList

extension CompiledWriter {
    mutating func write(_ entity: Entity) throws(ModelError) {
        for ancestor in model.lineage(of: entity) {
            for attribute in ancestor.attributes {
                do {
                    try write(attribute, of: entity)
                } catch {
                    throw error.placed(atProperty: attribute.name)
                }
            }
            for relationship in ancestor.relationships { write(relationship, of: entity) }
            for property in ancestor.fetchedProperties { try write(property, of: entity) }
        }
        let subentities = model.subentities(of: entity).map { (builder.add($0.name), place(ofEntity: $0.name)) }
        var contents = [
            ("NSEntityName", builder.add(entity.name)),
            ("NSClassNameForEntity", builder.add(entity.className)),
            ("NSManagedObjectModel", modelPlace),
            ("NSSuperentity", entity.parentName.map(place(ofEntity:)) ?? KeyedArchiveBuilder.null),
            (
                "NSSubentities",
                subentities.isEmpty ? KeyedArchiveBuilder.null : builder.add(dictionary: subentities, mutable: true)
            ),
            ("NSProperties", addProperties(of: entity)),
            ("NSUserInfo", add(entity.userInfo)),
            ("NSRenamingIdentifier", builder.add(entity.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", builder.add(entity.versionHashModifier)),
            ("NSFetchIndexDescriptions", try addFetchIndexes(of: entity)),
            ("NSCompoundIndexes", addLists(entity.compoundIndexes)),
        ]
        if entity.isAbstract { contents.append(("NSIsAbstract", true)) }
        if !entity.uniquenessConstraints.isEmpty {
            contents.append(("NSUniqueTuples", addLists(entity.uniquenessConstraints)))
        }
        builder.fill(place(ofEntity: entity.name), class: ["NSEntityDescription", "NSObject"], contents)
    }

    private mutating func addProperties(of entity: Entity) -> PropertyListValue {
        let properties =
            model.attributes(of: entity).map(\.name) + model.relationships(of: entity).map(\.name)
            + model.lineage(of: entity).flatMap(\.fetchedProperties).map(\.name)
        let entries = properties.map { (builder.add($0), place(ofProperty: $0, of: entity.name)) }
        return builder.add(dictionary: entries, mutable: true)
    }

    private mutating func addLists(_ lists: [[String]]) -> PropertyListValue {
        let places = lists.map { list in builder.add(array: list.map { builder.add($0) }, mutable: true) }
        return builder.add(array: places, mutable: true)
    }

    private mutating func write(_ relationship: Relationship, of entity: Entity) {
        let destination = relationship.destinationName
        let inverse = relationship.inverseName
        let rules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        let maximum = relationship.isToMany ? relationship.maximumCount ?? 0 : 1
        let flags = PropertyFlags(
            optional: relationship.isOptional,
            transient: relationship.isTransient,
            ordered: relationship.isOrdered
        )
        var contents = contents(
            ofProperty: relationship.name,
            entity: place(ofEntity: entity.name),
            flags: flags,
            renamingIdentifier: relationship.renamingIdentifier,
            versionHashModifier: relationship.versionHashModifier,
            userInfo: relationship.userInfo
        )
        contents += [
            ("NSDestinationEntity", place(ofEntity: destination)),
            ("_NSDestinationEntityName", builder.add(destination)),
            (
                "NSInverseRelationship",
                inverse.map { place(ofProperty: $0, of: destination) } ?? KeyedArchiveBuilder.null
            ),
            ("_NSInverseRelationshipName", builder.add(inverse)),
            ("NSMinCount", .integer(Int128(relationship.minimumCount ?? 0))),
            ("NSMaxCount", .integer(Int128(maximum))),
            ("NSDeleteRule", .integer(Int128(rules.firstIndex(of: relationship.deleteRule) ?? 1))),
        ]
        builder.fill(
            place(ofProperty: relationship.name, of: entity.name),
            class: ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"],
            contents
        )
    }
}

extension ModelError {
    fileprivate func placed(atProperty property: String) -> ModelError {
        var place = place
        place.property = place.property ?? property
        return ModelError(code, at: place, message, hint: hint)
    }
}
