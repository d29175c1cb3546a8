// SPDX-License-Identifier: Apache-2.0

// Lists of keys in statements, few texts for any number of them, so that statements are prepared once.

import SQLiteDriver

extension SQL {
    /// A list to stand after `IN`: placeholders up to the next power of two, or one for a list that is long.
    static func keys(_ keys: [Int64]) -> SQL {
        guard let last = keys.last, keys.count <= longestKeyList else {
            let list = "[" + keys.map { "\($0)" }.joined(separator: ",") + "]"
            return "(SELECT value FROM json_each(\(value: .text(list))))"
        }
        var size = 1
        while size < keys.count { size *= 2 }
        // What is there twice is found once.
        let padded = keys + Array(repeating: last, count: size - keys.count)
        return "(\(padded.map { "\(value: .integer($0))" as SQL }.joined(separator: ", ")))"
    }

    private static var longestKeyList: Int { 256 }
}
