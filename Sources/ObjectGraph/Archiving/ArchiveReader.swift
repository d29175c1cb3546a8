// SPDX-License-Identifier: Apache-2.0

// Reads the bytes of an archive, which are untrusted.

import FoundationEssentials
import Predicates

/// A position in the bytes of an archive. Invalid bytes throw an error with their position.
struct ArchiveReader {
    private let bytes: [UInt8]
    private let end: Int
    private(set) var place: Int

    init(_ archive: ContextArchive) {
        bytes = archive.bytes
        place = archive.contents.lowerBound
        end = archive.contents.upperBound
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        place = 0
        end = bytes.count
    }

    func damaged(_ reason: String) -> GraphError { .invalidArchive(reason, at: place) }

    func checkEnd() throws(GraphError) {
        guard place == end else { throw damaged("There are more bytes than the archive should have.") }
    }

    mutating func byte() throws(GraphError) -> UInt8 {
        guard place < end else { throw damaged("The archive ends there.") }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func bytes(_ count: Int) throws(GraphError) -> ArraySlice<UInt8> {
        guard count <= end - place else { throw damaged("The archive ends before the next \(count) bytes.") }
        defer { place += count }
        return bytes[place..<place + count]
    }

    mutating func unsigned() throws(GraphError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { break }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        throw damaged("A number is too large.")
    }

    mutating func signed() throws(GraphError) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// A number below a bound.
    mutating func index(below count: Int) throws(GraphError) -> Int {
        let number = try unsigned()
        guard number < count else { throw damaged("The number \(number) is out of range; there are \(count).") }
        return Int(number)
    }

    /// The number of elements, each of at least one byte.
    mutating func count() throws(GraphError) -> Int {
        let count = try unsigned()
        guard count <= end - place else { throw damaged("The archive is too short for \(count) elements.") }
        return Int(count)
    }

    mutating func flag() throws(GraphError) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw damaged("\(byte) isn't a Boolean.") }
        return byte == 1
    }

    mutating func text() throws(GraphError) -> String {
        let bytes = try bytes(count())
        guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("A text isn't valid UTF-8.") }
        return text
    }

    mutating func uuid() throws(GraphError) -> UUID {
        var identifier = UUID().uuid
        let bytes = try bytes(16)
        unsafe withUnsafeMutableBytes(of: &identifier) { unsafe $0.copyBytes(from: bytes) }
        return UUID(uuid: identifier)
    }

    mutating func list<Element>(
        _ element: (inout ArchiveReader) throws(GraphError) -> Element
    ) throws(GraphError) -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try element(&self)) }
        return elements
    }

    mutating func optional<Element>(
        _ element: (inout ArchiveReader) throws(GraphError) -> Element
    ) throws(GraphError) -> Element? {
        try flag() ? try element(&self) : nil
    }
}

extension ArchiveReader {
    mutating func value(depth: Int = 0) throws(GraphError) -> Value {
        let byte = try byte()
        guard let kind = ArchivedValueKind(rawValue: byte), depth <= ArchivedValueKind.deepest else {
            throw damaged("The kind \(byte) of a value is unknown.")
        }
        return switch kind {
        case .null: .null
        case .no: .bool(false)
        case .yes: .bool(true)
        case .integer: .integer(try signed())
        case .double: .double(try double())
        case .decimal: .decimal(try decimal())
        case .string: .string(try text())
        case .date: .date(Date(timeIntervalSinceReferenceDate: try double()))
        case .data: .data(Data(try bytes(count())))
        case .uuid: .uuid(try uuid())
        case .uri: .uri(try text())
        case .reference: .reference(ObjectReference(uri: try text()))
        case .array: .array(try list { reader throws(GraphError) in try reader.value(depth: depth + 1) })
        case .dictionary: .dictionary(try dictionary(depth))
        }
    }

    private mutating func double() throws(GraphError) -> Double {
        let pattern = try bytes(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bitPattern: pattern)
    }

    private mutating func decimal() throws(GraphError) -> Decimal {
        let digits = try text()
        if digits == Decimal.nan.description { return .nan }
        guard let number = Decimal(string: digits), number.description == digits else {
            throw damaged("“\(digits)” isn't a decimal number.")
        }
        return number
    }

    private mutating func dictionary(_ depth: Int) throws(GraphError) -> [String: Value] {
        var members: [String: Value] = [:]
        for _ in 0..<(try count()) {
            let name = try text()
            guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else {
                throw damaged("There are two members “\(name)”.")
            }
        }
        return members
    }
}
