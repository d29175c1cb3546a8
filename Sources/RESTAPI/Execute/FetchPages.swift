// SPDX-License-Identifier: Apache-2.0

// Writes the pages of a fetch as bytes, one by one.

import ObjectGraph
import ObjectModel

/// Iterates over all rows of a fetch. Each page may be read from another state of the stores.
struct FetchPages {
    /// Whether all rows have been written.
    var isAtEnd: Bool { isRead && !hasUnwritten }

    private var isRead = false
    /// Objects that were read and aren't written yet: values in files may be much longer than rows.
    private var unwritten: ArraySlice<ObjectDTO> = []
    private var unwrittenRows: RowsDTO?
    private let api: API
    private let owner: Snapshot?
    private var plan: FetchPlan
    private var text: StreamedRowWriter
    /// The number of rows in the next page, and its maximum.
    private var pageSize: Int
    private var largestPageSize: Int
    /// The number of rows still to be read, or nil for all.
    private var rest: Int?

    init(_ plan: FetchPlan, in api: API, from reader: some GraphReading) throws {
        self.api = api
        (self.plan, owner) = try api.resolvingSource(plan, from: reader)
        text = StreamedRowWriter(plan, in: api)
        rest = plan.limit
        pageSize = Self.pageSize(of: plan, in: api.catalogue.model)
        largestPageSize = 16 * pageSize
    }

    /// The text of the next rows, after the beginning if they are the first. While rows are short, each page is larger
    /// than the previous one: each page is a query, which without an index sorts all remaining rows. If rows are too
    /// long to be read together, this page and later ones are smaller.
    mutating func next(_ reader: some GraphReading) throws -> [UInt8] {
        if hasUnwritten { return written() }
        while true {
            do {
                try WorkLimits.withNewAllowance { try page(reader) }
                let bytes = written()
                if bytes.count < Self.longPage { pageSize = min(2 * pageSize, largestPageSize) }
                return bytes
            } catch let error as GraphError where error.code == .tooMuchRead && pageSize > 1 {
                pageSize = max(1, pageSize / 8)
                largestPageSize = pageSize
            }
        }
    }

    /// A page with this many bytes doesn't increase the page size.
    private static let longPage = 1 << 20

    /// The text of the objects that fill a long page.
    private mutating func written() -> [UInt8] {
        while text.count < Self.longPage, let object = unwritten.popFirst() { text.write(object) }
        while text.count < Self.longPage, let rows = unwrittenRows, let index = rows.rows.indices.first {
            text.write(rows, at: index)
            unwrittenRows?.rows.removeFirst()
        }
        return text.drain()
    }

    private var hasUnwritten: Bool { !unwritten.isEmpty || unwrittenRows?.rows.isEmpty == false }

    private mutating func page(_ reader: some GraphReading) throws {
        guard !isRead else { return }
        plan.limit = min(pageSize, rest ?? pageSize)
        let count = plan.result == .dictionary ? try table(reader) : try list(reader)
        if let all = rest { rest = all - count }
        if rest == 0 { isRead = true }
    }

    private mutating func list(_ reader: some GraphReading) throws -> Int {
        let list = try api.list(plan, of: owner, from: reader)
        plan.cursor = list.cursor
        plan.offset = 0
        isRead = list.cursor == nil
        switch list.items {
        case .objects(let objects):
            unwritten = objects[...]
            return objects.count
        case .rows(let rows):
            unwrittenRows = rows
            return rows.rows.count
        case .references(let references):
            text.write(references)
            return references.count
        }
    }

    private mutating func table(_ reader: some GraphReading) throws -> Int {
        if plan.table?.combinesObjects == true {
            // Groups are computed from all objects in each query.
            var request = plan.request
            request.fetchLimit = rest ?? 0
            let rows = rest == 0 ? [] : try reader.table(request).rows
            text.write(rows)
            isRead = true
            return rows.count
        }
        let (rows, next) = try api.rows(plan, from: reader)
        text.write(rows)
        plan.cursor = next
        plan.offset = 0
        isRead = next == nil
        return rows.count
    }

    /// Rows with bytes may be long, and so may rows with embedded objects.
    private static func pageSize(of plan: FetchPlan, in model: ManagedObjectModel) -> Int {
        let hasBytes = model.kinds(of: plan.resource.entity).contains { kind in
            kind.attributes.contains { attribute in
                switch attribute.type {
                case .binary, .transformable: true
                default: false
                }
            }
        }
        return hasBytes ? 50 : plan.selection.embedded.isEmpty ? 1_000 : 100
    }
}
