// SPDX-License-Identifier: Apache-2.0

// Lists of keys in few distinct statement texts, so that prepared statements are reused.

import SQLiteDriver

extension SQL {
    /// The right side of `IN`: placeholders up to the next power of two, or a single JSON parameter for a long list.
    static func keys(_ keys: [Int64]) -> SQL {
        guard let last = keys.last, keys.count <= longestKeyList else {
            let list = "[" + keys.map { "\($0)" }.joined(separator: ",") + "]"
            return "(SELECT value FROM json_each(\(value: .text(list))))"
        }
        var size = 1
        while size < keys.count { size *= 2 }
        // Repeated keys have no effect.
        let padded = keys + Array(repeating: last, count: size - keys.count)
        return "(\(padded.map { "\(value: .integer($0))" as SQL }.joined(separator: ", ")))"
    }

    private static var longestKeyList: Int { 256 }
}
