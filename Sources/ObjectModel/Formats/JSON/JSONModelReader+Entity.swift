// SPDX-License-Identifier: Apache-2.0

import JSON

extension JSONModelReader {
    mutating func entity(_ name: String, _ value: JSONValue) -> Entity {
        guard let object = object(value, .entity) else { return Entity(name: name) }
        return Entity(
            name: name,
            className: text("class", of: object),
            isAbstract: flag("abstract", of: object) ?? false,
            parentName: text("parent", of: object),
            attributes: properties("attributes", of: object) { $0.attribute($1, $2) },
            relationships: properties("relationships", of: object) { $0.relationship($1, $2) },
            fetchedProperties: properties("fetchedProperties", of: object) { $0.fetchedProperty($1, $2) },
            fetchIndexes: properties("indexes", of: object) { $0.index($1, $2) },
            compoundIndexes: elements("compoundIndexes", of: object).map { texts($0, "compoundIndexes") },
            uniquenessConstraints: elements("unique", of: object).map { uniquenessConstraint($0) },
            userInfo: userInfo(of: object),
            renamingIdentifier: text("renamedFrom", of: object),
            versionHashModifier: text("versionHashModifier", of: object),
            extras: extras(of: object, .entity)
        )
    }

    /// `"email"`, or `["first", "last"]` for attributes that are unique in combination.
    private mutating func uniquenessConstraint(_ value: JSONValue) -> [String] {
        value.string.map { [$0] } ?? texts(value, "unique")
    }
}

extension Entity {
    func json(compositeNames: Set<String>) throws(ModelError) -> JSONValue {
        do {
            return .object(try object(compositeNames: compositeNames))
        } catch {
            throw error.placed(inEntity: name)
        }
    }

    private func object(compositeNames: Set<String>) throws(ModelError) -> JSONObject {
        var object = JSONObject()
        object["class"] = className.map(JSONValue.string)
        object["abstract"] = isAbstract.jsonTrue
        object["parent"] = parentName.map(JSONValue.string)
        object["attributes"] = try .named(attributes, "attributes") { attribute throws(ModelError) in
            (attribute.name, try attribute.json(compositeNames: compositeNames))
        }
        object["relationships"] = try .named(relationships, "relationships") { relationship throws(ModelError) in
            (relationship.name, try relationship.json())
        }
        object["fetchedProperties"] = try .named(fetchedProperties, "fetched properties") {
            property throws(ModelError) in (property.name, try property.json())
        }
        if !uniquenessConstraints.isEmpty {
            object["unique"] = .array(
                uniquenessConstraints.map { $0.count == 1 ? .string($0[0]) : .array($0.map(JSONValue.string)) }
            )
        }
        object["indexes"] = try .named(fetchIndexes, "indexes") { index throws(ModelError) in
            (index.name, try index.json())
        }
        if !compoundIndexes.isEmpty {
            object["compoundIndexes"] = .array(compoundIndexes.map { .array($0.map(JSONValue.string)) })
        }
        object["userInfo"] = try userInfo.json()
        object["renamedFrom"] = renamingIdentifier.map(JSONValue.string)
        object["versionHashModifier"] = versionHashModifier.map(JSONValue.string)
        try extras.write(to: &object)
        return object
    }
}
