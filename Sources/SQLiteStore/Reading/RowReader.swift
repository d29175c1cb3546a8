// SPDX-License-Identifier: Apache-2.0

// Converts rows of an entity's table to snapshots, by column indexes computed beforehand.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Reads the rows of one table.
final class RowReader: Sendable {
    /// The columns of an entity's values.
    private final class Layout: Sendable {
        let entity: EntityDescription
        let attributes: [AttributeColumns]
        /// Whether values may be in files.
        let hasFiles: Bool
        let toOnes: [(columns: ToOneColumns?, destination: EntityDescription)]
        /// The columns of all values, in the order of a page's fields.
        let fields: [FieldColumns]

        init(_ layout: EntityTable.Layout, in model: ManagedObjectModel) {
            entity = layout.entity
            attributes = layout.attributes
            hasFiles = layout.attributes.contains(where: \.mayBeInFile)
            toOnes = zip(layout.toOnes, layout.entity.toOnes).map { ($0, model.destination(of: $1)) }
            fields = attributes.enumerated().map(FieldColumns.init) + toOnes.enumerated().map(FieldColumns.init)
        }
    }

    /// The columns of a value, without references to objects.
    private enum FieldColumns: Sendable {
        case value(Int, ValueKind)
        /// An attribute of another kind, by slot.
        case attribute(Int)
        case toOne(key: Int, entity: Int)
        /// A relationship whose objects may have several entities, or a transient one, by slot.
        case relationship(Int)

        init(_ slot: Int, _ attribute: AttributeColumns) {
            if case .value(let place, let encoding) = attribute, let kind = ValueKind(encoding) {
                self = .value(place, kind)
            } else {
                self = .attribute(slot)
            }
        }

        init(_ slot: Int, _ toOne: (columns: ToOneColumns?, destination: EntityDescription)) {
            if let columns = toOne.columns, columns.entity == nil {
                self = .toOne(key: columns.key, entity: toOne.destination.index)
            } else {
                self = .relationship(slot)
            }
        }
    }

    /// The kinds of values whose usual content is appended to a page without a value between.
    private enum ValueKind: Sendable {
        case integer, bool, double, date, string

        init?(_ encoding: ValueEncoding) {
            switch encoding {
            case .integer: self = .integer
            case .bool: self = .bool
            case .double: self = .double
            case .date: self = .date
            case .string: self = .string
            default: return nil
            }
        }
    }

    let table: EntityTable
    private let store: UUID
    private let numbers: EntityNumbers
    private let files: ExternalFiles?
    /// By the index of the entity in its hierarchy.
    private let layouts: [Layout]
    /// Whether values may be in files.
    let hasFiles: Bool
    /// The list of columns for each of the table's usual aliases.
    private let selected: [String: SQL]
    /// The query for rows by their keys, up to the list of these.
    private let selectedByKeys: SQL
    private let names: [String]

    init(_ table: EntityTable, in schema: StoreSchema, store: UUID, _ files: ExternalFiles?) {
        self.table = table
        self.store = store
        self.files = files
        numbers = schema.numbers
        let names = SystemColumn.all + table.columns.map(\.name)
        self.names = names
        let aliases: [SQL] = ["t0", "m"]
        selected = Dictionary(uniqueKeysWithValues: aliases.map { ($0.text, Self.columns(names, of: $0)) })
        selectedByKeys = """
            SELECT \(Self.columns(names, of: "t0")) FROM \(identifier: table.name) AS t0 WHERE t0.Z_PK IN\u{20}
            """
        layouts = table.layouts.map { Layout($0, in: schema.model) }
        hasFiles = layouts.contains(where: \.hasFiles)
    }

    /// The columns to read a row from: `t0.Z_PK, t0.Z_ENT, …`.
    func columns(of alias: SQL) -> SQL { selected[alias.text] ?? Self.columns(names, of: alias) }

    /// The query for the rows with some keys.
    func query(_ keys: [Int64]) -> SQL { selectedByKeys + .keys(keys) }

    private static func columns(_ names: [String], of alias: SQL) -> SQL {
        names.map { "\(alias).\(identifier: $0)" as SQL }.joined(separator: ", ")
    }

    /// The ID of an object, from a row's first two columns.
    func objectID(_ row: Statement, from first: Int32 = 0) -> ManagedObjectID {
        objectID(key: row.int64(first), number: row.int64(first + 1))
    }

    func objectID(key: Int64, number: Int64) -> ManagedObjectID {
        ManagedObjectID(entity: layout(number).entity, store: store, reference: .integer(key))
    }

    /// Converts a statement's current row, which has the columns of `columns(of:)`.
    func snapshot(_ row: Statement, from first: Int32 = 0) -> Snapshot {
        var ids = SharedIDs()
        return snapshot(row, from: first, sharing: &ids)
    }

    /// - Parameter ids: The IDs that the rows of one read refer to.
    func snapshot(_ row: Statement, from first: Int32 = 0, sharing ids: inout SharedIDs) -> Snapshot {
        let key = row.int64(first)
        let number = row.int64(first + 1)
        let layout = layout(number)
        let start = first + Int32(SystemColumn.all.count)
        var values: [Value] = []
        values.reserveCapacity(layout.attributes.count)
        for attribute in layout.attributes { values.append(value(attribute, row, start)) }
        var toOnes: [ManagedObjectID?] = []
        toOnes.reserveCapacity(layout.toOnes.count)
        for (columns, destination) in layout.toOnes { toOnes.append(toOne(columns, destination, row, start, &ids)) }
        return Snapshot(
            objectID: ManagedObjectID(entity: layout.entity, store: store, reference: .integer(key)),
            version: row.int64(first + 2),
            row: Row(attributes: values, toOnes: toOnes),
            mappedBytes: layout.hasFiles ? mappedBytes(of: values, layout.attributes, row, start) : 0
        )
    }

    private func layout(_ number: Int64) -> Layout {
        guard layouts.count > 1, let entity = numbers.entity(number) else { return layouts[0] }
        let place = entity.index - table.root.index
        return layouts.indices.contains(place) ? layouts[place] : layouts[0]
    }

    private func value(_ columns: AttributeColumns, _ row: Statement, _ start: Int32) -> Value {
        switch columns {
        case .none: return .null
        case .value(let place, .externalData):
            let column = start + Int32(place)
            return row.isNull(column) ? .null : files?.value(row.bytes(column)) ?? .null
        case .value(let place, let encoding): return encoding.value(row, start + Int32(place))
        case .composite(let presence, let elements):
            var members: [String: Value] = [:]
            for (element, columns) in elements { members[element.name] = value(columns, row, start) }
            let isPresent = presence.map { !row.isNull(start + Int32($0)) } ?? members.values.contains { $0 != .null }
            return isPresent ? .dictionary(members) : .null
        }
    }

    /// The total size of the files that a row's columns name.
    private func mappedBytes(
        of values: some Sequence<Value>,
        _ columns: some Sequence<AttributeColumns>,
        _ row: Statement,
        _ start: Int32
    ) -> Int {
        zip(values, columns).reduce(0) { sum, attribute in
            switch attribute {
            case (.data(let data), .value(let place, .externalData)):
                let isInFile = row.byteCount(start + Int32(place)) == ExternalFileName.storedLength
                return sum + (isInFile ? data.count : 0)
            case (.dictionary(let members), .composite(_, let elements)):
                let values = elements.map { members[$0.element.name] ?? .null }
                return sum + mappedBytes(of: values, elements.map(\.columns), row, start)
            default: return sum
            }
        }
    }

    private func toOne(
        _ columns: ToOneColumns?,
        _ destination: EntityDescription,
        _ row: Statement,
        _ start: Int32,
        _ ids: inout SharedIDs
    ) -> ManagedObjectID? {
        guard let columns, !row.isNull(start + Int32(columns.key)) else { return nil }
        return ids.objectID(
            entity(columns, destination, row, start),
            store,
            key: row.int64(start + Int32(columns.key))
        )
    }

    /// The entity of a to-one relationship's object.
    private func entity(
        _ columns: ToOneColumns,
        _ destination: EntityDescription,
        _ row: Statement,
        _ start: Int32
    ) -> EntityDescription {
        guard let place = columns.entity, let own = numbers.entity(row.int64(start + Int32(place))) else {
            return destination
        }
        // A number outside the hierarchy would identify another object.
        return own.isKind(of: destination) ? own : destination
    }
}

// MARK: Pages

extension RowReader {
    /// Appends a statement's current row, which has the columns of `columns(of:)`, to a page.
    func append(_ row: Statement, to page: inout RowPageBuilder, from first: Int32 = 0) {
        let layout = layout(row.int64(first + 1))
        let start = first + Int32(SystemColumn.all.count)
        page.beginRow(key: row.int64(first), version: row.int64(first + 2), entity: layout.entity)
        for (place, columns) in layout.fields.enumerated() {
            switch columns {
            case .value(let column, let kind):
                if append(kind, row, start + Int32(column), to: &page) { continue }
                page.append(value(layout.attributes[place], row, start))
            case .attribute(let slot): page.append(value(layout.attributes[slot], row, start))
            case .toOne(let key, let entity):
                let column = start + Int32(key)
                page.append(field: row.isNull(column) ? .null : .object(key: row.int64(column), entity: entity))
            case .relationship(let slot):
                let (columns, destination) = layout.toOnes[slot]
                page.append(field: field(columns, destination, row, start))
            }
        }
    }

    private func field(
        _ columns: ToOneColumns?,
        _ destination: EntityDescription,
        _ row: Statement,
        _ start: Int32
    ) -> RowPage.Field {
        guard let columns, !row.isNull(start + Int32(columns.key)) else { return .null }
        let entity = entity(columns, destination, row, start)
        return .object(key: row.int64(start + Int32(columns.key)), entity: entity.index)
    }

    /// Appends a content of the usual type; returns false for another one.
    private func append(_ kind: ValueKind, _ row: Statement, _ column: Int32, to page: inout RowPageBuilder) -> Bool {
        switch (kind, row.columnType(column)) {
        case (_, .null): page.append(field: .null)
        case (.integer, .integer): page.append(field: .integer(row.int64(column)))
        case (.bool, .integer): page.append(field: .bool(row.int64(column) != 0))
        case (.date, .real):
            let seconds = row.double(column)
            guard seconds.isFinite else { return false }
            page.append(field: .date(Date(timeIntervalSinceReferenceDate: seconds)))
        case (.double, .real):
            let number = row.double(column)
            guard !number.isNaN else { return false }
            page.append(field: .double(number))
        case (.string, .text): row.withUTF8(column) { page.append(text: $0) }
        default: return false
        }
        return true
    }
}

extension AttributeColumns {
    fileprivate var mayBeInFile: Bool {
        switch self {
        case .none: false
        case .value(_, let encoding): encoding == .externalData
        case .composite(_, let elements): elements.contains { $0.columns.mayBeInFile }
        }
    }
}
