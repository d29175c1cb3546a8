// SPDX-License-Identifier: Apache-2.0

import Predicates
import PropertyList

extension CompiledWriter {
    /// Adds the indexes that an entity declares, and one for each attribute that has its own index.
    mutating func addFetchIndexes(of entity: Entity) throws(ModelError) -> PropertyListValue {
        let names = Set(entity.fetchIndexes.map(\.name))
        let doubles = entity.attributes.filter { $0.isIndexed && !names.contains($0.name) }
            .map { FetchIndex.double(of: $0.name) }
        var places: [PropertyListValue] = []
        for index in doubles + entity.fetchIndexes { places.append(try add(index, of: entity)) }
        return builder.add(array: places, mutable: true)
    }

    private mutating func add(_ index: FetchIndex, of entity: Entity) throws(ModelError) -> PropertyListValue {
        let place = builder.reserve()
        var elements: [PropertyListValue] = []
        for (number, element) in index.elements.enumerated() {
            elements.append(try add(element, number: number, of: place))
        }
        let predicate = try index.partialPredicate.map { text throws(ModelError) in try add(predicate: text) }
        builder.fill(
            place,
            class: ["NSFetchIndexDescription", "NSObject"],
            [
                ("NSIndexName", builder.add(index.name)),
                ("NSPartialIndexPredicate", predicate ?? KeyedArchiveBuilder.null),
                ("NSIndexElements", builder.add(array: elements, mutable: true)),
                ("NSEntity", self.place(ofEntity: entity.name)),
            ]
        )
        return place
    }

    private mutating func add(
        _ element: FetchIndex.Element,
        number: Int,
        of index: PropertyListValue
    ) throws(ModelError) -> PropertyListValue {
        var contents: [(String, PropertyListValue)] = [
            ("NSFetchIndexElementType", element.kind == .rTree ? 1 : 0),
            ("NSFetchIndexDescription", index), ("NSAscending", .boolean(element.isAscending)),
        ]
        switch element.subject {
        case .property(let name): contents.append(("NSPropertyName", builder.add(name)))
        case .expression(let text, let type):
            let name = "expression\(number + 1)"
            var property = self.contents(
                ofProperty: name,
                entity: KeyedArchiveBuilder.null,
                flags: PropertyFlags(optional: true, readOnly: true)
            )
            property.append(("NSExpression", try add(expression: text)))
            property.append(("NSExpressionType", .integer(Int128(type?.compiledNumber ?? 0))))
            contents.append(("NSPropertyName", builder.add(name)))
            contents.append(
                (
                    "NSIndexedProperty",
                    builder.add(class: ["NSExpressionDescription", "NSPropertyDescription", "NSObject"], property)
                )
            )
        }
        return builder.add(class: ["NSFetchIndexElementDescription", "NSObject"], contents)
    }

    mutating func add(_ template: FetchRequestTemplate) throws(ModelError) -> PropertyListValue {
        let null = KeyedArchiveBuilder.null
        let predicate = try template.predicate.map { text throws(ModelError) in try add(predicate: text) }
        return builder.add(
            class: ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            [
                ("NSEntity", place(ofEntity: template.entityName)), ("NSPredicate", predicate ?? null),
                ("NSResultType", .integer(Int128(template.resultType?.rawValue ?? 0))),
                ("NSFetchLimit", .integer(Int128(template.fetchLimit ?? 0))),
                ("NSBatchSize", .integer(Int128(template.fetchBatchSize ?? 0))),
                ("NSHasFetchRequestFlags", true), ("NSFetchRequestFlags", .integer(Int128(template.flags.rawValue))),
                ("NSSortDescriptors", null), ("NSValuesToFetch", null), ("NSValuesToGroupBy", null),
                ("NSHavingPredicate", null), ("NSFetchOffset", 0), ("NSRelationshipKeyPathsForPrefetching", null),
                ("NSAllocationType", 0),
            ]
        )
    }

    mutating func write(_ property: FetchedProperty, of entity: Entity) throws(ModelError) {
        var contents = contents(
            ofProperty: property.name,
            entity: place(ofEntity: entity.name),
            flags: PropertyFlags(optional: property.isOptional, readOnly: true, transient: true),
            userInfo: property.userInfo
        )
        contents.append(("_NSFetchRequestEntityName", builder.add(property.fetchRequest.entityName)))
        contents.append(("NSFetchRequest", try add(property.fetchRequest)))
        builder.fill(
            place(ofProperty: property.name, of: entity.name),
            class: ["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"],
            contents
        )
    }

    mutating func add(expression text: String) throws(ModelError) -> PropertyListValue {
        let expression: ObjectExpression
        do {
            expression = try ObjectExpression(template: text)
        } catch {
            throw .unwritable("The expression “\(text)” can't be compiled: \(error.message)")
        }
        return try builder.add(expression)
    }

    private mutating func add(predicate text: String) throws(ModelError) -> PropertyListValue {
        let predicate: ObjectPredicate
        do {
            predicate = try ObjectPredicate(template: text)
        } catch {
            throw .unwritable("The predicate “\(text)” can't be compiled: \(error.message)")
        }
        return try builder.add(predicate)
    }
}
