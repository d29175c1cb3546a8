// SPDX-License-Identifier: Apache-2.0

// Encodes numbers, texts and values as the bytes of an archive.

import FoundationEssentials
import Predicates

/// Collects bytes. Small numbers use few bytes; texts and lists are preceded by their number of bytes or elements.
struct ArchiveWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(bytes more: some Collection<UInt8>) { bytes += more }

    /// Seven bits a byte, the lowest first.
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ number: Int) { write(UInt64(number)) }

    /// The sign is the lowest bit.
    mutating func write(signed number: Int64) { write(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes += text.utf8
    }

    mutating func write(_ identifier: UUID) { unsafe withUnsafeBytes(of: identifier.uuid) { unsafe bytes += $0 } }

    mutating func write<Element, Failure: Error>(
        _ elements: some Collection<Element>,
        _ body: (inout ArchiveWriter, Element) throws(Failure) -> Void
    ) throws(Failure) {
        write(elements.count)
        for element in elements { try body(&self, element) }
    }

    mutating func write<Element, Failure: Error>(
        optional element: Element?,
        _ body: (inout ArchiveWriter, Element) throws(Failure) -> Void
    ) throws(Failure) {
        write(byte: element == nil ? 0 : 1)
        if let element { try body(&self, element) }
    }
}

/// The tag before each value.
enum ArchivedValueKind: UInt8 {
    case null, no, yes, integer, double, decimal, string, date, data, uuid, uri, reference, array, dictionary

    /// The largest depth of nested arrays and dictionaries.
    static let deepest = 512
}

extension ArchiveWriter {
    mutating func write(_ value: Value, depth: Int = 0) throws(GraphError) {
        func begin(_ kind: ArchivedValueKind) { write(byte: kind.rawValue) }
        switch value {
        case .null: begin(.null)
        case .bool(let value): begin(value ? .yes : .no)
        case .integer(let value):
            begin(.integer)
            write(signed: value)
        case .double(let value):
            begin(.double)
            write(bits: value)
        case .decimal(let value):
            begin(.decimal)
            write(value.description)
        case .string(let value):
            begin(.string)
            write(value)
        case .date(let value):
            begin(.date)
            write(bits: value.timeIntervalSinceReferenceDate)
        case .data(let value):
            begin(.data)
            write(value.count)
            write(bytes: value)
        case .uuid(let value):
            begin(.uuid)
            write(value)
        case .uri(let value):
            begin(.uri)
            write(value)
        case .reference(let value):
            begin(.reference)
            write(value.uri)
        case .array(let elements):
            begin(.array)
            try nest(depth)
            try write(elements) { writer, element throws(GraphError) in try writer.write(element, depth: depth + 1) }
        case .dictionary(let members):
            begin(.dictionary)
            try nest(depth)
            // Sorted, so that equal values have equal bytes.
            try write(members.sorted { $0.key < $1.key }) { writer, member throws(GraphError) in
                writer.write(member.key)
                try writer.write(member.value, depth: depth + 1)
            }
        }
    }

    private mutating func write(bits number: Double) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
        }
    }

    private func nest(_ depth: Int) throws(GraphError) {
        guard depth < ArchivedValueKind.deepest else {
            throw GraphError(.invalidRequest, "A value has more than \(ArchivedValueKind.deepest) levels.")
        }
    }
}
