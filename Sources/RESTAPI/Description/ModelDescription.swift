// SPDX-License-Identifier: Apache-2.0

// What OpenAPI and JSON Schema say of a model. Schemas are honest: what one forbids is refused, and what it allows is taken, but for the
// rules that JSON Schema has no words for. Those are in descriptions.

import JSON
import ObjectGraph
import ObjectModel

struct ModelDescription {
    let api: API
    let names: ComponentNames
    /// What references to schemas begin with.
    let root: String
    /// The places of the entities among whose objects there is anything that a search could find.
    let searched: Set<Int>
    /// Whether what entities have in common is described once, since all of it for each would be longer than the model by far. See
    /// `ModelDescription+Condensed.swift`.
    let isCondensed: Bool
    /// The entities directly below each, by its place.
    let children: [[Resource]]

    init(_ api: API, root: String = "#/components/schemas/") {
        self.api = api
        self.root = root
        searched = api.catalogue.searchedEntities
        isCondensed = api.catalogue.inheritedCount > Self.inheritedLimit
        names = ComponentNames(api.catalogue, hasVariants: !isCondensed)
        children = api.catalogue.children
    }

    /// Whether it is about what is below an editing context.
    var isOfContext: Bool { api.contexts == nil }

    /// Whether nothing can be written that breaks the model's rules. What is pending in an editing context may, until it is saved.
    var heedsRules: Bool { !isOfContext }

    var catalogue: Catalogue { api.catalogue }
    var model: ManagedObjectModel { api.catalogue.model }

    func reference(_ resource: Resource, _ part: ComponentNames.Part = .object) -> JSONValue {
        ["$ref": .string(root + names[resource, part])]
    }

    /// What stands for objects of a relationship, which needn't say that they are in it.
    func reference(
        _ resource: Resource,
        _ part: ComponentNames.Part,
        in relationship: RelationshipDescription
    ) -> JSONValue {
        ["$ref": .string(root + names[resource, part, without: catalogue.toldInverse(of: relationship)])]
    }

    func compositeReference(_ name: String, _ part: ComponentNames.Part) -> JSONValue {
        names[composite: name, part].map { ["$ref": .string(root + $0)] } ?? ["type": "object"]
    }

    /// The entity and those below it of which there are objects.
    func concreteKinds(of resource: Resource) -> [Resource] {
        model.kinds(of: resource.entity).filter { !$0.isAbstract }.map { catalogue[$0] }
    }

    func hasSubentities(_ resource: Resource) -> Bool { resource.entity.kinds.count > 1 }

    func parent(of resource: Resource) -> Resource? {
        resource.entity.entity.parentName.flatMap { model.entity(named: $0) }.map { catalogue[$0] }
    }

    /// All schemas, those of the entities in the order of the model.
    var schemas: [(String, JSONValue)] {
        sharedSchemas + compositeSchemas + catalogue.resources.flatMap(schemas) + placedSchemas + transactionSchemas
    }

    // MARK: Composites

    private var compositeSchemas: [(String, JSONValue)] {
        var seen: Set<String> = []
        var all: [(String, JSONValue)] = []
        func add(_ attribute: AttributeDescription) {
            guard let name = attribute.type.compositeName, seen.insert(name).inserted else { return }
            let parts: [(ComponentNames.Part, SchemaUse)] = [(.object, .read), (.create, .whole), (.patch, .part)]
            for (part, use) in parts {
                let properties = attribute.elements.map {
                    (ResourceProperty.name(of: $0.name), schema(of: $0, for: use))
                }
                let required = use == .whole && heedsRules ? attribute.elements.filter(\.isNeeded) : []
                let object = JSONValue.schema(
                    "object",
                    required: required.map { ResourceProperty.name(of: $0.name) },
                    JSONObject(properties)
                )
                all.append(((names[composite: name, part] ?? name), use == .read ? object : object.closed))
            }
            for element in attribute.elements { add(element) }
        }
        for resource in catalogue.resources {
            for attribute in resource.ownProperties.compactMap(\.attribute) { add(attribute) }
        }
        return all
    }
}

extension AttributeDescription {
    /// Whether whoever makes an object must say what its value is.
    var isNeeded: Bool { !attribute.isOptional && attribute.defaultValue == nil && !isDerived }
}

extension Catalogue {
    fileprivate var searchedEntities: Set<Int> {
        var searched: Set<Int> = []
        // Entities follow their parents, so that here each comes after all below it.
        for entity in model.entities.reversed() where searched.contains(entity.index) || !entity.searchedTexts.isEmpty {
            searched.insert(entity.index)
            if let parent = entity.entity.parentName.flatMap(model.entity(named:)) { searched.insert(parent.index) }
        }
        return searched
    }
}
