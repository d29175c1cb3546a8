// SPDX-License-Identifier: Apache-2.0

// Describes a model in OpenAPI and JSON Schema. A value that a schema forbids is refused, and one that it allows is
// accepted, except for rules that JSON Schema can't express. Those are in descriptions.

import JSON
import ObjectGraph
import ObjectModel

struct ModelDescription {
    let api: API
    let names: ComponentNames
    /// The beginning of references to schemas.
    let root: String
    /// The indexes of entities whose objects a search could find.
    let searched: Set<Int>
    /// Whether common parts of entities are described once, because the full description would be very long. See
    /// `ModelDescription+Condensed.swift`.
    let isCondensed: Bool
    /// The direct subentities of each entity, by index.
    let children: [[Resource]]

    init(_ api: API, root: String = "#/components/schemas/") {
        self.api = api
        self.root = root
        let catalogue = api.catalogue.described
        searched = catalogue.searchedEntities
        isCondensed = catalogue.inheritedCount > Self.inheritedLimit
        names = ComponentNames(catalogue, hasVariants: !isCondensed)
        children = catalogue.children
    }

    /// Whether it describes the paths below an editing context.
    var isOfContext: Bool { api.contexts == nil }

    /// Whether stored objects always satisfy the model's rules. Pending objects in an editing context may violate them
    /// until a save.
    var appliesRules: Bool { !isOfContext }

    /// Whether clients may name another version of the model than the served one.
    var namesVersions: Bool { api.versions?.hasOthers == true || api.catalogue.view?.isOfIdentity == false }

    var catalogue: Catalogue { api.catalogue.described }
    var model: ManagedObjectModel { catalogue.model }

    func reference(_ resource: Resource, _ part: ComponentNames.Part = .object) -> JSONValue {
        ["$ref": .string(root + names[resource, part])]
    }

    /// The schema of a relationship's members, which needn't name the inverse.
    func reference(
        _ resource: Resource,
        part: ComponentNames.Part,
        in relationship: RelationshipDescription
    ) -> JSONValue {
        ["$ref": .string(root + names[resource, part, without: catalogue.impliedInverse(of: relationship)])]
    }

    func compositeReference(_ name: String, part: ComponentNames.Part) -> JSONValue {
        names[composite: name, part].map { ["$ref": .string(root + $0)] } ?? ["type": "object"]
    }

    /// The concrete entities among the entity and its subentities.
    func concreteKinds(of resource: Resource) -> [Resource] {
        model.kinds(of: resource.entity).filter { !$0.isAbstract }.map { catalogue[$0] }
    }

    func hasSubentities(_ resource: Resource) -> Bool { resource.entity.kinds.count > 1 }

    func parent(of resource: Resource) -> Resource? {
        resource.entity.entity.parentName.flatMap { model.entity(named: $0) }.map { catalogue[$0] }
    }

    /// All schemas; those of entities in the model's order.
    var schemas: [(String, JSONValue)] {
        sharedSchemas + compositeSchemas + catalogue.resources.flatMap(schemas) + nestedSchemas + transactionSchemas
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
                let required = use == .whole && appliesRules ? attribute.elements.filter(\.isNeeded) : []
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
    /// Whether clients set values.
    var isWritten: Bool { !isDerived && type != .objectID && type != .undefined }

    /// Whether a new object must have a value for the attribute.
    var isNeeded: Bool { !attribute.isOptional && attribute.defaultValue == nil && !isDerived }
}

extension Catalogue {
    fileprivate var searchedEntities: Set<Int> {
        var searched: Set<Int> = []
        // Entities come after their parents, so in reverse each comes after its subentities.
        for entity in model.entities.reversed() where searched.contains(entity.index) || !entity.searchedTexts.isEmpty {
            searched.insert(entity.index)
            if let parent = entity.entity.parentName.flatMap(model.entity(named:)) { searched.insert(parent.index) }
        }
        return searched
    }
}
