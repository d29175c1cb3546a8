// SPDX-License-Identifier: Apache-2.0

// Character classes of HTTP messages.

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let backslash = UInt8(ascii: "\\")

    var isDigit: Bool { self &- 0x30 < 10 }
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    var isBlank: Bool { self == .space || self == .tab }
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// The characters of tokens, such as methods and field names: letters, digits and !#$%&'*+-.^_`|~.
    var isToken: Bool {
        // A bit set of the first 64 ASCII characters, and one of the other 64.
        let set: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (set >> (self & 63)) & 1 != 0
    }

    /// The characters of a URL that never have a special meaning.
    var isUnreserved: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }

    var hexadecimalDigit: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
