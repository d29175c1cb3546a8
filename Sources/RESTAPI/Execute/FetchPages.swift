// SPDX-License-Identifier: Apache-2.0

// The pages of a fetch, one after the other, as bytes.

import ObjectGraph
import ObjectModel

/// Goes through all rows of a fetch.
struct FetchPages<Reader: GraphReading> {
    /// Whether there are no more.
    private(set) var isAtEnd = false

    private let api: API
    private let reader: Reader
    private let owner: Snapshot?
    private var plan: FetchPlan
    private var text: RowText
    private let pageSize: Int
    /// How many rows are still wanted; nil for all.
    private var rest: Int?

    init(_ plan: FetchPlan, _ api: API, _ reader: Reader) throws {
        (self.api, self.reader) = (api, reader)
        (self.plan, owner) = try api.located(plan, reader)
        text = RowText(plan, api)
        rest = plan.limit
        pageSize = Self.pageSize(of: plan, api.catalogue.model)
    }

    /// The next rows, behind what stands before all of them.
    mutating func next() throws -> [UInt8] {
        guard !isAtEnd else { return [] }
        let wanted = min(pageSize, rest ?? pageSize)
        plan.limit = wanted
        let count = plan.result == .dictionary ? try table(wanted) : try list()
        if let all = rest { rest = all - count }
        if rest == 0 { isAtEnd = true }
        return text.take()
    }

    private mutating func list() throws -> Int {
        let list = try api.list(plan, owner, reader)
        (plan.cursor, plan.offset) = (list.cursor, 0)
        isAtEnd = list.cursor == nil
        switch list.items {
        case .objects(let objects):
            text.write(objects)
            return objects.count
        case .references(let references):
            text.write(references)
            return references.count
        }
    }

    /// Rows that stand for no objects have no keys to go on behind; they are counted.
    private mutating func table(_ wanted: Int) throws -> Int {
        var request = plan.request
        // Groups are made of all objects each time they are asked for.
        let isMadeAnew = plan.table?.takesTogether == true
        request.fetchLimit = isMadeAnew ? rest ?? 0 : wanted
        let rows = request.fetchLimit == 0 && rest == 0 ? [] : try reader.table(request).rows
        text.write(rows)
        plan.offset += rows.count
        isAtEnd = isMadeAnew || rows.count < wanted
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
