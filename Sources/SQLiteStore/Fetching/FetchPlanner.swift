// SPDX-License-Identifier: Apache-2.0

// Plans a fetch. Each term of the predicate's AND, the order and the table are translated separately.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

struct FetchPlanner {
    private let request: StoreFetchRequest
    private let tables: StoreTables
    let rowReader: RowReader
    private let search: PlannedSearch?
    private var translator: Translator
    private var conditions: [Condition] = []
    private var order: [SQL] = []
    private var remaining: [ObjectPredicate] = []
    private var sortsInMemory = false
    private var untranslated: [SQLFetchPlan.Part] = []

    /// Nil for an entity that the store doesn't keep.
    ///
    /// - Parameter usesSearchIndex: Whether the search index is up to date with the rows.
    init?(_ request: StoreFetchRequest, _ tables: StoreTables, now: Date, usesSearchIndex: Bool = false) {
        search = PlannedSearch(request, tables, usesIndex: usesSearchIndex)
        guard let rowReader = tables.rowReader(of: request.entity),
            let translator = Translator(
                request.entity,
                in: tables.schema,
                store: tables.identifier,
                now: now,
                from: search?.tables
            )
        else { return nil }
        self.request = request
        self.tables = tables
        self.rowReader = rowReader
        self.translator = translator
        translateSearch()
        translatePredicate()
        translateOrder()
    }

    private mutating func translateSearch() {
        guard request.search != nil else { return }
        guard let search else {
            // The entity has no searchable attributes, or another store keeps it.
            conditions.append(.constant(false))
            return
        }
        conditions.append(search.condition)
        guard let start = request.search?.start, search.score != nil else { return }
        let isBehind = ObjectPredicate.comparing(.keyPath("objectID"), .greater, .constant(.reference(start.object)))
        let condition = attempt("the position after which the page begins") { (translator) throws(Untranslatable) in
            search.condition(behind: start, try translator.condition(isBehind))
        }
        conditions += [(condition ?? nil) ?? search.condition(behind: start, .constant(false))].compactMap(\.self)
    }

    private mutating func translatePredicate() {
        var bindings = 0
        for term in (request.predicate?.reorderedForEvaluation).map(Self.terms) ?? [] {
            let condition = attempt("\(term)") { (translator) throws(Untranslatable) in
                let condition = try translator.condition(term)
                try condition.sql.check(besideBindings: bindings + translator.base.tables.bindings.count)
                return condition
            }
            if let condition {
                bindings += condition.sql.bindings.count
                conditions.append(condition)
            } else {
                remaining.append(term)
            }
        }
        if let entityCondition { conditions.insert(entityCondition, at: 0) }
    }

    private mutating func translateOrder() {
        // A count needs no order, and groups are sorted with their table.
        if let score = search?.score { return order = ["\(score) DESC", "t0.Z_PK"] }
        guard !isGrouped, request.kind != .count, !request.sortDescriptors.isEmpty else { return }
        let descriptors = request.sortDescriptors
        let terms = attempt("sorting by \(descriptors.map(\.description).joined(separator: ", "))") {
            (translator) throws(Untranslatable) in
            let terms = try translator.order(by: descriptors)
            try terms.check()
            return terms
        }
        order = terms ?? []
        sortsInMemory = terms == nil
    }

    private var isGrouped: Bool {
        if case .table(let table) = request.kind { table.isGrouped || table.isDistinct } else { false }
    }

    /// A condition for the request's entities, or nil if all rows of the table match.
    private var entityCondition: Condition? {
        let isKind = tables.schema.kindCondition(
            request.entity,
            includingSubentities: request.includesSubentities,
            alias: "t0"
        )
        guard let isKind else { return nil }
        // Without `likely`, SQLite may prefer the entity's index to a better one.
        let hasIndex =
            conditions.contains(where: \.isSelective) || !request.sortDescriptors.isEmpty && request.limit != nil
        return Condition(hasIndex ? "likely(\(isKind))" : isKind, isNullable: false)
    }

    /// Runs a translation; if it fails, restores the translator and returns nil.
    private mutating func attempt<Result>(
        _ part: @autoclosure () -> String,
        _ body: (inout Translator) throws(Untranslatable) -> Result
    ) -> Result? {
        let before = translator
        do {
            return try body(&translator)
        } catch {
            translator = before
            untranslated.append(SQLFetchPlan.Part(text: part(), reason: error.reason))
            return nil
        }
    }

    /// The terms of an AND, including nested ones.
    private static func terms(of predicate: ObjectPredicate) -> [ObjectPredicate] {
        var terms: [ObjectPredicate] = []
        var pending = [predicate]
        while let next = pending.popLast() {
            if case .and(let parts) = next { pending += parts.reversed() } else { terms.append(next) }
        }
        return terms
    }
}

// MARK: Plans

extension FetchPlanner {
    mutating func plan() -> SQLFetchPlan {
        if remaining.isEmpty && !sortsInMemory {
            switch request.kind {
            case .snapshots: return plan(.snapshots, rowReader.columns(of: "t0"))
            case .objectIDs: return plan(.objectIDs, "t0.Z_PK, t0.Z_ENT")
            case .count: return plan(.count, counting: clause)
            case .table(let table): if let plan = plan(table) { return plan }
            }
        }
        return remainderPlan
    }

    /// `FROM … WHERE …`
    private var clause: SQL { translator.base.clause(where: .all(conditions)) }

    private var window: SQL { .window(offset: request.offset, limit: request.limit) }

    private func plan(_ rows: SQLFetchPlan.Rows, _ columns: SQL) -> SQLFetchPlan {
        SQLFetchPlan(
            statement: "SELECT \(columns)\(clause)\(.order(order.endingWithKey))\(window)",
            rows: rows,
            remainder: nil,
            untranslated: []
        )
    }

    private func plan(_ rows: SQLFetchPlan.Rows, counting clause: SQL) -> SQLFetchPlan {
        let statement: SQL =
            window.isEmpty ? "SELECT COUNT(*)\(clause)" : "SELECT COUNT(*) FROM (SELECT 1\(clause)\(window))"
        return SQLFetchPlan(statement: statement, rows: rows, remainder: nil, untranslated: [])
    }

    /// A plan that reads the rows SQL can find and evaluates the rest of the request.
    private var remainderPlan: SQLFetchPlan {
        var remainder = request
        remainder.predicate = remaining.isEmpty ? nil : .all(of: remaining)
        // SQL evaluates the search, including its order.
        remainder.search = nil
        if !sortsInMemory && !isGrouped { remainder.sortDescriptors = [] }
        var window: SQL = ""
        if remaining.isEmpty && !sortsInMemory && !isGrouped {
            window = self.window
            remainder.offset = 0
            remainder.limit = nil
        }
        return SQLFetchPlan(
            statement: "SELECT \(rowReader.columns(of: "t0"))\(clause)\(.order(order.endingWithKey))\(window)",
            rows: .snapshots,
            remainder: remainder,
            untranslated: untranslated
        )
    }
}

// MARK: Tables

extension FetchPlanner {
    private mutating func plan(_ table: TableRequest) -> SQLFetchPlan? {
        let request = request
        let order = order
        let parts = attempt("the columns of the table") { (translator) throws(Untranslatable) in
            try translator.table(table, request, sorted: order)
        }
        guard let parts else { return nil }
        return SQLFetchPlan(
            statement: "SELECT \(parts.columns)\(clause)\(parts.groups)\(.order(parts.order))\(window)",
            rows: .table(parts.kinds),
            remainder: nil,
            untranslated: []
        )
    }
}

extension Translator {
    /// The columns of a table, and everything after FROM and WHERE.
    fileprivate mutating func table(
        _ table: TableRequest,
        _ request: StoreFetchRequest,
        sorted order: [SQL]
    ) throws(Untranslatable) -> (columns: SQL, kinds: [TableColumn], groups: SQL, order: [SQL]) {
        var keys: [SQL] = []
        if table.isGrouped {
            keys = try group(by: table.groupBy)
            if table.isDistinct, !Set(table.groupBy).isSubset(of: table.columns.map(\.expression)) {
                throw Untranslatable("groups by only some of their values")
            }
            if table.having != nil && table.groupBy.isEmpty { throw Untranslatable("has a condition on no groups") }
        }
        var columns: [SQL] = []
        var kinds: [TableColumn] = []
        for column in table.columns {
            let node = try node(column.expression)
            let (sql, kind) = try self.column(node)
            columns += sql
            kinds.append(kind)
            if table.isDistinct && !table.isGrouped { keys += try distinctColumns(of: node) }
        }
        let having = try table.having.map { (having) throws(Untranslatable) in try condition(having) }
        try (columns + keys + [having?.sql].compactMap(\.self)).check()
        let isOne = table.isGrouped && table.groupBy.isEmpty
        guard table.isGrouped || table.isDistinct else {
            return (columns.joined(separator: ", "), kinds, "", order.endingWithKey)
        }
        if !table.isGrouped {
            let expressions = Set(table.columns.map(\.expression))
            guard request.sortDescriptors.allSatisfy({ expressions.contains($0.keyPath) }) else {
                throw Untranslatable("sorts distinct rows by other columns")
            }
        }
        let order = isOne ? [] : try self.order(by: request.sortDescriptors) + ["MIN(t0.Z_PK)"]
        try order.check()
        var groups: SQL = keys.isEmpty ? "" : " GROUP BY \(keys.joined(separator: ", "))"
        if keys.isEmpty && !isOne { throw Untranslatable("groups by constants") }
        if let having, having.constant != true { groups += " HAVING \(having.sql)" }
        return (columns.joined(separator: ", "), kinds, groups, order)
    }

    private func column(_ node: Node) throws(Untranslatable) -> ([SQL], TableColumn) {
        switch node {
        case .term(let term):
            guard term.kind != .opaque, !term.isNaN else { throw Untranslatable("selects a value that SQL can't read") }
            return ([term.sql], .value(term.kind))
        case .object(let object):
            return (
                [object.key] + [object.number].compactMap(\.self),
                .object(object.entity, hasNumber: object.number != nil)
            )
        case .many, .composite, .list, .expressions: throw Untranslatable("has a list or a dictionary in a row")
        }
    }
}

extension [SQL] {
    /// The terms of a total order.
    fileprivate var endingWithKey: [SQL] {
        let key = firstIndex { $0.text == "t0.Z_PK" || $0.text == "t0.Z_PK DESC" }
        // Terms after the key have no effect.
        return key.map { Array(self[...$0]) } ?? self + ["t0.Z_PK"]
    }

    /// Throws if there are too many terms for one statement; SQLite allows 2000.
    fileprivate func check() throws(Untranslatable) {
        guard count <= 1000 else { throw Untranslatable("has too many columns for one statement") }
        var bindings = 0
        for part in self {
            try part.check(besideBindings: bindings)
            bindings += part.bindings.count
        }
    }
}

extension SQL {
    static func order(_ terms: [SQL]) -> SQL { terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))" }

    static func window(offset: Int, limit: Int?) -> SQL {
        switch (offset, limit) {
        case (0, nil): ""
        case (0, let limit?): " LIMIT \(value: .integer(Int64(limit)))"
        case (let offset, let limit):
            " LIMIT \(value: .integer(Int64(limit ?? -1))) OFFSET \(value: .integer(Int64(offset)))"
        }
    }
}
