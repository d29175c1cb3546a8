// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON text. No value is beyond JSON, so this can't fail.

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text.
    public func serialized(_ format: JSONFormat = .compact) -> String {
        String(decoding: serializedBytes(format), as: UTF8.self)
    }

    /// The value as UTF-8 bytes of JSON text.
    public func serializedBytes(_ format: JSONFormat = .compact) -> [UInt8] {
        var writer = JSONWriter(format: format)
        writer.write(self, level: 0)
        if format.endsWithNewline { writer.output.append(.lineFeed) }
        return writer.output
    }

    /// The value as compact JSON.
    public var description: String { serialized() }
}

private struct JSONWriter {
    let format: JSONFormat
    var output: [UInt8] = []
    private var lineStart = 0

    init(format: JSONFormat) {
        self.format = format
    }

    mutating func write(_ value: JSONValue, level: Int) {
        switch value.kind {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .number(let number): write(number.text)
        case .string(let text): write(string: text)
        case .array(let values): write(array: values, level: level)
        case .object(let object): write(object: object, level: level)
        }
    }

    private mutating func write(array values: [JSONValue], level: Int) {
        if format.indentation != nil, values.allSatisfy(\.isScalar), writeOnOneLine(values) { return }
        write("[")
        for (offset, value) in values.enumerated() {
            if offset > 0 { write(",") }
            startLine(level: level + 1)
            write(value, level: level + 1)
        }
        if !values.isEmpty { startLine(level: level) }
        write("]")
    }

    /// Writes `[1, 2, 3]` if that fits into the line together with a comma, and else nothing.
    private mutating func writeOnOneLine(_ values: [JSONValue]) -> Bool {
        let start = output.count
        write("[")
        for (offset, value) in values.enumerated() {
            if offset > 0 { write(", ") }
            write(value, level: 0)
            if output.count - lineStart > format.width { break }
        }
        write("]")
        if values.isEmpty || output.count - lineStart < format.width { return true }
        output.removeSubrange(start...)
        return false
    }

    private mutating func write(object: JSONObject, level: Int) {
        write("{")
        for (offset, member) in object.members.enumerated() {
            if offset > 0 { write(",") }
            startLine(level: level + 1)
            write(string: member.name)
            write(format.indentation == nil ? ":" : ": ")
            write(member.value, level: level + 1)
        }
        if !object.isEmpty { startLine(level: level) }
        write("}")
    }

    private mutating func write(string text: String) {
        output.append(.quote)
        for byte in text.utf8 {
            switch byte {
            case .quote: write("\\\"")
            case .backslash: write("\\\\")
            case 0x08: write("\\b")
            case 0x09: write("\\t")
            case .lineFeed: write("\\n")
            case 0x0C: write("\\f")
            case .carriageReturn: write("\\r")
            case 0..<0x20: write("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
            default: output.append(byte)
            }
        }
        output.append(.quote)
    }

    private mutating func startLine(level: Int) {
        guard let indentation = format.indentation else { return }
        output.append(.lineFeed)
        lineStart = output.count
        output.append(contentsOf: repeatElement(0x20, count: indentation * level))
    }

    private mutating func write(_ text: String) {
        output.append(contentsOf: text.utf8)
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch kind {
        case .array, .object: false
        default: true
        }
    }
}
