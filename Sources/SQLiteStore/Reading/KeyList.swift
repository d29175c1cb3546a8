// SPDX-License-Identifier: Apache-2.0

// Lists of keys in few distinct statement texts, so that prepared statements are reused.

import SQLiteDriver

extension SQL {
    /// The right side of `IN`: placeholders up to the next power of two, or a single JSON parameter for a long list.
    static func keys(_ keys: [Int64]) -> SQL {
        guard let last = keys.last, keys.count <= longestKeyList else {
            return "(SELECT value FROM json_each(\(value: .list(keys))))"
        }
        var place = 0
        while 1 << place < keys.count { place += 1 }
        // Repeated keys have no effect.
        let padded = keys + Array(repeating: last, count: 1 << place - keys.count)
        return SQL(text: keyLists[place], bindings: padded.map(SQLValue.integer))
    }

    private static let longestKeyList = 256
    /// Lists of 1, 2, 4, … placeholders.
    private static let keyLists = (0...8).map { place in
        "(" + Array(repeating: "?", count: 1 << place).joined(separator: ", ") + ")"
    }
}

extension SQLValue {
    /// A JSON array of keys, for `json_each`.
    static func list(_ keys: [Int64]) -> SQLValue {
        var text = "["
        text.reserveCapacity(8 * keys.count + 2)
        for key in keys {
            if text.utf8.count > 1 { text += "," }
            text += String(key)
        }
        return .text(text + "]")
    }
}
