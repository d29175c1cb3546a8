// SPDX-License-Identifier: Apache-2.0

// The ordered header fields of a message, stored in one byte array. Strings are created only on access.

public struct HeaderFields: Sendable {
    private var bytes: [UInt8] = []
    private var fieldRanges: [FieldRanges] = []

    /// The ranges of a field in the bytes.
    struct FieldRanges: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    public init() {}

    /// Creates the fields of a parsed head.
    init(_ head: [UInt8], _ fieldRanges: [FieldRanges]) {
        bytes = head
        self.fieldRanges = fieldRanges
    }

    public var count: Int { fieldRanges.count }

    /// The value of the first field with a name. Setting it replaces all fields with that name.
    public subscript(name: FieldName) -> String? {
        get { fieldRanges.first { isNamed($0, name) }.map { text($0.value) } }
        set {
            if contains(name) { fieldRanges = fieldRanges.filter { !isNamed($0, name) } }
            if let newValue { add(name, newValue) }
        }
    }

    public func contains(_ name: FieldName) -> Bool { fieldRanges.contains { isNamed($0, name) } }

    /// Whether the first field with a name begins with an ASCII text. Creates no string.
    public func hasValue(of name: FieldName, beginningWith text: StaticString) -> Bool {
        guard let ranges = fieldRanges.first(where: { isNamed($0, name) }) else { return false }
        let value = bytes.span.extracting(ranges.value)
        let count = text.utf8CodeUnitCount
        guard value.count >= count else { return false }
        return text.withUTF8Buffer { buffer in
            for index in 0..<count where unsafe buffer[index] != value[index] { return false }
            return true
        }
    }

    /// The values of all fields with a name, in order.
    public func values(of name: FieldName) -> [String] {
        var values: [String] = []
        for ranges in fieldRanges where isNamed(ranges, name) { values.append(text(ranges.value)) }
        return values
    }

    /// The members of the comma-separated lists of all fields with a name.
    public func list(of name: FieldName) -> [String] {
        fieldRanges.filter { isNamed($0, name) }.flatMap { ranges in
            bytes[ranges.value].split(separator: .comma).map(\.trimmed).filter { !$0.isEmpty }
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Appends a field. Control characters, which could end the field, are removed from its value.
    public mutating func add(_ name: FieldName, _ value: String) {
        if fieldRanges.isEmpty { reserveUsualCapacity() }
        let start = bytes.count
        bytes += name.description.utf8
        let nameEnd = bytes.count
        bytes.append(.colon)
        bytes.append(.space)
        let middle = bytes.count
        bytes += value.utf8
        if bytes[middle...].contains(where: { $0.isControl && $0 != .tab }) {
            bytes[middle...].removeAll { $0.isControl && $0 != .tab }
        }
        fieldRanges.append(FieldRanges(name: start..<nameEnd, value: middle..<bytes.count))
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }

    /// All fields, as written.
    public var all: [(name: String, value: String)] { fieldRanges.map { (text($0.name), text($0.value)) } }

    /// Writes the fields as lines of a head, except those with excluded names.
    public func write(into output: inout [UInt8], leavingOut isLeftOut: (ArraySlice<UInt8>) -> Bool = { _ in false }) {
        for ranges in fieldRanges where !isLeftOut(bytes[ranges.name]) {
            if isLine(ranges) {
                output += bytes[ranges.name.lowerBound..<(ranges.value.upperBound + 2)]
            } else {
                output += bytes[ranges.name]
                output.append(.colon)
                output.append(.space)
                output += bytes[ranges.value]
                output.append(.carriageReturn)
                output.append(.lineFeed)
            }
        }
    }

    /// Whether the bytes contain the field as a complete line in the canonical form, as added fields are.
    private func isLine(_ ranges: FieldRanges) -> Bool {
        ranges.value.lowerBound == ranges.name.upperBound + 2 && ranges.value.upperBound < bytes.count
            && bytes[ranges.value.upperBound] == .carriageReturn
    }

    /// Makes room for the fields of a usual response, which would otherwise be copied several times.
    private mutating func reserveUsualCapacity() {
        bytes.reserveCapacity(448)
        fieldRanges.reserveCapacity(12)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func isNamed(_ ranges: FieldRanges, _ name: FieldName) -> Bool {
        bytes[ranges.name].equalsIgnoringCase(name.lowercased)
    }
}

extension HeaderFields: Equatable {
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.all.elementsEqual(right.all) { FieldName($0.name) == FieldName($1.name) && $0.value == $1.value }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral fields: (FieldName, String)...) {
        for (name, value) in fields { add(name, value) }
    }
}
