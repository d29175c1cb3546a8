// SPDX-License-Identifier: Apache-2.0

// A row as an object that is to be made, and the names by which others may know it.

import JSON
import ObjectGraph
import ObjectModel
import SourceText

struct ImportObject {
    let row: ImportRow
    let entity: EntityDescription
    let object: JSONObject
    /// The names that the input has for it: what its `_id` says, and its unique values.
    let names: [String]

    /// Throws what is wrong with the line.
    init(_ row: ImportRow, of standard: EntityDescription?, in model: ManagedObjectModel) throws {
        self.row = row
        let json: JSONValue
        do {
            json = try JSONValue(parsing: row.bytes)
        } catch {
            throw BadLines(lines: [BadLine(row, "json", "column \(error.position.column): \(error.message)")])
        }
        guard let object = json.object else {
            throw BadLines(lines: [BadLine(row, "type", "A row is an object, not \(json.kindName).")])
        }
        self.object = object
        switch object["_entity"] {
        case nil:
            guard let standard else {
                let message = "Nothing says of which entity the object is: neither “_entity”, nor --entity."
                throw BadLines(lines: [BadLine(row, "unknown", message, property: "_entity")])
            }
            entity = standard
        case let name?:
            guard let named = name.string.flatMap(model.entity(named:)) else {
                let message = "There is no entity \(name.string.map { "“\($0)”" } ?? name.kindName)."
                throw BadLines(lines: [BadLine(row, "unknown", message, property: "_entity")])
            }
            entity = named
        }
        var names: [String] = []
        if let name = object["_id"]?.string { names.append(Self.name(ofID: name)) }
        for constraint in entity.uniquenessConstraints {
            let values = constraint.map { object[$0.apiName] }
            if values.contains(where: { $0 == nil || $0?.isNull == true }) { continue }
            names.append(Self.name(of: entity, zip(constraint.map(\.apiName), values.compactMap(\.self))))
        }
        self.names = names
    }

    /// The name that an `_id` of the input is.
    static func name(ofID id: String) -> String { "i:\(id)" }

    /// The name that unique values are.
    static func name(of entity: EntityDescription, _ values: some Sequence<(String, JSONValue)>) -> String {
        let sorted = values.sorted { $0.0 < $1.0 }.map { "\($0)=\($1.serialized())" }
        return "u:\(entity.rootIndex):" + sorted.joined(separator: "&")
    }
}
