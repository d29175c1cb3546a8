// SPDX-License-Identifier: Apache-2.0

// Where a page of a list ended, in a text that clients hand back and needn't understand.

import FoundationEssentials
import JSON
import Predicates

/// The last row of a page by the values that it was put in order by, the last one its ID. In the order of a relationship that is the
/// number of members before the next one.
struct Cursor: Equatable, Sendable {
    var keys: [Value]
}

extension Cursor {
    /// The text for a list. It ends with a sum over both, so that one that was changed or is of another list is noticed.
    func text(of binding: String) -> String {
        let bytes = Array(JSONValue.array(keys.map { .string(Self.text($0)) }).serialized().utf8)
        return Self.encoded(bytes + Self.sum(binding, bytes))
    }

    /// Nil for a text that isn't of the list.
    init?(_ text: String, of binding: String) {
        guard let all = Self.decoded(text), all.count > 8 else { return nil }
        let bytes = Array(all.dropLast(8))
        guard all.suffix(8).elementsEqual(Self.sum(binding, bytes)),
            let members = try? JSONValue(parsing: bytes).array
        else { return nil }
        keys = members.compactMap { $0.string.flatMap(Self.value) }
        guard keys.count == members.count else { return nil }
    }

    // MARK: Values

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
        // Nothing is put in order by these.
        case .array, .dictionary: "n"
        }
    }

    private static func value(_ text: String) -> Value? {
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
        default: nil
        }
    }

    // MARK: Bytes

    /// FNV-1a over what the cursor belongs to and what it holds.
    private static func sum(_ binding: String, _ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in binding.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    /// Base64 with characters that need no escaping in a query.
    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
