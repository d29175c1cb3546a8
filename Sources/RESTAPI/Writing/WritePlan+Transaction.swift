// SPDX-License-Identifier: Apache-2.0

// Plans several operations in one save.

import JSON
import ObjectGraph
import SourceText

extension WritePlanner {
    /// The plan of `{"operations":[{"insert":"Post",…},{"update":"users/7",…},{"delete":"tags/9"}]}`.
    func transaction() throws(Problem) -> WritePlan {
        let body = try request.json()
        let place = BodyPosition(object: "transaction", position: body.position)
        guard let object = body.object else { throw .notAnObject(body, nil, at: place) }
        var reader = reader
        reader.keepsIDs = api.keepsIDs
        reader.checkKeys(of: object, ["operations"], place)
        guard let operations = object["operations"]?.array else {
            reader.findings.add(.type, "“operations” must be an array of operations.", at: place.member("operations"))
            throw reader.findings.problem
        }
        var indices: [Int] = []
        for (offset, operation) in operations.enumerated() {
            let pointer = "/operations/\(offset)"
            let place = BodyPosition(object: pointer, pointer: pointer, position: operation.position)
            if let index = reader.operation(operation, place) { indices.append(index) }
        }
        return try plan(&reader, answering: .operations(indices))
    }
}

extension BodyReader {
    fileprivate mutating func checkKeys(of object: JSONObject, _ keys: [String], _ place: BodyPosition) {
        for member in object.members where !keys.contains(member.name) {
            findings.add(
                .unknown,
                "The key “\(member.name.shortened)” is unknown.",
                hint: Spelling.hint(for: member.name, among: keys) ?? "Known keys: \(keys.joined(separator: ", ")).",
                at: place.member(member.name, member.value)
            )
        }
    }

    fileprivate mutating func operation(_ json: JSONValue, _ place: BodyPosition) -> Int? {
        let kinds = ["insert", "update", "delete"]
        guard let object = json.object else {
            findings.add(.type, "An operation must be an object, not \(json.summary).", at: place)
            return nil
        }
        let named = object.members.filter { kinds.contains($0.name) }
        guard named.count == 1, let kind = named.first else {
            checkKeys(of: object, kinds + ["id", "values", "version"], place)
            findings.add(.type, "An operation must have exactly one of \(kinds.joined(separator: ", ")).", at: place)
            return nil
        }
        switch kind.name {
        case "insert":
            checkKeys(of: object, ["insert", "id", "values"] + (keepsIDs ? ["keep"] : []), place)
            return insertion(object, kind.value, place)
        case "update":
            checkKeys(of: object, ["update", "version", "values"], place)
            guard let values = values(of: object, place), let location = location(kind, place) else { return nil }
            let inner = BodyPosition(
                object: location.name,
                pointer: "\(place.pointer)/values",
                position: place.position
            )
            return change(values, .update(location), inner).map { versioned($0, by: object, place) }
        default:
            checkKeys(of: object, ["delete", "version"], place)
            guard let location = location(kind, place) else { return nil }
            let inner = BodyPosition(object: location.name, pointer: place.pointer, position: place.position)
            guard admitObject() else { return nil }
            return versioned(begin(ObjectWrite(action: .delete(location), place: inner)), by: object, place)
        }
    }

    private mutating func insertion(_ object: JSONObject, _ entity: JSONValue, _ place: BodyPosition) -> Int? {
        guard let name = entity.string, let resource = catalogue.resource(named: name) else {
            let names = catalogue.names
            findings.add(
                .unknown,
                "“insert” must be the name of an entity, not \(entity.summary).",
                hint: entity.string.flatMap { Spelling.hint(for: $0, among: names) },
                at: place.member("insert", entity)
            )
            return nil
        }
        guard var values = values(of: object, place) else { return nil }
        if let name = object["id"] {
            if let other = values["_id"], other != name {
                findings.add(.duplicate, "“id” and “_id” are different.", at: place.member("id", name))
            }
            values["_id"] = name
        }
        let inner = BodyPosition(object: place.object, pointer: "\(place.pointer)/values", position: place.position)
        let index = insert(values, resource, inner)
        guard let index, keepsIDs, let kept = object["keep"] else { return index }
        if let identity = kept.object {
            keep(catalogue.identity(of: identity, resource), of: index)
        } else {
            findings.add(
                .type,
                "“keep” must be an object with the “_id” and the “_version” in another store, not \(kept.summary).",
                at: place.member("keep", kept)
            )
        }
        return index
    }

    private mutating func values(of object: JSONObject, _ place: BodyPosition) -> JSONObject? {
        guard let json = object["values"] else { return JSONObject() }
        if let values = json.object { return values }
        findings.add(.type, "“values” must be an object, not \(json.summary).", at: place.member("values", json))
        return nil
    }

    private mutating func location(_ member: JSONMember, _ place: BodyPosition) -> ObjectLocation? {
        if let location = location(member.value) { return location }
        findings.add(
            .reference,
            "“\(member.name)” takes a reference such as \"posts/1\", not \(member.value.summary).",
            at: place.member(member.name, member.value)
        )
        return nil
    }

    private mutating func versioned(_ index: Int, by object: JSONObject, _ place: BodyPosition) -> Int {
        if let json = object["version"] { setVersion(json, place.member("version", json), of: index) }
        return index
    }
}
