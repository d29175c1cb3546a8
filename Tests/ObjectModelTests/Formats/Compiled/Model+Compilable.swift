// SPDX-License-Identifier: Apache-2.0

// The part of a model that compilation preserves, computed independently of the compiler.

import ObjectModel
import Predicates
import XML

extension Model {
    /// The model without what compiled models lack: order, Xcode's notes, and alternative spellings.
    var compilable: Model {
        var used: Set<String> = []
        func use(_ attributes: [Attribute]) {
            for case let name? in attributes.map(\.type.compositeName) where used.insert(name).inserted {
                use(composite(named: name)?.attributes ?? [])
            }
        }
        use(entities.flatMap(\.attributes))
        let names = Set(entities.map(\.name))
        return Model(
            entities: entities.map(\.compilable).sorted(by: \.name),
            composites: composites.filter { used.contains($0.name) }.map {
                Composite(name: $0.name, attributes: $0.attributes.map(\.compilable))
            }.sorted(by: \.name),
            configurations: configurations.map {
                Configuration(name: $0.name, entityNames: $0.entityNames.filter(names.contains).sorted(by: \.self))
            }.sorted(by: \.name),
            fetchRequestTemplates: fetchRequestTemplates.map(\.compilable).sorted(by: \.name),
            versionIdentifiers: versionIdentifiers.sorted(by: \.self)
        )
    }
}

extension Entity {
    fileprivate var compilable: Entity {
        var entity = withoutNotes
        entity.className = className == "NSManagedObject" ? nil : className?.nonEmpty
        entity.attributes = attributes.map(\.compilable).sorted(by: \.name)
        entity.relationships = relationships.map(\.compilable).sorted(by: \.name)
        entity.fetchedProperties = fetchedProperties.map(\.compilable).sorted(by: \.name)
        entity.fetchIndexes = fetchIndexes.map(\.compilable)
        return entity
    }
}

extension Attribute {
    fileprivate var compilable: Attribute {
        var attribute = withoutNotes
        if case .transformable = type, let name = extras[attribute: "customClassName"] {
            attribute.extras.attributes = [XMLAttribute(name: "customClassName", value: name)]
        }
        attribute.defaultValue = defaultValue == .null ? nil : defaultValue
        attribute.derivation = derivation.flatMap { try? ObjectExpression(template: $0).description }
        return attribute
    }
}

extension Relationship {
    fileprivate var compilable: Relationship {
        var relationship = withoutNotes
        relationship.inverseName = inverseName?.nonEmpty
        return relationship
    }
}

/// The common properties of entities, attributes and relationships.
private protocol Annotated {
    var name: String { get }
    var extras: Extras { get set }
    var userInfo: UserInfo { get set }
    var renamingIdentifier: String? { get set }
    var versionHashModifier: String? { get set }
}

extension Entity: Annotated {}
extension Attribute: Annotated {}
extension Relationship: Annotated {}

extension Annotated {
    fileprivate var withoutNotes: Self {
        var copy = self
        copy.extras = Extras()
        copy.userInfo = userInfo.compilable
        copy.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier?.nonEmpty
        copy.versionHashModifier = versionHashModifier?.nonEmpty
        return copy
    }
}

extension FetchedProperty {
    fileprivate var compilable: FetchedProperty {
        var request = fetchRequest.compilable
        request.name = "fetchedPropertyFetchRequest"
        return FetchedProperty(
            name: name,
            fetchRequest: request,
            isOptional: isOptional,
            userInfo: userInfo.compilable
        )
    }
}

extension FetchIndex {
    fileprivate var compilable: FetchIndex {
        FetchIndex(
            name: name,
            elements: elements.map { element in
                var subject = element.subject
                if case .expression(let text, let type) = subject {
                    let canonical = (try? ObjectExpression(template: text).description) ?? text
                    subject = .expression(canonical, type: type == .undefined ? nil : type)
                }
                return Element(subject, kind: element.kind, isAscending: element.isAscending)
            },
            partialPredicate: partialPredicate.flatMap { try? ObjectPredicate(template: $0).description }
        )
    }
}

extension FetchRequestTemplate {
    fileprivate var compilable: FetchRequestTemplate {
        var request = self
        request.extras = Extras()
        request.predicate = predicate.flatMap { try? ObjectPredicate(template: $0).description }
        request.resultType = resultType == .objects ? nil : resultType
        request.fetchLimit = fetchLimit == 0 ? nil : fetchLimit
        request.fetchBatchSize = fetchBatchSize == 0 ? nil : fetchBatchSize
        if includesSubentities == true { request.includesSubentities = nil }
        if includesPropertyValues == true { request.includesPropertyValues = nil }
        if includesPendingChanges == true { request.includesPendingChanges = nil }
        if returnsObjectsAsFaults == true { request.returnsObjectsAsFaults = nil }
        if returnsDistinctResults == false { request.returnsDistinctResults = nil }
        return request
    }
}

extension UserInfo {
    fileprivate var compilable: UserInfo {
        var keys: Set<String> = []
        return UserInfo(entries.filter { keys.insert($0.key).inserted }.sorted(by: \.key))
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension Array {
    /// Sorted by a text's binary order.
    fileprivate func sorted(by text: (Element) -> String) -> [Element] {
        sorted { text($0).utf8.lexicographicallyPrecedes(text($1).utf8) }
    }
}
