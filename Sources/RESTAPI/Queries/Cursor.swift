// SPDX-License-Identifier: Apache-2.0

// The position where a page ended, as an opaque text of limited length.

import Basics
import Cryptography
import FoundationEssentials
import JSON
import Predicates

/// The sort keys of a page's last row, followed by its ID. In the order of a relationship, the key is its order value.
struct Cursor: Equatable, Sendable {
    enum Key: Equatable, Sendable {
        case value(Value)
        /// For a value that would make links too long: a prefix, and a checksum that identifies the value.
        case beginning(Value, sum: UInt64)
    }

    let keys: [Key]

    init(keys: [Value]) {
        let longest = Key.longest(keys.count(where: \.isOfAnyLength))
        self.keys = keys.map { Key($0, longest: longest) }
    }

    /// Whether the row must be read for a value that the cursor abbreviates.
    var isAbbreviated: Bool {
        keys.contains { key in
            if case .beginning = key { true } else { false }
        }
    }
}

extension Cursor.Key {
    /// The maximum size of each value in bytes, so that all fit into a request's head.
    fileprivate static func longest(_ count: Int) -> Int { min(1_000, 4_000 / max(1, count)) }

    init(_ value: Value, longest: Int) {
        let text = Self.text(value)
        guard value.isOfAnyLength, text.utf8.count > longest + 1 else {
            self = .value(value)
            return
        }
        self = .beginning(value.beginning(longest), sum: text.sum)
    }

    /// The value after which the next page begins: the row's present value if unchanged, or else one before all values
    /// with the same prefix, so that rows may be repeated but none is omitted.
    func value(knowing present: Value?, sortedBy descriptor: ObjectSortDescriptor) -> Value {
        switch self {
        case .value(let value): return value
        case .beginning(let value, let sum):
            if let present, Self.text(present).sum == sum { return present }
            return descriptor.ascending ? value : value.last
        }
    }
}

extension Value {
    fileprivate var isOfAnyLength: Bool {
        switch self {
        case .string, .uri, .data, .array, .dictionary: true
        default: false
        }
    }

    /// A lower bound of all values with the same beginning: a prefix of a text, or an empty value of other types.
    fileprivate func beginning(_ length: Int) -> Value {
        switch self {
        case .string(let text): .string(text.beginning(length))
        case .uri(let text): .uri(text.beginning(length))
        case .array: .array([])
        case .data: .data(Data())
        default: .dictionary([:])
        }
    }

    /// An upper bound of all values with the same beginning.
    fileprivate var last: Value {
        switch self {
        case .string(let text): .string(text + "\u{10FFFF}")
        case .uri(let text): .uri(text + "\u{10FFFF}")
        case .data: .array([])
        case .array: .dictionary([:])
        default: .dictionary(["\u{10FFFF}": .null])
        }
    }
}

extension String {
    /// The longest prefix of scalars with at most `length` bytes.
    fileprivate func beginning(_ length: Int) -> String {
        var beginning = ""
        for scalar in unicodeScalars {
            guard beginning.utf8.count + scalar.utf8.count <= length else { break }
            beginning.unicodeScalars.append(scalar)
        }
        return beginning
    }
}

extension String {
    fileprivate var sum: UInt64 { utf8.fnv1a }
}

extension Cursor {
    /// The text for a list. It ends with a checksum, which detects changes and use with another list.
    func text(of binding: String) -> String {
        let bytes = JSONValue.array(keys.map { .string($0.text) }).serializedBytes()
        return Base64.encode(bytes + Self.sum(binding, bytes: bytes))
    }

    /// Nil for a text that doesn't belong to the list.
    init?(_ text: String, of binding: String) {
        guard let all = Base64.decode(text), all.count > 8 else { return nil }
        let bytes = Array(all.dropLast(8))
        guard all.suffix(8).elementsEqual(Self.sum(binding, bytes: bytes)),
            let members = try? JSONValue(parsing: bytes).array
        else { return nil }
        keys = members.compactMap { $0.string.flatMap(Key.init(text:)) }
        guard keys.count == members.count else { return nil }
    }

    // MARK: Bytes

    /// FNV-1a of the binding and the content.
    private static func sum(_ binding: String, bytes: [UInt8]) -> [UInt8] {
        var hash = FNV1a()
        for byte in binding.utf8 { hash.add(byte) }
        for byte in bytes { hash.add(byte) }
        let sum = hash.value
        return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }
}

extension Cursor.Key {
    fileprivate var text: String {
        switch self {
        case .value(let value): Self.text(value)
        case .beginning(let value, let sum): "S\(String(sum, radix: 36)):\(Self.text(value))"
        }
    }

    fileprivate init?(text: String) {
        // Works on scalars, since a combining mark would join the preceding character.
        let scalars = text.unicodeScalars
        guard scalars.first == "S" else {
            guard let value = Self.value(scalars) else { return nil }
            self = .value(value)
            return
        }
        guard let colon = scalars.firstIndex(of: ":"),
            let sum = UInt64(String(scalars[..<colon].dropFirst()), radix: 36),
            let value = Self.value(String.UnicodeScalarView(scalars[colon...].dropFirst()))
        else { return nil }
        self = .beginning(value, sum: sum)
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "n"
        case .bool(let flag): flag ? "b1" : "b0"
        case .integer(let number): "i\(number)"
        case .double(let number): "d\(number.bitPattern)"
        case .decimal(let number): "m\(number.description)"
        case .string(let text): "s\(text)"
        case .uri(let text): "l\(text)"
        case .date(let date): "t\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .uuid(let uuid): "u\(uuid.uuidString)"
        case .data(let data): "x\(data.base64EncodedString())"
        case .reference(let reference): "r\(reference.uri)"
        case .array(let members): "a\(JSONValue.array(members.map { .string(Self.text($0)) }).serialized())"
        case .dictionary(let members):
            "o\(JSONValue.object(JSONObject(members.map { ($0.key, .string(Self.text($0.value))) })).serialized())"
        }
    }

    private static func value(_ text: String.UnicodeScalarView) -> Value? {
        let rest = String(text.dropFirst())
        return switch text.first {
        case "n": .null
        case "b": .bool(rest == "1")
        case "i": Int64(rest).map(Value.integer)
        case "d": UInt64(rest).map { .double(Double(bitPattern: $0)) }
        case "m": Decimal(string: rest).map(Value.decimal)
        case "s": .string(rest)
        case "l": .uri(rest)
        case "t": UInt64(rest).map { .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))) }
        case "u": UUID(uuidString: rest).map(Value.uuid)
        case "x": Data(base64Encoded: rest).map(Value.data)
        case "r": .reference(ObjectReference(uri: rest))
        case "a": (try? JSONValue(parsing: rest))?.array.flatMap { Self.values($0) }.map(Value.array)
        case "o": Self.members(rest).map(Value.dictionary)
        default: nil
        }
    }

    private static func values(_ texts: [JSONValue]) -> [Value]? {
        let values = texts.compactMap { $0.string.flatMap { value($0.unicodeScalars) } }
        return values.count == texts.count ? values : nil
    }

    private static func members(_ text: String) -> [String: Value]? {
        guard case .object(let members)? = (try? JSONValue(parsing: text))?.kind,
            let values = values(members.members.map(\.value))
        else { return nil }
        return Dictionary(keepingFirst: zip(members.members.map(\.name), values))
    }
}
