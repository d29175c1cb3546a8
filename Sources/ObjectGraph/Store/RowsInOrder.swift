// SPDX-License-Identifier: Apache-2.0

// Rows by their IDs, which are usually asked for in order.

/// Finds rows by ID: without an index as long as each is asked for after the one before it.
struct RowsInOrder {
    private let rows: [Snapshot]
    private var next = 0
    private var index: [ManagedObjectID: Snapshot]?

    init(_ rows: [Snapshot]) { self.rows = rows }

    /// The last row of an object, or nil.
    mutating func row(of objectID: ManagedObjectID) -> Snapshot? {
        if next < rows.count, rows[next].objectID == objectID, index == nil {
            defer { next += 1 }
            return rows[next]
        }
        let index = index ?? Dictionary(rows.map { ($0.objectID, $0) }) { _, last in last }
        self.index = index
        return index[objectID]
    }
}
