// SPDX-License-Identifier: Apache-2.0
// Character classes of XML 1.0 (fifth edition).

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let ampersand = UInt8(ascii: "&")
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let slash = UInt8(ascii: "/")
    static let equals = UInt8(ascii: "=")
    static let semicolon = UInt8(ascii: ";")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")

    var isXMLSpace: Bool {
        self == .space || self == .tab || self == .lineFeed || self == .carriageReturn
    }

    /// An ASCII byte that may begin a name.
    var isNameStart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// An ASCII byte that may occur in a name.
    var isNamePart: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isNameStart
        }
    }
}

extension Unicode.Scalar {
    var isAllowedInXML: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    var isNameStart: Bool {
        switch value {
        case 0..<0x80: UInt8(value).isNameStart
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
            0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
            0x10000...0xEFFFF:
            true
        default: false
        }
    }

    var isNamePart: Bool {
        switch value {
        case 0..<0x80: UInt8(value).isNamePart
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isNameStart
        }
    }
}

extension String {
    var isXMLName: Bool {
        guard let first = unicodeScalars.first else { return false }
        return first.isNameStart && unicodeScalars.dropFirst().allSatisfy(\.isNamePart)
    }
}
