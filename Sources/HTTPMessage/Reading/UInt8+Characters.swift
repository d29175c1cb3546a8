// SPDX-License-Identifier: Apache-2.0

// The classes of characters that messages are made of.

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

    /// The characters of names, of methods, fields and others: letters, digits and !#$%&'*+-.^_`|~.
    var isToken: Bool {
        // One bit for each of the first 64 characters, and for each of the next.
        let set: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (set >> (self & 63)) & 1 != 0
    }

    /// The characters that never mean anything in a URL but themselves.
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
