// SPDX-License-Identifier: Apache-2.0

import JSON

extension JSONModelReader {
    mutating func fetchRequest(_ name: String, _ value: JSONValue) -> FetchRequestTemplate {
        guard let object = object(value, .fetchRequest) else { return FetchRequestTemplate(name: name, entityName: "") }
        if object["entity"] == nil {
            report(.modelMissing, at: value.position, "A fetch request needs an entity.")
        }
        return FetchRequestTemplate(
            name: text("name", of: object) ?? name,
            entityName: text("entity", of: object) ?? "",
            predicate: text("predicate", of: object),
            resultType: choice("result", of: object, FetchRequestTemplate.ResultType.jsonNames),
            fetchLimit: count("limit", of: object),
            fetchBatchSize: count("batchSize", of: object),
            includesSubentities: flag("includesSubentities", of: object),
            includesPropertyValues: flag("includesPropertyValues", of: object),
            includesPendingChanges: flag("includesPendingChanges", of: object),
            returnsObjectsAsFaults: flag("returnsObjectsAsFaults", of: object),
            returnsDistinctResults: flag("returnsDistinctResults", of: object),
            extras: extras(of: object, .fetchRequest)
        )
    }

    mutating func fetchedProperty(_ name: String, _ value: JSONValue) -> FetchedProperty {
        var request = FetchRequestTemplate(name: FetchRequestTemplate.nameInFetchedProperty, entityName: "")
        guard let object = object(value, .fetchedProperty) else {
            return FetchedProperty(name: name, fetchRequest: request)
        }
        if let value = object["fetch"] {
            request = fetchRequest(request.name, value)
        } else {
            report(.modelMissing, at: value.position, "A fetched property needs a fetch request, in “fetch”.")
        }
        return FetchedProperty(
            name: name,
            fetchRequest: request,
            isOptional: flag("optional", of: object) ?? true,
            userInfo: userInfo(of: object),
            extras: extras(of: object, .fetchedProperty)
        )
    }
}

extension FetchRequestTemplate {
    /// The fetch request, with its name only if it differs from the expected one.
    func json(named expected: String) throws(ModelError) -> JSONValue {
        var object = JSONObject()
        if name != expected { object["name"] = .string(name) }
        object["entity"] = .string(entityName)
        object["predicate"] = predicate.map(JSONValue.string)
        object["result"] = resultType.flatMap { ResultType.jsonNames.name(of: $0) }.map(JSONValue.string)
        object["limit"] = fetchLimit.map(JSONValue.integer)
        object["batchSize"] = fetchBatchSize.map(JSONValue.integer)
        object["includesSubentities"] = includesSubentities.map(JSONValue.bool)
        object["includesPropertyValues"] = includesPropertyValues.map(JSONValue.bool)
        object["includesPendingChanges"] = includesPendingChanges.map(JSONValue.bool)
        object["returnsObjectsAsFaults"] = returnsObjectsAsFaults.map(JSONValue.bool)
        object["returnsDistinctResults"] = returnsDistinctResults.map(JSONValue.bool)
        try extras.write(to: &object)
        return .object(object)
    }
}

extension FetchedProperty {
    func json() throws(ModelError) -> JSONValue {
        var object = JSONObject()
        object["fetch"] = try fetchRequest.json(named: FetchRequestTemplate.nameInFetchedProperty)
        if !isOptional { object["optional"] = false }
        object["userInfo"] = try userInfo.json()
        try extras.write(to: &object)
        return .object(object)
    }
}
