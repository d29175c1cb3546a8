// SPDX-License-Identifier: Apache-2.0
// Parses values strictly by RFC 8259, in one pass over the bytes.

import SourceText

extension JSONValue {
    /// Parses a value from UTF-8 bytes. A byte order mark is skipped, and `//` and `/* */` comments if allowed.
    public init(
        parsing bytes: some Sequence<UInt8>,
        allowingComments: Bool = false,
        limits: JSONLimits = .default
    ) throws(JSONError) {
        var reader = JSONReader(bytes: Array(bytes), allowsComments: allowingComments, limits: limits)
        self = try reader.document()
    }

    /// Parses a value from a string.
    public init(
        parsing text: String,
        allowingComments: Bool = false,
        limits: JSONLimits = .default
    ) throws(JSONError) {
        try self.init(parsing: text.utf8, allowingComments: allowingComments, limits: limits)
    }
}

/// A JSON parser. It validates all bytes as UTF-8 first, which the other steps rely on.
struct JSONReader {
    let bytes: [UInt8]
    let allowsComments: Bool
    let limits: JSONLimits
    var index = 0
    /// How many values were begun.
    private var count = 0
    private var locator = TextLocator()
    /// The position of the bytes in the text that contains them.
    private let origin: TextPosition

    init(bytes: [UInt8], allowsComments: Bool, limits: JSONLimits) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.allowsComments = allowsComments
        self.limits = limits
        origin = TextPosition(line: 1, column: 1)
    }

    /// Creates a reader of a part of a text.
    init(bytes: [UInt8], from origin: TextPosition, limits: JSONLimits) {
        self.bytes = bytes
        allowsComments = false
        self.limits = limits
        self.origin = origin
    }

    mutating func document() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw .limitExceeded("\(bytes.count) bytes", limit: limits.bytes, at: position())
        }
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw .invalidUTF8(at: position(of: error.byteOffsets.lowerBound))
        }
        try skipSpace()
        let value = try value(depth: 0, "a value")
        try skipSpace()
        guard index == bytes.count else { throw expected("the end of the text after the value", hint: commentHint) }
        return value
    }

    private mutating func value(
        depth: Int,
        _ what: @autoclosure () -> String
    ) throws(JSONError) -> JSONValue {
        let start = position()
        count += 1
        guard count <= limits.values else { throw .tooManyValues(limit: limits.values, at: start) }
        switch current {
        case UInt8(ascii: "{"): return JSONValue(.object(try object(depth: depth + 1)), position: start)
        case UInt8(ascii: "["): return JSONValue(.array(try array(depth: depth + 1)), position: start)
        case .quote: return JSONValue(.string(try string()), position: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONValue(.number(try number()), position: start)
        default:
            let kind: JSONValue.Kind
            switch word() {
            case "true": kind = .bool(true)
            case "false": kind = .bool(false)
            case "null": kind = .null
            default: throw expected(what(), hint: valueHint)
            }
            index += word().utf8.count
            return JSONValue(kind, position: start)
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        let opened = try open(depth: depth)
        var values: [JSONValue] = []
        if skip(.closeBracket) { return values }
        while true {
            values.append(try value(depth: depth, values.isEmpty ? "a value or ]" : "a value after the comma"))
            try skipSpace()
            if skip(.closeBracket) { return values }
            guard skip(.comma) else {
                throw expected("a comma, or ] to close the array opened at \(opened)", hint: commentHint)
            }
            try skipSpace()
            guard current != .closeBracket else { throw trailingComma("a value") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        let opened = try open(depth: depth)
        var object = JSONObject()
        if skip(.closeBrace) { return object }
        while true {
            let start = position()
            guard current == .quote else {
                let place = object.isEmpty ? "or }" : "after the comma"
                throw expected("a name in double quotes \(place)", hint: valueHint)
            }
            let name = try string()
            guard object.offset(of: name) == nil else { throw .duplicateName(name, at: start) }
            try skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw expected("a colon after the name \"\(name)\"") }
            try skipSpace()
            let value = try value(depth: depth, "a value for \"\(name)\"")
            object.append(JSONMember(name, value, position: start))
            try skipSpace()
            if skip(.closeBrace) { return object }
            guard skip(.comma) else {
                throw expected("a comma, or } to close the object opened at \(opened)", hint: commentHint)
            }
            try skipSpace()
            guard current != .closeBrace else { throw trailingComma("a name in double quotes") }
        }
    }

    /// Consumes an opening bracket and space, and returns the bracket's position.
    private mutating func open(depth: Int) throws(JSONError) -> TextPosition {
        let start = position()
        guard depth <= limits.depth else {
            throw .limitExceeded("values nested \(depth) deep", limit: limits.depth, at: start)
        }
        index += 1
        try skipSpace()
        return start
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    mutating func position(of offset: Int? = nil) -> TextPosition {
        let position = locator.position(of: offset ?? index, in: bytes)
        return TextPosition(
            line: origin.line + position.line - 1,
            column: position.line == 1 ? origin.column + position.column - 1 : position.column
        )
    }
}
