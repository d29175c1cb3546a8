// SPDX-License-Identifier: Apache-2.0

// Values of any kind as bytes: keyed archives, which is what Core Data's own transformers make.

import FoundationEssentials
import Predicates
import PropertyList

/// What a transformable attribute's column holds. Bytes that are no archive, or one of classes that aren't known, are taken as
/// the value itself, and are written as they came.
enum TransformedValue {
    static func value(of bytes: [UInt8]) -> Value {
        archived(bytes) ?? .data(Data(bytes))
    }

    static func bytes(of value: Value) -> [UInt8] {
        if case .data(let data) = value, archived([UInt8](data)) == nil, isArchive(data) { return [UInt8](data) }
        var builder = KeyedArchiveBuilder()
        let root = builder.add(value)
        return builder.archive(root: root).binary()
    }

    /// The value of an archive of known classes alone.
    private static func archived(_ bytes: [UInt8]) -> Value? {
        (try? KeyedArchive(parsing: bytes)).flatMap { Value($0.root) }
    }

    private static func isArchive(_ data: Data) -> Bool { data.starts(with: Array("bplist00".utf8)) }
}

extension Value {
    /// Nil for an object of a class that isn't known.
    init?(_ archived: ArchivedValue) {
        switch archived {
        case .null: self = .null
        case .boolean(let flag): self = .bool(flag)
        case .integer(let number):
            guard let integer = Int64(exactly: number) else { return nil }
            self = .integer(integer)
        case .real(let number): self = .double(number)
        case .decimal(let number):
            guard let decimal = Decimal(string: number.description) else { return nil }
            self = .decimal(decimal)
        case .string(let text): self = .string(text)
        case .data(let bytes): self = .data(Data(bytes))
        case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .uuid(let bytes):
            guard let uuid = UUID(bytes: bytes) else { return nil }
            self = .uuid(uuid)
        case .url(let text): self = .uri(text)
        case .array(let members), .set(let members):
            var values: [Value] = []
            for member in members {
                guard let value = Value(member) else { return nil }
                values.append(value)
            }
            self = .array(values)
        case .dictionary(let entries):
            var values: [String: Value] = [:]
            for (key, member) in entries {
                guard let key = key.string, let value = Value(member) else { return nil }
                values[key] = value
            }
            self = .dictionary(values)
        case .object(let object):
            guard object.className == ObjectReference.archiveClass, let uri = object["uri"]?.string else { return nil }
            self = .reference(ObjectReference(uri: uri))
        }
    }
}

extension ObjectReference {
    fileprivate static let archiveClass = "OutcropObjectReference"
}

extension KeyedArchiveBuilder {
    /// Adds a value, those of dictionaries in the order of their keys.
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
