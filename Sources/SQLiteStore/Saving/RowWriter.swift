// SPDX-License-Identifier: Apache-2.0

// Converts rows from slots to columns.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// Writes the values of an entity's rows.
struct RowWriter: Sendable {
    let table: EntityTable
    let layout: EntityTable.Layout
    private let tables: StoreTables

    init?(_ entity: EntityDescription, _ tables: StoreTables) {
        guard let table = tables.schema.table(of: entity) else { return nil }
        self.table = table
        self.tables = tables
        layout = table[entity]
    }

    /// A column and its value.
    typealias Assignment = (column: String, value: SQLValue)

    /// All assignments of a new row, except its order values.
    ///
    /// - Parameter files: The files that columns name instead of values, by column index.
    func assignments(of row: Row, files: [Int: ExternalFileName] = [:]) throws(StoreError) -> [Assignment] {
        var assignments: [Assignment] = []
        for slot in layout.attributes.indices { try add(slot, of: row, files, to: &assignments) }
        for slot in layout.toOnes.indices { add(toOne: slot, of: row, to: &assignments) }
        return assignments
    }

    func assignments(
        of row: Row,
        attributes: [Int],
        toOnes: [Int],
        files: [Int: ExternalFileName] = [:]
    ) throws(StoreError) -> [Assignment] {
        var assignments: [Assignment] = []
        for slot in attributes { try add(slot, of: row, files, to: &assignments) }
        for slot in toOnes { add(toOne: slot, of: row, to: &assignments) }
        return assignments
    }

    private func add(
        _ slot: Int,
        of row: Row,
        _ files: [Int: ExternalFileName],
        to assignments: inout [Assignment]
    ) throws(StoreError) {
        let attribute = layout.entity.attributes[slot]
        try add(row.attributes[slot], layout.attributes[slot], attribute, files, to: &assignments)
    }

    private func add(
        _ value: Value,
        _ columns: AttributeColumns,
        _ attribute: AttributeDescription,
        _ files: [Int: ExternalFileName],
        to assignments: inout [Assignment]
    ) throws(StoreError) {
        switch columns {
        case .none: return
        case .value(let place, let encoding):
            if let file = files[place] { return assignments.append((table.columns[place].name, .blob(file.stored))) }
            guard let encoded = encoding.encoded(value) else { throw .wrongType(value, attribute, layout.entity) }
            assignments.append((table.columns[place].name, encoded))
        case .composite(let presence, let elements):
            var members: [String: Value] = [:]
            if case .dictionary(let given) = value { members = given }
            if let presence { assignments.append((table.columns[presence].name, value == .null ? .null : 1)) }
            for (element, columns) in elements {
                try add(members[element.name] ?? .null, columns, element, files, to: &assignments)
            }
        }
    }

    private func add(toOne slot: Int, of row: Row, to assignments: inout [Assignment]) {
        guard let columns = layout.toOnes[slot] else { return }
        let destination = row.toOnes[slot]
        let key = destination.flatMap(tables.key).map(SQLValue.integer) ?? .null
        assignments.append((table.columns[columns.key].name, key))
        if let entity = columns.entity {
            let number = destination.map { SQLValue.integer(tables.schema.numbers[$0.entity]) } ?? .null
            assignments.append((table.columns[entity].name, number))
        }
    }

    /// The columns of a constraint's properties.
    func columns(of constraint: [PropertyDescription]) -> [String] {
        constraint.compactMap { property in
            switch property {
            case .attribute(let attribute):
                if case .value(let place, _) = layout.attributes[attribute.slot] {
                    table.columns[place].name
                } else {
                    nil
                }
            case .relationship(let relationship): layout.toOnes[relationship.slot].map { table.columns[$0.key].name }
            case .fetched: nil
            }
        }
    }
}

extension StoreError {
    static func wrongType(_ value: Value, _ attribute: AttributeDescription, _ entity: EntityDescription) -> StoreError
    {
        StoreError(
            .unsupportedValue,
            "“\(attribute.name)” of \(entity.name) can't be \(value), which has a different type."
        )
    }
}
