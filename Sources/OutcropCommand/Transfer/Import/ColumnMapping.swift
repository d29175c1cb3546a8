// SPDX-License-Identifier: Apache-2.0

// Maps columns to properties.

import Arguments
import JSON
import ObjectGraph

/// `Title=title`, `Mail=author.email`, or `Notes=` to ignore a column.
struct ColumnMapping: ArgumentValue {
    let argument: String
    let column: String
    /// Empty for an ignored column.
    let path: [String]

    init(argument: String) throws(InvalidArgument) {
        self.argument = argument
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex else {
            throw InvalidArgument("expected a column and a key path, as in “Mail=author.email”")
        }
        column = String(argument[..<sign])
        path = argument[argument.index(after: sign)...].split(separator: ".").map(String.init)
    }
}

extension [ColumnMapping] {
    /// The name of a column. Surrounding white space is removed, unless a mapping includes it.
    func name(of cell: String) -> String {
        if contains(where: { $0.column == cell }) { return cell }
        let start = cell.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The key path of a column: the mapped one, or its name.
    func path(of column: String) -> [String] {
        first { $0.column == column }?.path ?? column.split(separator: ".").map(String.init)
    }

    /// An object with its members renamed to properties.
    func applied(to object: JSONObject) -> JSONObject {
        var result = JSONObject()
        for member in object.members {
            if let mapping = first(where: { $0.column == member.name }) {
                result.set(member.value, at: mapping.path[...])
            } else {
                result[member.name] = member.value
            }
        }
        return result
    }
}

extension JSONObject {
    /// Sets a value in nested objects.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else { return self[first] = value }
        var inner = self[first]?.object ?? JSONObject()
        inner.set(value, at: path.dropFirst())
        self[first] = .object(inner)
    }
}
