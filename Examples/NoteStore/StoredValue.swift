// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Outcrop

/// A value as JSON that decodes to the same value: plain where possible, otherwise text with a type: `{"$decimal":
/// "19.90"}`.
struct StoredValue: Codable {
    let value: Value

    /// JSON decoders limit the depth, and values that can't be read back must not be written.
    private static let depthLimit = 200

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let number = try? container.decode(Int64.self) {
            value = .integer(number)
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            value = .double(number)
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [Value] = []
            while !list.isAtEnd { values.append(try list.decode(StoredValue.self).value) }
            value = .array(values)
        } else {
            let members = try container.decode([String: StoredValue].self).mapValues(\.value)
            guard members.count == 1, let (type, content) = members.first, type.hasPrefix("$") else {
                value = .dictionary(members)
                return
            }
            guard let value = Self.value(type, content) else {
                let message = "“\(type)” isn't a type, or the value isn't of this type."
                throw DecodingError.dataCorruptedError(in: container, debugDescription: message)
            }
            self.value = value
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard encoder.codingPath.count < Self.depthLimit else {
            throw NoteStoreError(.unwritable, "A value is nested more than \(Self.depthLimit) levels deep.")
        }
        func write(_ type: String, _ text: String) throws { try container.encode(["$" + type: text]) }
        switch value {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let number): try container.encode(number)
        // JSON doesn't distinguish integers from integral doubles, and has no infinity.
        case .double(let number) where number.isFinite && number != number.rounded(): try container.encode(number)
        case .double(let number): try write("double", "\(number)")
        case .string(let text): try container.encode(text)
        case .array(let values): try container.encode(values.map(StoredValue.init))
        case .dictionary(let members) where members.keys.contains { $0.hasPrefix("$") }:
            try container.encode(["$dictionary": members.mapValues(StoredValue.init)])
        case .dictionary(let members): try container.encode(members.mapValues(StoredValue.init))
        case .decimal(let number): try write("decimal", "\(number)")
        case .date(let date): try write("date", "\(date.timeIntervalSinceReferenceDate)")
        case .data(let data): try write("data", data.base64EncodedString())
        case .uuid(let uuid): try write("uuid", uuid.uuidString)
        case .uri(let uri): try write("uri", uri)
        case .reference(let reference): try write("reference", reference.uri)
        }
    }

    private static func value(_ type: String, _ content: Value) -> Value? {
        switch (type, content) {
        case ("$dictionary", .dictionary): content
        case ("$double", .string(let text)): Double(text).map(Value.double)
        case ("$decimal", .string(let text)): Decimal(string: text).map(Value.decimal)
        case ("$date", .string(let text)): Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case ("$data", .string(let text)): Data(base64Encoded: text).map(Value.data)
        case ("$uuid", .string(let text)): UUID(uuidString: text).map(Value.uuid)
        case ("$uri", .string(let text)): .uri(text)
        case ("$reference", .string(let text)): .reference(ObjectReference(uri: text))
        default: nil
        }
    }
}
