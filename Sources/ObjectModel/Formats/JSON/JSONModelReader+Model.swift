// SPDX-License-Identifier: Apache-2.0

// Models with their composites and configurations.

import JSON

extension JSONModelReader {
    mutating func model(_ value: JSONValue) -> Model {
        guard let object = object(value, .model) else { return Model() }
        compositeNames = Set(object["composites"]?.object?.names ?? [])
        entityNames = Set(object["entities"]?.object?.names ?? [])
        return Model(
            entities: entities("entities", of: object) { $0.entity($1, $2) },
            composites: entities("composites", of: object) { $0.composite($1, $2) },
            configurations: named("configurations", of: object) { $0.configuration($1, $2) },
            fetchRequestTemplates: named("fetchRequestTemplates", of: object) { $0.fetchRequest($1, $2) },
            versionIdentifiers: object["versionIdentifiers"].map { texts($0, "versionIdentifiers") } ?? [],
            extras: extras(of: object, .model)
        )
    }

    private mutating func composite(_ name: String, _ value: JSONValue) -> Composite {
        guard let object = object(value, .composite) else { return Composite(name: name, attributes: []) }
        return Composite(
            name: name,
            attributes: properties("attributes", of: object) { $0.attribute($1, $2) },
            extras: extras(of: object, .composite)
        )
    }

    /// `["User", "Post"]`, or an object with more details.
    private mutating func configuration(_ name: String, _ value: JSONValue) -> Configuration {
        if value.array != nil { return Configuration(name: name, entityNames: texts(value, "a configuration")) }
        guard let object = object(value, .configuration, or: "an array") else {
            return Configuration(name: name, entityNames: [])
        }
        return Configuration(
            name: name,
            entityNames: object["entities"].map { texts($0, "entities") } ?? [],
            extras: extras(of: object, .configuration)
        )
    }
}

extension Model {
    func jsonObject() throws(ModelError) -> JSONObject {
        let compositeNames = Set(composites.map(\.name))
        var object = JSONObject()
        if !versionIdentifiers.isEmpty {
            object["versionIdentifiers"] = .array(versionIdentifiers.map(JSONValue.string))
        }
        object["entities"] =
            try .named(entities, "entities") { entity throws(ModelError) in
                (entity.name, try entity.json(compositeNames: compositeNames))
            } ?? [:]
        object["composites"] = try .named(composites, "composites") { composite throws(ModelError) in
            (composite.name, try composite.json(compositeNames: compositeNames))
        }
        object["configurations"] = try .named(configurations, "configurations") { configuration throws(ModelError) in
            (configuration.name, try configuration.json())
        }
        object["fetchRequestTemplates"] = try .named(fetchRequestTemplates, "fetch request templates") {
            template throws(ModelError) in (template.name, try template.json(named: template.name))
        }
        try extras.write(to: &object)
        return object
    }
}

extension Composite {
    fileprivate func json(compositeNames: Set<String>) throws(ModelError) -> JSONValue {
        var object = JSONObject()
        object["attributes"] =
            try .named(attributes, "attributes") { attribute throws(ModelError) in
                (attribute.name, try attribute.json(compositeNames: compositeNames))
            } ?? [:]
        try extras.write(to: &object)
        return .object(object)
    }
}

extension Configuration {
    fileprivate func json() throws(ModelError) -> JSONValue {
        let names = JSONValue.array(entityNames.map(JSONValue.string))
        guard !extras.isEmpty else { return names }
        var object = JSONObject()
        object["entities"] = names
        try extras.write(to: &object)
        return .object(object)
    }
}

extension JSONObject {
    /// Creates an object, or throws if a name is repeated, since only one of the members would be kept.
    init(distinct members: [(String, JSONValue)], _ what: String) throws(ModelError) {
        self.init(members)
        guard count < members.count else { return }
        var seen: Set<String> = []
        let name = members.first { !seen.insert($0.0).inserted }?.0 ?? ""
        throw .unwritable("Two \(what) have the name “\(name)”, which JSON can't represent.")
    }
}

extension JSONValue {
    /// An object with a member for each thing, or nil if there are none.
    static func named<Thing>(
        _ things: [Thing],
        _ what: String,
        _ member: (Thing) throws(ModelError) -> (String, JSONValue)
    ) throws(ModelError) -> JSONValue? {
        var members: [(String, JSONValue)] = []
        for thing in things { members.append(try member(thing)) }
        return members.isEmpty ? nil : .object(try JSONObject(distinct: members, what))
    }
}
