// SPDX-License-Identifier: Apache-2.0
// Parses a document in one pass over its bytes: the prolog, the root element, and what follows it.

import SourceText

/// A strict, non-validating parser of XML 1.0. It first checks all bytes to be valid UTF-8 without forbidden
/// characters; the other steps rely on that, and use 0 for the end of the text.
struct XMLReader {
    let bytes: [UInt8]
    let limits: XMLLimits
    var index = 0
    private var locator = TextLocator()

    init(bytes: [UInt8], limits: XMLLimits) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.limits = limits
    }

    mutating func document() throws(XMLError) -> XMLDocument {
        try checkBytes()
        try declaration()
        var doctype: XMLDoctype?
        var comments: [String] = []
        while true {
            skipSpace()
            if starts(with: "<!--") {
                comments.append(try comment())
            } else if starts(with: "<?") {
                try skipInstruction()
            } else if starts(with: "<!DOCTYPE"), doctype == nil {
                doctype = try documentType()
            } else {
                break
            }
        }
        guard index < bytes.count else { throw .emptyDocument(at: position()) }
        guard current == .lessThan else { throw expected("a root element") }
        let root = try rootElement()
        try epilog()
        return XMLDocument(doctype: doctype, comments: comments, root: root)
    }

    private mutating func epilog() throws(XMLError) {
        while true {
            skipSpace()
            if starts(with: "<!--") {
                _ = try comment()
            } else if starts(with: "<?") {
                try skipInstruction()
            } else if index < bytes.count {
                throw expected("the end of the text after the root element")
            } else {
                return
            }
        }
    }

    private mutating func checkBytes() throws(XMLError) {
        guard bytes.count <= limits.bytes else {
            throw .limitExceeded("\(bytes.count) bytes", limit: limits.bytes, at: position())
        }
        let utf16: [[UInt8]] = [[0xFE, 0xFF], [0xFF, 0xFE], [0x00, .lessThan], [.lessThan, 0x00]]
        guard !utf16.contains(where: bytes.starts(with:)) else {
            throw .unsupportedEncoding("UTF-16", at: position())
        }
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw .invalidUTF8(at: position(of: error.byteOffsets.lowerBound))
        }
        for offset in bytes.indices {
            let byte = bytes[offset]
            // The UTF-8 encodings of U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            let isForbidden =
                byte < .space && !byte.isXMLSpace
                || byte == 0xEF && bytes[offset + 1] == 0xBF && bytes[offset + 2] >= 0xBE
            if isForbidden, let scalar = scalar(at: offset) {
                throw .forbidden(scalar, at: position(of: offset))
            }
        }
    }
}

// MARK: - Primitives

extension XMLReader {
    /// The next byte, or 0 at the end.
    var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

    func starts(with token: String) -> Bool {
        var offset = index
        for byte in token.utf8 {
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
        }
        return true
    }

    mutating func position(of offset: Int? = nil) -> TextPosition {
        locator.position(of: offset ?? index, in: bytes)
    }

    func string(from start: Int) -> String {
        String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Skips white space, and returns whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = index
        while current.isXMLSpace { index += 1 }
        return index > start
    }

    mutating func skipRequiredSpace(_ place: String) throws(XMLError) {
        guard skipSpace() else { throw expected("white space \(place)") }
    }

    mutating func expect(_ byte: UInt8, _ what: String) throws(XMLError) {
        guard current == byte else { throw expected(what) }
        index += 1
    }

    mutating func name(_ what: String) throws(XMLError) -> String {
        let start = index
        guard let first = scalar(at: index), first.isNameStart else { throw expected(what) }
        index += UTF8.width(first)
        while true {
            let byte = current
            if byte.isNamePart {
                index += 1
            } else if byte >= 0x80, let scalar = scalar(at: index), scalar.isNamePart {
                index += UTF8.width(scalar)
            } else {
                return string(from: start)
            }
        }
    }

    func scalar(at offset: Int) -> Unicode.Scalar? {
        guard offset < bytes.count else { return nil }
        return String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }

    mutating func expected(_ what: String) -> XMLError {
        let found: String? =
            switch scalar(at: index) {
            case nil: nil
            case " ": "a space"
            case "\n", "\r": "a line end"
            case "'": "\"'\""
            case let scalar? where scalar.properties.isWhitespace: scalar.codePoint
            case let scalar?: "“\(scalar)”"
            }
        return .syntax(expected: what, found: found, at: position())
    }
}
