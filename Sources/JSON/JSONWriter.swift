// SPDX-License-Identifier: Apache-2.0
// Writes values as JSON text, which can't fail.

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

    /// Writes a value, on one line if the level is nil.
    mutating func write(_ value: JSONValue, level: Int?) {
        if let level, format.indentation != nil, mayShareLine(value, level: level), writeOnOneLine(value) { return }
        switch value.kind {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .number(let number): write(number.text)
        case .string(let text): write(string: text)
        case .array(let values):
            write(values, between: "[", and: "]", level: level) { $0.write($1, level: $2) }
        case .object(let object):
            write(object.members, between: "{", and: "}", level: level) { writer, member, level in
                writer.write(string: member.name)
                writer.write(writer.format.indentation == nil ? ":" : ": ")
                writer.write(member.value, level: level)
            }
        }
    }

    private mutating func write<Part>(
        _ parts: [Part],
        between opening: String,
        and closing: String,
        level: Int?,
        part: (inout JSONWriter, Part, Int?) -> Void
    ) {
        write(opening)
        for (offset, item) in parts.enumerated() {
            if offset > 0 { write(level == nil && format.indentation != nil ? ", " : ",") }
            startLine(level: level.map { $0 + 1 })
            part(&self, item, level.map { $0 + 1 })
            if level == nil, isPastWidth { break }
        }
        if !parts.isEmpty { startLine(level: level) }
        write(closing)
    }

    private func mayShareLine(_ value: JSONValue, level: Int) -> Bool {
        switch value.kind {
        case .array(let values): values.allSatisfy(\.isScalar)
        case .object(let object) where level >= format.openLevels:
            object.members.allSatisfy { $0.value.isScalar || $0.value.array?.allSatisfy(\.isScalar) == true }
        default: false
        }
    }

    /// Writes `[1, 2, 3]` if it fits on the line with a comma, or else nothing.
    private mutating func writeOnOneLine(_ value: JSONValue) -> Bool {
        let start = output.count
        write(value, level: nil)
        if output.count - start == 2 || !isPastWidth { return true }
        output.removeSubrange(start...)
        return false
    }

    /// Whether the line has no room for a comma.
    private var isPastWidth: Bool { format.indentation != nil && output.count - lineStart >= format.width }

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

    private mutating func startLine(level: Int?) {
        guard let level, let indentation = format.indentation else { return }
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
