// SPDX-License-Identifier: Apache-2.0

// Writes rows as lines of JSON or comma-separated values.

import CSV
import JSON
import ObjectGraph
import Predicates

/// Writes rows one after the other in a streaming format.
struct StreamedRowWriter {
    private let api: API
    private let plan: FetchPlan
    private let columns: [CSVColumn]
    private let tableKeys: [[UInt8]]
    private var json = JSONBuffer(capacity: 64 << 10)
    private var csv = CSVWriter()

    init(_ plan: FetchPlan, in api: API) {
        self.plan = plan
        self.api = api
        tableKeys = plan.table?.columns.tableKeys ?? []
        columns =
            switch plan.result {
            case .ids: [.reference]
            case .objects, .count: CSVColumn.columns(of: plan.selection, for: plan.resource, in: api.catalogue)
            case .dictionary: []
            }
        guard plan.format == .csv else { return }
        csv.write(plan.table?.columns.map(\.name) ?? columns.flatMap(\.names))
    }

    /// Returns the written bytes and clears the buffer.
    mutating func drain() -> [UInt8] {
        guard plan.format != .csv else { return csv.drain() }
        defer { json = JSONBuffer(capacity: 64 << 10) }
        return json.bytes
    }

    /// The number of bytes in the buffer.
    var count: Int { plan.format == .csv ? csv.bytes.count : json.bytes.count }

    mutating func write(_ object: ObjectDTO) {
        if plan.format == .csv {
            csv.write(columns.flatMap { $0.cells(object, in: api.catalogue) })
        } else {
            // A growing array takes up to three times its content.
            let size = object.row.row.approximateSize
            if size > Self.longRow { json.reserve(size / 3 * 4 + Self.longRow) }
            json.write(object, in: api.catalogue)
            json.write(byte: "\n")
        }
    }

    private static let longRow = 1 << 20

    mutating func write(_ rows: RowsDTO, at index: Int) {
        if plan.format == .csv { return write(rows.object(at: index)) }
        json.write(rows, at: index, in: api.catalogue)
        json.write(byte: "\n")
    }

    mutating func write(_ references: [ManagedObjectID]) {
        for reference in references {
            if plan.format == .csv {
                csv.write([api.catalogue.reference(to: reference)])
            } else {
                json.write(reference, in: api.catalogue)
                json.write(byte: "\n")
            }
        }
    }

    mutating func write(_ rows: [[Value]]) {
        let columns = plan.table?.columns ?? []
        for row in rows {
            if plan.format == .csv {
                csv.write(zip(row, columns).map { $0.cellText(of: $1, in: api) })
            } else {
                json.write(row, of: columns, keys: tableKeys, in: api)
                json.write(byte: "\n")
            }
        }
    }
}

extension Value {
    /// The text of a table's cell; references in the API's form.
    fileprivate func cellText(of column: TablePlan.Column, in api: API) -> String? {
        if case .reference(let reference) = self, let objectID = api.coordinator.objectID(forURI: reference.uri) {
            return api.catalogue.reference(to: objectID)
        }
        return (column.namesEntity ? api.catalogue.shownEntity(self) : self).cellText(of: column.attribute)
    }
}
