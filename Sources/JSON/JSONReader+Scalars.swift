// SPDX-License-Identifier: Apache-2.0
// Parsing of numbers and strings.

extension JSONReader {
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = index
        if current == UInt8(ascii: "-") {
            index += 1
            guard current.isDigit else { throw expected("a digit after the minus sign", hint: valueHint) }
        }
        let startsWithZero = current == UInt8(ascii: "0")
        let wholeDigits = skipDigits()
        guard !startsWithZero || wholeDigits == 1 else {
            throw .invalidNumber("A number must not have leading zeros.", at: position(of: start))
        }
        if current == UInt8(ascii: ".") {
            index += 1
            try skipRequiredDigits("a digit after the point")
        }
        if current | 0x20 == UInt8(ascii: "e") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            // Keeps arithmetic on exponents from overflowing.
            guard try skipRequiredDigits("a digit of the exponent") <= 9 else {
                throw .invalidNumber("The exponent of the number has more than 9 digits.", at: position(of: start))
            }
        }
        guard index - start <= limits.numberLength else {
            throw .limitExceeded(
                "a number of \(index - start) characters",
                limit: limits.numberLength,
                at: position(of: start)
            )
        }
        return JSONNumber(checked: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    @discardableResult
    private mutating func skipRequiredDigits(_ what: String) throws(JSONError) -> Int {
        guard current.isDigit else { throw expected(what) }
        return skipDigits()
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while current.isDigit { index += 1 }
        return index - start
    }

    mutating func string() throws(JSONError) -> String {
        let opening = index
        index += 1
        var text = ""
        var start = index
        while index < bytes.count {
            switch bytes[index] {
            case .quote:
                let rest = String(decoding: bytes[start..<index], as: UTF8.self)
                index += 1
                return text.isEmpty ? rest : text + rest
            case .backslash:
                text += String(decoding: bytes[start..<index], as: UTF8.self)
                text.unicodeScalars.append(try escape())
                start = index
            case .lineFeed, .carriageReturn:
                throw .invalidString("A string must not contain a line end (write \\n).", at: position())
            case 0..<0x20:
                let scalar = Unicode.Scalar(bytes[index]).codePoint
                throw .invalidString("A string must not contain the character \(scalar) unescaped.", at: position())
            default:
                index += 1
            }
        }
        let opened = position(of: opening)
        throw expected("a closing quotation mark for the string opened at \(opened)")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = index
        index += 1
        let letter = current
        index = min(index + 1, bytes.count)
        switch letter {
        case .quote: return "\""
        case .backslash: return "\\"
        case .slash: return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default:
            index = start + 1
            throw expected("one of \" \\ / b f n r t u after a backslash")
        }
    }

    private mutating func unicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try hexadecimalDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if unit < 0xDC00, current == .backslash, following == UInt8(ascii: "u") {
            index += 2
            let low = try hexadecimalDigits()
            let value = 0x10000 + ((unit & 0x3FF) << 10 | (low & 0x3FF))
            if (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(value) { return scalar }
        }
        throw .invalidString("The escape is only half of a surrogate pair.", at: position(of: start))
    }

    private mutating func hexadecimalDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(current)).hexDigitValue else {
                throw expected("four hexadecimal digits after \\u")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
