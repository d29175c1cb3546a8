// SPDX-License-Identifier: Apache-2.0

// The pages of a fetch, one after the other, as bytes.

import ObjectGraph
import ObjectModel

/// Goes through all rows of a fetch. Each page may be read from another state of the stores.
struct FetchPages {
    /// Whether there are no more.
    var isAtEnd: Bool { isRead && unwritten.isEmpty }

    private var isRead = false
    /// What was read and isn't written yet: values in files may be far longer than the rows.
    private var unwritten: ArraySlice<ObjectDTO> = []
    private let api: API
    private let owner: Snapshot?
    private var plan: FetchPlan
    private var text: RowText
    /// How many rows are read together, and how many may be.
    private var pageSize: Int
    private var largestPageSize: Int
    /// How many rows are still wanted; nil for all.
    private var rest: Int?

    init(_ plan: FetchPlan, _ api: API, _ reader: some GraphReading) throws {
        self.api = api
        (self.plan, owner) = try api.located(plan, reader)
        text = RowText(plan, api)
        rest = plan.limit
        pageSize = Self.pageSize(of: plan, api.catalogue.model)
        largestPageSize = 16 * pageSize
    }

    /// The next rows, behind what stands before all of them. As long as they are short, the next page has more of them: each is a query,
    /// and one that no index serves sorts all that is left. Where they are too long to be read together, they are fewer, and so are those
    /// that follow.
    mutating func next(_ reader: some GraphReading) throws -> [UInt8] {
        if !unwritten.isEmpty { return written() }
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

    /// After a page of so many bytes the next one has no more rows.
    private static let longPage = 1 << 20

    /// The text of as many objects as make a long page.
    private mutating func written() -> [UInt8] {
        while text.count < Self.longPage, let object = unwritten.popFirst() { text.write(object) }
        return text.take()
    }

    private mutating func page(_ reader: some GraphReading) throws {
        guard !isRead else { return }
        plan.limit = min(pageSize, rest ?? pageSize)
        let count = plan.result == .dictionary ? try table(reader) : try list(reader)
        if let all = rest { rest = all - count }
        if rest == 0 { isRead = true }
    }

    private mutating func list(_ reader: some GraphReading) throws -> Int {
        let list = try api.list(plan, owner, reader)
        (plan.cursor, plan.offset) = (list.cursor, 0)
        isRead = list.cursor == nil
        switch list.items {
        case .objects(let objects):
            unwritten = objects[...]
            return objects.count
        case .references(let references):
            text.write(references)
            return references.count
        }
    }

    private mutating func table(_ reader: some GraphReading) throws -> Int {
        if plan.table?.takesTogether == true {
            // Groups are made of all objects each time they are asked for.
            var request = plan.request
            request.fetchLimit = rest ?? 0
            let rows = rest == 0 ? [] : try reader.table(request).rows
            text.write(rows)
            isRead = true
            return rows.count
        }
        let (rows, next) = try api.rows(plan, reader)
        text.write(rows)
        (plan.cursor, plan.offset) = (next, 0)
        isRead = next == nil
        return rows.count
    }

    /// Rows with bytes in them may be long, and those with others embedded.
    private static func pageSize(of plan: FetchPlan, _ model: ManagedObjectModel) -> Int {
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
