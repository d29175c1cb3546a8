// SPDX-License-Identifier: Apache-2.0

// A row as an object to be created, and the names that refer to it.

import JSON
import ObjectGraph
import ObjectModel
import SourceText

struct ImportObject {
    let row: ImportRow
    let entity: EntityDescription
    let object: JSONObject
    let id: String?
    /// The names that the input uses for it: its `_id` and its unique values.
    let names: [String]

    /// Throws the errors of the line.
    init(_ row: ImportRow, of standard: EntityDescription?, in model: ManagedObjectModel) throws {
        self.row = row
        if let badLine = row.badLine { throw BadLines(lines: [badLine]) }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: row.bytes)
        } catch {
            throw BadLines(lines: [BadLine(row, error)])
        }
        guard let object = json.object else {
            throw BadLines(lines: [BadLine(row, "type", "A row must be an object, not \(json.kindName).")])
        }
        self.object = object
        switch object["_entity"] {
        case nil:
            guard let standard else {
                let message = "The object's entity is missing: there is neither “_entity” nor --entity."
                throw BadLines(lines: [BadLine(row, "unknown", message, property: "_entity")])
            }
            entity = standard
        case let name?:
            guard let text = name.string else {
                let message = "“_entity” must be the name of an entity, not \(name.kindName)."
                throw BadLines(lines: [BadLine(row, "type", message, property: "_entity")])
            }
            guard let named = model.entity(named: text) else {
                throw BadLines(lines: [BadLine(row, "unknown", "There is no entity “\(text)”.", property: "_entity")])
            }
            entity = named
        }
        let named = entity
        if let name = object["_id"], !name.isNull {
            guard let text = name.string, !text.isEmpty else {
                let kind = name.string == nil ? name.kindName : "an empty one"
                let message = "“_id” must be a text by which other lines refer to the object, not \(kind)."
                throw BadLines(lines: [BadLine(row, "type", message, property: "_id")])
            }
            id = text
        } else {
            id = nil
        }
        let uniqueValues = entity.uniquenessConstraints.compactMap { constraint in
            let values = constraint.compactMap { property in object[property.apiName].map { (property.apiName, $0) } }
            return values.count < constraint.count || values.contains { $0.1.isNull } ? nil : JSONObject(values)
        }
        names = [id.map(Self.name(ofID:))].compactMap(\.self) + uniqueValues.map { Self.name(of: named, $0) }
    }

    /// The name for an `_id` of the input.
    static func name(ofID id: String) -> String { "i:\(id)" }

    /// The name for unique values.
    static func name(of entity: EntityDescription, _ values: JSONObject) -> String {
        let sorted = values.members.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value.serialized())" }
        return "u:\(entity.rootIndex):" + sorted.joined(separator: "&")
    }
}

extension ImportObject {
    /// The object's former reference and version, as a transaction expects them; nil if its `_id` isn't a reference.
    var identity: JSONValue? {
        guard let id = object["_id"]?.string, Self.isReference(id) else { return nil }
        var identity: JSONObject = ["_id": .string(id)]
        if let version = object["_version"], let number = version.int64 ?? version.string.flatMap({ Int64($0) }) {
            identity["_version"] = .integer(number)
        }
        return .object(identity)
    }

    /// Whether a text has the form of an object's reference.
    static func isReference(_ id: String) -> Bool {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && Int64(parts[1]) != nil
    }
}
