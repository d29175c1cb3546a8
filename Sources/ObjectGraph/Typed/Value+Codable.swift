// SPDX-License-Identifier: Apache-2.0

// Encoding of values and references, for structs based on objects.

import FoundationEssentials
public import Predicates

/// Values that JSON has are encoded directly, others under the name of their type: `{"$date": …}`.
extension Value: Codable {
    private enum Kind: String, CodingKey {
        case decimal = "$decimal"
        case date = "$date"
        case data = "$data"
        case uuid = "$uuid"
        case uri = "$uri"
        case reference = "$reference"
        /// A dictionary with a key that could be mistaken for one of these.
        case dictionary = "$dictionary"
    }

    public init(from decoder: any Decoder) throws {
        if let tagged = try Value.tagged(decoder) {
            self = tagged
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Value].self) {
            self = .array(value)
        } else {
            self = .dictionary(try container.decode([String: Value].self))
        }
    }

    private static func tagged(_ decoder: any Decoder) throws -> Value? {
        guard let container = try? decoder.container(keyedBy: Kind.self), container.allKeys.count == 1 else {
            return nil
        }
        return switch container.allKeys[0] {
        case .decimal: .decimal(try container.decode(Decimal.self, forKey: .decimal))
        case .date: .date(try container.decode(Date.self, forKey: .date))
        case .data: .data(try container.decode(Data.self, forKey: .data))
        case .uuid: .uuid(try container.decode(UUID.self, forKey: .uuid))
        case .uri: .uri(try container.decode(String.self, forKey: .uri))
        case .reference: .reference(try container.decode(ObjectReference.self, forKey: .reference))
        case .dictionary: .dictionary(try container.decode([String: Value].self, forKey: .dictionary))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        func write(_ kind: Kind, _ content: some Encodable) throws {
            var container = encoder.container(keyedBy: Kind.self)
            try container.encode(content, forKey: kind)
        }
        func write(_ content: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(content)
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try write(value)
        case .integer(let value): try write(value)
        case .double(let value): try write(value)
        case .string(let value): try write(value)
        case .array(let value): try write(value)
        case .dictionary(let value) where value.keys.contains { $0.hasPrefix("$") }: try write(.dictionary, value)
        case .dictionary(let value): try write(value)
        case .decimal(let value): try write(.decimal, value)
        case .date(let value): try write(.date, value)
        case .data(let value): try write(.data, value)
        case .uuid(let value): try write(.uuid, value)
        case .uri(let value): try write(.uri, value)
        case .reference(let value): try write(.reference, value)
        }
    }
}

/// A reference is encoded as its URI.
extension ObjectReference: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(uri: try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uri)
    }
}
