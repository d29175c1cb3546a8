// SPDX-License-Identifier: Apache-2.0
// Parses character data and attribute values, resolving references and normalizing line ends to line feeds.

extension XMLReader {
    /// Reads text up to the next markup.
    mutating func characters() throws(XMLError) -> String {
        var text = ""
        var start = index
        while index < bytes.count {
            switch bytes[index] {
            case .lessThan:
                return text.isEmpty ? string(from: start) : text + string(from: start)
            case .ampersand:
                text += string(from: start)
                text.unicodeScalars.append(try reference())
                start = index
            case .carriageReturn:
                text += string(from: start) + "\n"
                skipLineEnd()
                start = index
            case .closeBracket where starts(with: "]]>"):
                throw .misplaced("Text must not contain ]]> (write ]]&gt;).", at: position())
            default:
                index += 1
            }
        }
        return text + string(from: start)
    }

    /// Reads a quoted value. Tabs and line ends become spaces, unless they are written as references.
    mutating func attributeValue() throws(XMLError) -> String {
        let quote = current
        index += 1
        var value = ""
        var start = index
        while index < bytes.count {
            switch bytes[index] {
            case quote:
                defer { index += 1 }
                return value.isEmpty ? string(from: start) : value + string(from: start)
            case .ampersand:
                value += string(from: start)
                value.unicodeScalars.append(try reference())
                start = index
            case .tab, .lineFeed, .carriageReturn:
                value += string(from: start) + " "
                skipLineEnd()
                start = index
            case .lessThan:
                throw .misplaced("An attribute value must not contain < (write &lt;).", at: position())
            default:
                index += 1
            }
        }
        throw expected("a closing quotation mark")
    }

    mutating func cdata() throws(XMLError) -> String {
        index += 9
        let start = index
        while !starts(with: "]]>") {
            guard index < bytes.count else { throw expected("]]> to end the CDATA section") }
            index += 1
        }
        defer { index += 3 }
        return normalized(from: start)
    }

    /// The text since an offset, with line ends normalized to line feeds.
    func normalized(from start: Int) -> String {
        guard bytes[start..<index].contains(.carriageReturn) else { return string(from: start) }
        var result: [UInt8] = []
        for offset in start..<index {
            if bytes[offset] != .carriageReturn {
                result.append(bytes[offset])
            } else if offset + 1 == index || bytes[offset + 1] != .lineFeed {
                result.append(.lineFeed)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Consumes one white space byte, or both bytes of CR LF.
    private mutating func skipLineEnd() {
        let wasCarriageReturn = current == .carriageReturn
        index += 1
        if wasCarriageReturn, current == .lineFeed { index += 1 }
    }

    private mutating func reference() throws(XMLError) -> Unicode.Scalar {
        let start = index
        index += 1
        if current == UInt8(ascii: "#") { return try characterReference(from: start) }
        let name = try name("the name of an entity after & (write &amp; for an ampersand)")
        try expect(.semicolon, "; to end the reference &\(name)")
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: throw .undeclaredEntity(name, at: position(of: start))
        }
    }

    private mutating func characterReference(from start: Int) throws(XMLError) -> Unicode.Scalar {
        index += 1
        let isHexadecimal = current == UInt8(ascii: "x")
        if isHexadecimal { index += 1 }
        let radix: UInt32 = isHexadecimal ? 16 : 10
        let firstDigit = index
        var value: UInt32 = 0
        while let digit = Character(Unicode.Scalar(current)).hexDigitValue, digit < radix {
            // Clamped beyond Unicode, so that further digits can't overflow.
            value = min(value * radix + UInt32(digit), 0x110000)
            index += 1
        }
        guard index > firstDigit else { throw expected("the digits of a character reference") }
        try expect(.semicolon, "; to end the character reference")
        guard let scalar = Unicode.Scalar(value), scalar.isAllowedInXML else {
            throw .invalidReference(string(from: start), at: position(of: start))
        }
        return scalar
    }
}
