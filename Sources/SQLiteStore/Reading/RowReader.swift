// SPDX-License-Identifier: Apache-2.0

// Converts rows of an entity's table to snapshots, by column indexes computed beforehand.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Reads the rows of one table.
struct RowReader: Sendable {
    /// The columns of an entity's values.
    private struct Layout: Sendable {
        let entity: EntityDescription
        let attributes: [AttributeColumns]
        /// Whether values may be in files.
        let hasFiles: Bool
        let toOnes: [(columns: ToOneColumns?, destination: EntityDescription)]
    }

    let table: EntityTable
    private let store: UUID
    private let numbers: EntityNumbers
    private let files: ExternalFiles?
    /// By the index of the entity in its hierarchy.
    private let layouts: [Layout]
    /// The list of columns for each of the table's usual aliases.
    private let selected: [String: SQL]
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
        layouts = table.layouts.map { layout in
            Layout(
                entity: layout.entity,
                attributes: layout.attributes,
                hasFiles: layout.attributes.contains(where: \.mayBeInFile),
                toOnes: zip(layout.toOnes, layout.entity.toOnes).map { ($0, schema.model.destination(of: $1)) }
            )
        }
    }

    /// The columns to read a row from: `t0.Z_PK, t0.Z_ENT, …`.
    func columns(of alias: SQL) -> SQL { selected[alias.text] ?? Self.columns(names, of: alias) }

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
        let key = row.int64(first)
        let number = row.int64(first + 1)
        let layout = layout(number)
        let start = first + Int32(SystemColumn.all.count)
        var values: [Value] = []
        values.reserveCapacity(layout.attributes.count)
        for attribute in layout.attributes { values.append(value(attribute, row, start)) }
        var toOnes: [ManagedObjectID?] = []
        toOnes.reserveCapacity(layout.toOnes.count)
        for (columns, destination) in layout.toOnes { toOnes.append(toOne(columns, destination, row, start)) }
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
        _ start: Int32
    ) -> ManagedObjectID? {
        guard let columns, !row.isNull(start + Int32(columns.key)) else { return nil }
        let own = columns.entity.flatMap { numbers.entity(row.int64(start + Int32($0))) }
        // A number outside the hierarchy would identify another object.
        let entity = own.flatMap { $0.isKind(of: destination) ? $0 : nil } ?? destination
        return ManagedObjectID(entity: entity, store: store, reference: .integer(row.int64(start + Int32(columns.key))))
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
