// SPDX-License-Identifier: Apache-2.0

// Which column is which property.

import Arguments
import JSON
import ObjectGraph

/// `Title=title`, `Mail=author.email`, or `Notes=` for a column that is left out.
struct ColumnMapping: ArgumentValue {
    let argument: String
    let column: String
    /// None for a column that is left out.
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
    /// What a column is called by the first cell of it. Blanks around that count only where a mapping has them.
    func name(of cell: String) -> String {
        if contains(where: { $0.column == cell }) { return cell }
        let start = cell.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The key path of a column: the one that is given, else its name.
    func path(of column: String) -> [String] {
        first { $0.column == column }?.path ?? column.split(separator: ".").map(String.init)
    }

    /// An object with its members under the names of the properties.
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
    /// Sets a value in objects within each other.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else { return self[first] = value }
        var inner = self[first]?.object ?? JSONObject()
        inner.set(value, at: path.dropFirst())
        self[first] = .object(inner)
    }
}
