// SPDX-License-Identifier: Apache-2.0

// Schemas of objects in responses and bodies.

import HTTPMessage
import Identities
import JSON
import ObjectGraph
import ObjectModel

extension ModelDescription {
    /// All schemas of an entity.
    func schemas(of resource: Resource) -> [(String, JSONValue)] {
        var schemas: [(ComponentNames.Part, JSONValue)] = shownSchemas(of: resource)
        schemas += [
            (.reference, referenceSchema(of: resource)),
            (.page, page(of: reference(resource))),
            (.patch, patchSchema(of: resource)), (.update, updateSchema(of: resource)),
            (.member, memberSchema(of: resource)), (.changes, changesSchema(of: resource, isOrdered: false)),
            (.orderedChanges, changesSchema(of: resource, isOrdered: true)),
            (.batchUpdate, batchUpdateSchema(of: resource)),
            (.batchDelete, batchDeleteSchema(of: resource)),
        ]
        if let unique = uniqueReferenceSchema(of: resource) { schemas.append((.uniqueReference, unique)) }
        if !resource.entity.isAbstract {
            schemas += [
                (.create, createSchema(of: resource)), (.row, rowSchema(of: resource)),
                (.insertOperation, insertOperation(of: resource)),
            ]
            if parent(of: resource) != nil { schemas.append((.createKind, createKindSchema(of: resource))) }
        }
        schemas += [(.replace, replaceSchema(of: resource)), (.updateOperation, updateOperation(of: resource))]
        schemas += fieldSchemas(of: resource) + (isCondensed ? condensedUnions(of: resource) : [])
        return schemas.map { (names[resource, $0], $1) }
    }

    // MARK: Responses

    private func shownSchemas(of resource: Resource) -> [(ComponentNames.Part, JSONValue)] {
        let properties = resource.ownProperties.compactMap { property in shown(property).map { (property.name, $0) } }
        let base = parent(of: resource).map { [reference($0, .fields)] } ?? []
        guard hasSubentities(resource) else { return [(.object, object(resource, base, properties))] }
        var schemas: [(ComponentNames.Part, JSONValue)] = [(.fields, .extended(base, properties))]
        if !resource.entity.isAbstract {
            schemas.append((.itself, object(resource, [reference(resource, .fields)], [])))
        }
        guard !isCondensed else { return schemas + [(.object, condensedUnion(of: resource))] }
        let kinds = concreteKinds(of: resource)
        let parts = kinds.map { kind in
            (kind.entity.name, root + names[kind, kind == resource || hasSubentities(kind) ? .itself : .object])
        }
        guard !parts.isEmpty else { return schemas + [(.object, object(resource, [reference(resource, .fields)], []))] }
        let union: JSONValue = [
            "oneOf": .array(parts.map { ["$ref": .string($0.1)] }),
            "discriminator": [
                "propertyName": "_entity", "mapping": .object(JSONObject(parts.map { ($0.0, .string($0.1)) })),
            ],
        ]
        return schemas + [(.object, union)]
    }

    /// An object of exactly this entity.
    private func object(
        _ resource: Resource,
        _ base: [JSONValue],
        _ properties: [(String, JSONValue)]
    ) -> JSONValue {
        let found = resource.entity.searchedTexts.isEmpty ? [] : [("_highlight", reference(.highlights))]
        return .extended(
            [reference(.storedObject)] + base,
            [("_entity", ["type": "string", "const": .string(resource.entity.name)])] + properties + found,
            required: ["_entity"]
        )
    }

    private func shown(_ property: ResourceProperty) -> JSONValue? {
        switch property.property {
        case .attribute(let attribute): return schema(of: attribute, for: .read)
        case .relationship(let relationship):
            // A reference, or the object with `include`.
            let shown = JSONValue.any(of: [["type": "string"], reference(catalogue.destination(of: relationship))])
            return relationship.isToMany ? .list(of: shown) : shown.orNull
        case .fetched(let fetched):
            guard let entity = model.entity(named: fetched.property.fetchRequest.entityName) else { return nil }
            return JSONValue.list(of: reference(catalogue[entity])).with("readOnly", true)
        }
    }

    // MARK: References

    private func referenceSchema(of resource: Resource) -> JSONValue {
        let names = isCondensed ? "[^/?#]+" : "(?:\(namesOfHierarchy(of: resource).joined(separator: "|")))"
        return [
            "type": "string",
            "description": .string(
                "Such as `\(resource.path)/1`, or `$a`, the temporary name of an object in the same body."
            ),
            "pattern": .string(
                "^(?:(?:/?api/)?\(names)/[^/?#]+|x-coredata://[^/]+/[^/]+/p.+|\\$.+)$"
            ),
        ]
    }

    private func uniqueConstraints(of resource: Resource) -> [[PropertyDescription]] {
        OrderedMembers(model.kinds(of: resource.entity).flatMap(\.uniquenessConstraints)).members
    }

    /// A reference by unique values, or nil for an entity without any. A condensed description allows any values.
    private func uniqueReferenceSchema(of resource: Resource) -> JSONValue? {
        let constraints = uniqueConstraints(of: resource)
        guard !constraints.isEmpty else { return nil }
        let values = constraints.map { constraint -> JSONValue in
            let members = constraint.map { property in
                let name = ResourceProperty.name(of: property.name)
                guard case .relationship(let relationship) = property else {
                    return (name, ResourceProperty(property).attribute.map { schema(of: $0, for: .whole) } ?? [:])
                }
                return (name, reference(catalogue.destination(of: relationship), .reference))
            }
            return JSONValue.schema("object", required: members.map(\.0), JSONObject(members)).closed
        }
        return JSONValue.schema(
            "object",
            required: ["_id"],
            ["_id": isCondensed ? ["type": "object"] : .any(of: values)],
            "Names an object by the values of a uniqueness constraint."
        ).closed
    }

    /// The names that paths of references to an entity's objects may contain.
    private func namesOfHierarchy(of resource: Resource) -> [String] {
        var kinds = model.kinds(of: resource.entity).map { catalogue[$0] }
        var above = parent(of: resource)
        while let next = above {
            kinds.append(next)
            above = parent(of: next)
        }
        var seen: Set<String> = []
        return kinds.flatMap { [$0.path, $0.entity.name] }
            .map { Self.escaped(RequestTarget.encode(segment: $0)) }
            .filter { seen.insert($0).inserted }
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { "\\^$.|?*+()[]{}/".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    /// The schemas of objects inserted into relationships.
    var nestedSchemas: [(String, JSONValue)] {
        guard !isCondensed else { return [] }
        var schemas: [(String, JSONValue)] = []
        var seen: Set<String> = []
        func add(
            _ resource: Resource,
            part: ComponentNames.Part,
            along inverse: RelationshipDescription,
            _ schema: @autoclosure () -> JSONValue
        ) {
            let name = names[resource, part, without: inverse]
            if seen.insert(name).inserted { schemas.append((name, schema())) }
        }
        for relationship in catalogue.declaredRelationships {
            guard let inverse = catalogue.impliedInverse(of: relationship) else { continue }
            let destination = catalogue.destination(of: relationship)
            add(destination, part: .member, along: inverse, memberSchema(of: destination, without: inverse))
            if relationship.isToMany {
                let part: ComponentNames.Part = relationship.isOrdered ? .orderedChanges : .changes
                let schema = changesSchema(of: destination, isOrdered: relationship.isOrdered, without: inverse)
                add(destination, part: part, along: inverse, schema)
            }
            for kind in concreteKinds(of: destination) {
                if kind == destination {
                    add(kind, part: .create, along: inverse, createSchema(of: kind, without: inverse))
                } else {
                    add(kind, part: .createKind, along: inverse, createKindSchema(of: kind, without: inverse))
                }
            }
        }
        return schemas
    }

    private func memberSchema(of resource: Resource, without inverse: RelationshipDescription? = nil) -> JSONValue {
        let made: [JSONValue]
        let changed: [JSONValue]
        if isCondensed {
            made = permits(.create, resource) ? condensedKinds(of: resource, part: .create, below: .createAny) : []
            changed = permits(.update, resource) ? condensedKinds(of: resource, part: .update, below: .updateAny) : []
        } else {
            let kinds = concreteKinds(of: resource)
            made = kinds.filter { permits(.create, $0) }.map { kind in
                ["$ref": .string(root + names[kind, kind == resource ? .create : .createKind, without: inverse])]
            }
            changed = kinds.filter { permits(.update, $0) }.map { reference($0, .update) }
        }
        let unique = uniqueConstraints(of: resource).isEmpty ? [] : [reference(resource, .uniqueReference)]
        return JSONValue.any(of: [reference(resource, .reference)] + unique + made + changed)
            .described("A reference, or an object that is created or changed in the same save.")
    }

    private func changesSchema(
        of resource: Resource,
        isOrdered: Bool,
        without inverse: RelationshipDescription? = nil
    ) -> JSONValue {
        let member: JSONValue = ["$ref": .string(root + names[resource, .member, without: inverse])]
        let members = JSONValue.list(of: member)
        var properties: JSONObject = ["add": members, "remove": .list(of: reference(resource, .reference))]
        if isOrdered {
            let move = JSONValue.schema(
                "object",
                required: ["_id", "to"],
                ["_id": reference(resource, .reference), "to": .count]
            )
            properties["move"] = .list(of: move.closed)
        }
        return JSONValue.schema("object", properties).closed
    }
}
