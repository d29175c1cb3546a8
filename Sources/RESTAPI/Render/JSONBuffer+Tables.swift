// SPDX-License-Identifier: Apache-2.0

// Writes rows of a table as JSON objects with the columns' names.

import JSON
import ObjectGraph
import Predicates

extension JSONBuffer {
    mutating func write(_ table: TableDTO, in api: API) {
        let keys = table.columns.tableKeys
        write(raw: "{\"items\":[")
        for (place, row) in table.rows.enumerated() {
            if place > 0 { write(byte: ",") }
            write(row, of: table.columns, keys: keys, in: api)
        }
        write(byte: "]")
        if let total = table.total {
            write(raw: ",\"total\":")
            write(Int64(total))
        }
        write(raw: ",\"next\":")
        if let next = table.next { write(string: next) } else { writeNull() }
        write(byte: "}")
    }

    /// Writes a row as an object.
    mutating func write(_ row: [Value], of columns: [TablePlan.Column], keys: [[UInt8]], in api: API) {
        write(byte: "{")
        for (offset, value) in row.enumerated() {
            write(raw: keys[offset])
            write(value, of: columns[offset], in: api)
        }
        write(byte: "}")
    }

    private mutating func write(_ value: Value, of column: TablePlan.Column, in api: API) {
        switch value {
        case .reference(let reference):
            if let objectID = api.names.objectID(forURI: reference.uri) {
                write(objectID, in: api.catalogue)
            } else {
                write(value)
            }
        default:
            if column.namesEntity { return write(api.catalogue.shownEntity(value)) }
            if let attribute = column.attribute { write(value, of: attribute) } else { write(value) }
        }
    }
}

extension [TablePlan.Column] {
    /// The bytes before each value of a row.
    var tableKeys: [[UInt8]] {
        enumerated().map { offset, column in
            [UInt8]("\(offset > 0 ? "," : "")\(JSONValue.string(column.name)):".utf8)
        }
    }
}
