// SPDX-License-Identifier: Apache-2.0

// Encodes values of any kind as bytes: keyed archives, as Core Data's own transformers produce.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import PropertyList

/// The content of a transformable attribute's column. Bytes that aren't an archive of known classes
/// are the value itself.
enum TransformedValue {
    /// How values are converted to bytes.
    enum Transformer: Hashable, Sendable {
        /// A transformer of Core Data, which archives all values, including data.
        case archiving
        /// An app's transformer: data are its bytes and are written unchanged, whether or not they are an archive.
        case custom
        /// A transformer registered under this name.
        case registered(String, any AttributeTransformer)

        init(_ attribute: AttributeDescription) {
            if let transformer = attribute.transformer {
                self = .registered(attribute.type.transformerName ?? "", transformer)
            } else {
                self = attribute.isTransformedByApp ? .custom : .archiving
            }
        }

        private var name: String? { if case .registered(let name, _) = self { name } else { nil } }

        private var isCustom: Bool { if case .custom = self { true } else { false } }

        static func == (one: Transformer, other: Transformer) -> Bool {
            one.name == other.name && one.isCustom == other.isCustom
        }

        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    static func value(of bytes: [UInt8], by transformer: Transformer = .archiving) -> Value {
        if case .registered(_, let transformer) = transformer {
            return (try? transformer.value(of: bytes)) ?? .data(Data(bytes))
        }
        let value = archived(bytes) ?? .data(Data(bytes))
        // Unarchived data would be written back without their archive.
        if transformer == .custom, case .data = value { return .data(Data(bytes)) }
        return value
    }

    static func bytes(of value: Value, by transformer: Transformer = .archiving) -> [UInt8] {
        // Validation has refused all values that the transformer can't convert, except data.
        if case .registered(_, let transformer) = transformer, let bytes = try? transformer.bytes(of: value) {
            return bytes
        }
        if case .data(let data) = value {
            let bytes = [UInt8](data)
            if transformer != .archiving || isArchive(bytes) && archived(bytes) == nil { return bytes }
        }
        var builder = KeyedArchiveBuilder()
        let root = builder.add(value)
        return builder.archive(root: root).binary()
    }

    /// The value of an archive, or nil if it has unknown classes.
    private static func archived(_ bytes: [UInt8]) -> Value? {
        guard let archive = try? KeyedArchive(parsing: bytes) else { return nil }
        var reading = ArchiveReading(byteCount: bytes.count)
        return reading.value(archive.root)
    }

    /// Whether bytes begin like a keyed archive or its predecessor, a typed stream.
    private static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: "bplist00".utf8) || bytes.starts(with: "\u{4}\u{B}streamtyped".utf8)
    }
}

/// Reads the values of an archive. Its objects may contain themselves, or occur so often that a few bytes expand to
/// fill the memory, so depth and size are limited.
private struct ArchiveReading {
    private static let depthLimit = 100
    private var depth = 0
    /// The number of values that may still be read; each eight bytes of a value count as one more.
    private var left: Int

    init(byteCount: Int) {
        left = 1_000_000 + byteCount
    }

    /// Nil for an object of an unknown class, or if a limit is exceeded.
    mutating func value(_ archived: ArchivedValue) -> Value? {
        guard depth < Self.depthLimit, charge(archived) else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch archived {
        case .null: return .null
        case .boolean(let flag): return .bool(flag)
        case .integer(let number): return Int64(exactly: number).map(Value.integer)
        case .real(let number): return .double(number)
        case .decimal(let number): return Decimal(string: number.description).map(Value.decimal)
        case .string(let text): return .string(text)
        case .data(let bytes): return .data(Data(bytes))
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let bytes): return UUID(bytes: bytes).map(Value.uuid)
        case .url(let text): return .uri(text)
        case .array(let members), .set(let members):
            var values: [Value] = []
            for member in members {
                guard let value = value(member) else { return nil }
                values.append(value)
            }
            return .array(values)
        case .dictionary(let entries):
            var values: [String: Value] = [:]
            for (key, member) in entries {
                guard let key = key.string, let value = value(member) else { return nil }
                values[key] = value
            }
            return .dictionary(values)
        case .object(let object):
            guard object.className == ObjectReference.archiveClass, let uri = object["uri"]?.string else { return nil }
            return .reference(ObjectReference(uri: uri))
        }
    }

    private mutating func charge(_ archived: ArchivedValue) -> Bool {
        let count =
            switch archived {
            case .data(let bytes): bytes.count
            case .string(let text), .url(let text): text.utf8.count
            default: 0
            }
        left -= 1 + count / 8
        return left >= 0
    }
}

extension ObjectReference {
    fileprivate static let archiveClass = "OutcropObjectReference"
}

extension KeyedArchiveBuilder {
    /// Adds a value; members of dictionaries are sorted by key.
    mutating func add(_ value: Value) -> PropertyListValue {
        switch value {
        case .null: return addNull()
        case .bool(let flag): return add(.boolean(flag))
        case .integer(let number): return add(.integer(Int128(number)))
        case .double(let number): return add(.real(number))
        case .decimal(let number):
            return ArchivedDecimal(number.description).map { add(decimal: $0) } ?? add(text: number.description)
        case .string(let text): return add(text: text)
        case .date(let date): return add(date: date.timeIntervalSinceReferenceDate)
        case .data(let data): return add(.data([UInt8](data)))
        case .uuid(let uuid): return add(uuid: uuid.bytes)
        case .uri(let text): return add(url: text)
        case .reference(let reference):
            let uri = add(text: reference.uri)
            return add(class: [ObjectReference.archiveClass, "NSObject"], [("uri", uri)])
        case .array(let values): return add(array: values.map { add($0) })
        case .dictionary(let values):
            var entries: [(PropertyListValue, PropertyListValue)] = []
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                let place = add(text: key)
                entries.append((place, add(value)))
            }
            return add(dictionary: entries)
        }
    }

    private mutating func add(text: String) -> PropertyListValue { add(PropertyListValue.string(text)) }
}
