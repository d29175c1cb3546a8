// SPDX-License-Identifier: Apache-2.0

// Identifiers in SQL text.

import CSQLite

enum Identifier {
    /// The name as it is if SQLite reads it as an identifier, or else in double quotes.
    static func text(of name: String) -> String { isPlain(name) ? name : name.quoted(by: "\"") }

    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, isLetter(first), bytes.allSatisfy({ isLetter($0) || isDigit($0) }) else {
            return false
        }
        return !isKeyword(name)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isKeyword(_ name: String) -> Bool {
        unsafe sqlite3_keyword_check(name, CInt(clamping: name.utf8.count)) != 0
    }
}
