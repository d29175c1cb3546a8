// SPDX-License-Identifier: Apache-2.0

// Fills a page with rows, field by field.

public import FoundationEssentials
public import Predicates

/// The rows of a page while a store reads them. Each row is begun, and then given its fields in order.
///
///     var rows = RowPageBuilder(model: model, store: identifier)
///     rows.beginRow(key: 1, version: 1, entity: post)
///     rows.append(text: title.utf8.span)
///     rows.append(field: .integer(7))
///     rows.append(field: .object(key: 4, entity: user.index))
///     return rows.page
public struct RowPageBuilder {
    private let model: ManagedObjectModel
    private let store: UUID
    private var heads: [RowPage.Head] = []
    private var fields: [RowPage.Field] = []
    private var text: [UInt8] = []
    private var values: [Value] = []
    private var valueBytes = 0

    public init(model: ManagedObjectModel, store: UUID) {
        self.model = model
        self.store = store
    }

    public var page: RowPage {
        RowPage(model: model, store: store, heads: heads, fields: fields, text: text, values: values)
    }

    /// The memory of the rows.
    public var byteCount: Int {
        heads.count * MemoryLayout<RowPage.Head>.stride + fields.count * MemoryLayout<RowPage.Field>.stride + text.count
            + valueBytes
    }

    public mutating func beginRow(key: Int64, version: Int64, entity: EntityDescription) {
        heads.append(
            RowPage.Head(
                key: key,
                version: version,
                entity: entity.index,
                firstField: fields.count,
                firstToOne: fields.count + entity.attributes.count
            )
        )
    }

    /// Appends a field without a text or a value.
    public mutating func append(field: RowPage.Field) { fields.append(field) }

    /// Appends a text, in which invalid UTF-8 is replaced.
    public mutating func append(text bytes: Span<UInt8>) {
        let start = text.count
        let isValid = bytes.isUTF8
        unsafe bytes.withUnsafeBufferPointer { bytes in
            if isValid {
                unsafe text.append(contentsOf: bytes)
            } else {
                unsafe text.append(contentsOf: String(decoding: bytes, as: UTF8.self).utf8)
            }
        }
        fields.append(.text(start: start, count: text.count - start))
    }

    public mutating func append(_ value: Value) {
        switch value {
        case .null: fields.append(.null)
        case .bool(let flag): fields.append(.bool(flag))
        case .integer(let number): fields.append(.integer(number))
        case .double(let number): fields.append(.double(number))
        case .date(let date): fields.append(.date(date))
        case .uuid(let uuid): fields.append(.uuid(uuid))
        case .string(let text): append(text: text.utf8.span)
        default:
            fields.append(.value(values.count))
            values.append(value)
            valueBytes += MemoryLayout<Value>.stride + value.approximatePayload
        }
    }

    /// Appends a row that is an object of its own.
    public mutating func append(_ snapshot: Snapshot) {
        guard case .integer(let key) = snapshot.objectID.reference else {
            preconditionFailure("The rows of a page have numbers: \(snapshot.objectID).")
        }
        beginRow(key: key, version: snapshot.version, entity: snapshot.objectID.entity)
        for value in snapshot.row.attributes { append(value) }
        for destination in snapshot.row.toOnes {
            if case .integer(let key)? = destination?.reference, let entity = destination?.entity.index {
                fields.append(.object(key: key, entity: entity))
            } else {
                fields.append(.null)
            }
        }
    }

    /// Appends the rows of another page of the same store.
    public mutating func append(_ page: RowPage) {
        let firstField = fields.count
        let start = text.count
        let firstValue = values.count
        heads += page.heads.map { head in
            RowPage.Head(
                key: head.key,
                version: head.version,
                entity: head.entity,
                firstField: firstField + head.firstField,
                firstToOne: firstField + head.firstToOne
            )
        }
        fields += page.fields.map { field in
            switch field {
            case .text(let place, let count): .text(start: start + place, count: count)
            case .value(let place): .value(firstValue + place)
            default: field
            }
        }
        text += page.text
        values += page.values
        valueBytes += page.values.reduce(0) { $0 + MemoryLayout<Value>.stride + $1.approximatePayload }
    }
}

extension Span<UInt8> {
    /// Whether the bytes are valid UTF-8. Most texts are ASCII, for which all bytes are checked without an early exit.
    fileprivate var isUTF8: Bool {
        var bits: UInt8 = 0
        for index in indices { bits |= self[index] }
        if bits < 0x80 { return true }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: self)
            return true
        } catch {
            return false
        }
    }
}
