// SPDX-License-Identifier: Apache-2.0

// Values of attributes as the API shows them.

import FoundationEssentials
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SourceText

extension JSONBuffer {
    /// Writes the value of an attribute.
    mutating func write(_ value: Value, of attribute: AttributeDescription) {
        switch value {
        case .double(let number) where attribute.type == .float: write(Float(number))
        // The sum over nothing, which is an integer.
        case .integer(let number) where attribute.type == .decimal: write(string: String(number))
        case .dictionary(let members) where !attribute.elements.isEmpty:
            write(composite: members, elements: attribute.elements)
        default: write(value)
        }
    }

    /// Writes the size of a binary value and, if available, its URL.
    mutating func write(bytes value: Value, at href: @autoclosure () -> String?) {
        guard case .data(let data) = value else { return write(value) }
        write(byte: "{")
        if let href = href() {
            write(raw: "\"href\":")
            write(string: href)
            write(byte: ",")
        }
        write(raw: "\"bytes\":")
        write(Int64(data.count))
        write(byte: "}")
    }

    /// Writes parts of a composite value.
    mutating func write(_ value: Value, showing parts: [AttributeDescription]) {
        if case .dictionary(let members) = value { write(composite: members, elements: parts) } else { writeNull() }
    }

    /// Writes a value by its own kind.
    mutating func write(_ value: Value) {
        switch value {
        case .null: writeNull()
        case .bool(let flag): write(flag)
        case .integer(let number): write(number)
        case .double(let number): write(number)
        case .decimal(let number): write(string: number.description)
        case .string(let text), .uri(let text): write(string: text)
        case .date(let date): write(date)
        case .data(let data): write(base64: data)
        case .uuid(let uuid): write(uuid)
        case .reference(let reference): write(string: reference.uri)
        case .array(let members): write(array: members)
        case .dictionary(let members): write(object: members)
        }
    }

    /// Writes a UUID in lower case.
    mutating func write(_ uuid: UUID) {
        _ = write(quoting: { bytes in
            unsafe withUnsafeBytes(of: uuid.uuid) { unsafe bytes.append(hyphenating: $0) }
            return true
        })
    }

    /// Writes bytes in base64, piece by piece: there may be many.
    private mutating func write(base64 data: Data) {
        _ = write(quoting: { bytes in
            var rest = data[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Self.base64Piece)
                bytes += piece.base64EncodedData()
                rest = rest.dropFirst(piece.count)
            }
            return true
        })
    }

    /// A multiple of three, so that the pieces are one text.
    private static let base64Piece = 3 << 16

    /// Writes a date; those that RFC 3339 has no text for as seconds since 2001.
    mutating func write(_ date: Date) {
        if !write(quoting: { DateText.write(date, into: &$0) }) { write(date.timeIntervalSinceReferenceDate) }
    }

    private mutating func write(composite members: [String: Value], elements: [AttributeDescription]) {
        write(byte: "{")
        for (offset, element) in elements.enumerated() {
            if offset > 0 { write(byte: ",") }
            write(string: ResourceProperty.name(of: element.name))
            write(byte: ":")
            write(members[element.name] ?? .null, of: element)
        }
        write(byte: "}")
    }

    private mutating func write(array members: [Value]) {
        write(byte: "[")
        for (offset, member) in members.enumerated() {
            if offset > 0 { write(byte: ",") }
            write(member)
        }
        write(byte: "]")
    }

    private mutating func write(object members: [String: Value]) {
        write(byte: "{")
        for (offset, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            if offset > 0 { write(byte: ",") }
            write(string: member.key)
            write(byte: ":")
            write(member.value)
        }
        write(byte: "}")
    }
}

extension [UInt8] {
    /// Appends the 16 bytes of a UUID as hexadecimal digits in five groups.
    fileprivate mutating func append(hyphenating uuid: UnsafeRawBufferPointer) {
        for place in 0..<16 {
            if place == 4 || place == 6 || place == 8 || place == 10 { append(UInt8(ascii: "-")) }
            let byte = unsafe uuid[place]
            append(Self.hexadecimalDigit(byte >> 4))
            append(Self.hexadecimalDigit(byte & 15))
        }
    }

    private static func hexadecimalDigit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
    }
}
