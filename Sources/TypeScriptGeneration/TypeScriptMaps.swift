// SPDX-License-Identifier: Apache-2.0

// What the types of a model have to do with each other, and what the code has to know of the model.

import ObjectModel
import Predicates

struct TypeScriptMaps {
    private let model: Model
    private let names: TypeScriptNames
    private let entities: [Entity]
    private let queries: [FetchRequestTemplate]

    init(_ model: Model, _ names: TypeScriptNames) {
        self.model = model
        self.names = names
        entities = model.entities.sorted { $0.name < $1.name }
        queries = model.fetchRequestTemplates.filter { model.entity(named: $0.entityName) != nil }
            .sorted { $0.name < $1.name }
    }

    var hasQueries: Bool { !queries.isEmpty }

    var section: String {
        var parts = ["// ----- The model -----", entityMap]
        if hasQueries { parts += [queryMap, queryEntities] }
        parts += [version, shape]
        return parts.joined(separator: "\n\n")
    }

    // MARK: Types

    private var entityMap: String {
        let entries = entities.map { entity in
            "  \(entity.name.asKey): {\n" + lines(of: entity).map { "    \($0);\n" }.joined() + "  };\n"
        }
        return """
            /** The types of each entity, and of what its properties refer to. */
            export interface EntityMap {
            \(entries.joined())}
            """
    }

    private func lines(of entity: Entity) -> [String] {
        let attributes = model.attributes(of: entity).sorted { $0.name < $1.name }
        let stored = attributes.filter { !$0.isTransient }
        let relationships = model.relationships(of: entity).filter { !$0.isTransient }.sorted { $0.name < $1.name }
        let fetched = model.fetchedProperties(of: entity).sorted { $0.name < $1.name }
        func destinations(_ isToMany: Bool) -> [String] {
            relationships.filter { $0.isToMany == isToMany }.map {
                "\($0.name.inAPI.asKey): \($0.destinationName.quoted)"
            }
        }
        func keys(_ isIncluded: (AttributeType) -> Bool) -> String {
            stored.filter { isIncluded($0.type) }.map(\.name.inAPI.quoted).asUnion
        }
        let found = fetched.map { "\($0.name.inAPI.asKey): \($0.fetchRequest.entityName.quoted)" }
        let pending = attributes.filter(\.isTransient).map { "\($0.name.inAPI.asKey): \(names.read($0))" }
        let member = newMember(of: entity)
        return [
            "object: \(names[entity.name])",
            "reference: \(names[entity.name, .reference])",
            "create: \(entity.isAbstract ? "never" : member)",
            "member: \(member)",
            "update: \(names[entity.name, .update])",
            "filter: \(names[entity.name, .filter])",
            destinations(false).inBraces(";", after: "toOne: ", indent: 4),
            destinations(true).inBraces(";", after: "toMany: ", indent: 4),
            found.inBraces(";", after: "fetched: ", indent: 4),
            pending.inBraces(";", after: "transient: ", indent: 4),
            "composites: \(keys { $0.compositeName != nil })",
            "json: \(keys(\.isJSON))",
            "bytes: \(keys { $0 == .binary })",
            "unique: \(uniqueValues(of: entity))",
        ]
    }

    /// What a relationship takes for a new object: those of subentities say which one.
    private func newMember(of entity: Entity) -> String {
        let below = model.descendants(of: entity).filter { !$0.isAbstract }.sorted { $0.name < $1.name }
        let kinds = below.map { "(\(names[$0.name, .create]) & { _entity: \($0.name.quoted) })" }
        return ((entity.isAbstract ? [] : [names[entity.name, .create]]) + kinds).asUnion
    }

    private func uniqueValues(of entity: Entity) -> String {
        let kinds = model.lineage(of: entity) + model.descendants(of: entity)
        var types: [String] = []
        for kind in kinds {
            for constraint in kind.uniquenessConstraints {
                let type = constraint.compactMap { name in
                    model.property(named: name, of: kind).flatMap(uniqueType).map { "\(name.inAPI.asKey): \($0)" }
                }.inBraces(";", indent: 4)
                if !types.contains(type) { types.append(type) }
            }
        }
        return types.asUnion
    }

    private func uniqueType(_ property: Property) -> String? {
        switch property {
        case .attribute(let attribute): names.written(attribute)
        case .relationship(let relationship): names[relationship.destinationName, .reference]
        case .fetched: nil
        }
    }

    // MARK: Named queries

    private var queryMap: String {
        let entries = queries.map { query in
            let predicate = query.predicate.flatMap { try? ObjectPredicate(template: $0) }
            let variables = predicate?.freeVariables.sorted().map { "\($0.asKey): PredicateValue" } ?? []
            let head = "  \(query.name.asKey): { entity: \(query.entityName.quoted); "
            return head + variables.inBraces(";", after: "variables: ", indent: head.count) + " };\n"
        }
        return "/** The model's named queries. */\nexport interface QueryMap {\n\(entries.joined())}"
    }

    private var queryEntities: String {
        let members = queries.map { "\($0.name.asValueKey): \($0.entityName.quoted)" }
        let head = "const queryEntities: { readonly [N in QueryName]: QueryMap[N][\"entity\"] } = "
        return members.inBraces(",", after: head) + ";"
    }

    // MARK: Values

    private var version: String {
        """
        /** The version of the model that this was generated from, as `Model-Version` of the server's answers has it. */
        const modelVersion = \(model.versionName.quoted);
        """
    }

    private var shape: String {
        let members = entities.map { entity in
            shape(of: entity).inBraces(",", after: "  \(entity.name.asValueKey): ", indent: 2) + ",\n"
        }
        return """
            /** How the properties of each entity are written in predicates. */
            const modelShape: ModelShape = {
            \(members.joined())};
            """
    }

    private func shape(of entity: Entity) -> [String] {
        var members = ["path: \(entity.apiPath.quoted)"]
        if let parent = entity.parentName { members.append("parent: \(parent.quoted)") }
        let related = entity.relationships.filter { !$0.isTransient }.sorted { $0.name < $1.name }.map { relationship in
            let destination = relationship.destinationName.quoted
            return "\(relationship.name.inAPI.asKey): \(relationship.isToMany ? "[\(destination)]" : destination)"
        }
        let found = entity.fetchedProperties.sorted { $0.name < $1.name }.map {
            "\($0.name.inAPI.asKey): [\($0.fetchRequest.entityName.quoted)]"
        }
        if !(related + found).isEmpty {
            members.append((related + found).inBraces(",", after: "relationships: ", indent: 4))
        }
        let attributes = entity.attributes.filter { !$0.isTransient }.sorted { $0.name < $1.name }
        let composites = attributes.compactMap { attribute in
            attribute.type.compositeName.map { "\(attribute.name.inAPI.asKey): \(shape(ofComposite: $0, within: []))" }
        }
        if !composites.isEmpty { members.append(composites.inBraces(",", after: "composites: ", indent: 4)) }
        let json = attributes.filter(\.type.isJSON).map(\.name.inAPI.quoted)
        if !json.isEmpty { members.append("json: [\(json.joined(separator: ", "))]") }
        return members
    }

    /// The elements that aren't plain values. A composite that contains itself is an error of the model, and ends here.
    private func shape(ofComposite name: String, within outer: [String]) -> String {
        guard !outer.contains(name), let composite = model.composite(named: name) else { return "{}" }
        let members = composite.attributes.sorted { $0.name < $1.name }.compactMap { element -> String? in
            if element.type.isJSON { return "\(element.name.inAPI.asKey): \"json\"" }
            guard let inner = element.type.compositeName else { return nil }
            return "\(element.name.inAPI.asKey): \(shape(ofComposite: inner, within: outer + [name]))"
        }
        return members.isEmpty ? "{}" : "{ \(members.joined(separator: ", ")) }"
    }
}

extension Model {
    /// All entities below an entity.
    fileprivate func descendants(of entity: Entity) -> [Entity] {
        entities.filter { $0.name != entity.name && isEntity($0.name, kindOf: entity.name) }.sorted {
            $0.name < $1.name
        }
    }
}
