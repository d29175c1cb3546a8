// SPDX-License-Identifier: Apache-2.0

// Executes the plan of a fetch.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// A fetch from the tables.
struct StoreFetch {
    private let request: StoreFetchRequest
    private let reader: StoreReader
    /// The maximum number of rows evaluated in memory.
    private let evaluationLimit: Int
    /// Predicts long fetches; nil where that doesn't matter.
    private let longReads: LongReads?

    init(
        _ request: StoreFetchRequest,
        _ reader: StoreReader,
        evaluationLimit: Int = 100_000,
        _ longReads: LongReads? = nil
    ) {
        self.request = request
        self.reader = reader
        self.evaluationLimit = evaluationLimit
        self.longReads = longReads
    }

    private var usesSearchIndex: Bool {
        get throws { try request.search != nil && reader.usesSearchIndex(of: request.entity) }
    }

    func result(now: Date = .now) throws -> StoreFetchResult {
        // If another store keeps the entity, evaluate over no rows.
        guard let (plan, rowReader) = try planned(now: now) else { return try evaluated(request, []) }
        if let remainder = plan.remainder {
            return try evaluated(remainder, plan, rowReader, .limited(now: now))
        }
        let connection = reader.connection
        let meter = ReadMeter()
        switch plan.rows {
        case .snapshots:
            var ids = SharedIDs()
            return .snapshots(
                try connection.rows(plan.statement) { try meter.count(rowReader.snapshot($0, sharing: &ids)) }
            )
        case .objectIDs: return .objectIDs(try connection.rows(plan.statement) { rowReader.objectID($0) })
        case .count: return .count(Int(try connection.first(plan.statement) { $0.int64(0) } ?? 0))
        case .table(let columns): return .table(try table(plan.statement, columns))
        }
    }

    /// The rows of a request for snapshots.
    func page(now: Date = .now) throws -> RowPage {
        var page = RowPageBuilder(model: reader.schema.model, store: reader.tables.identifier)
        guard let (plan, rowReader) = try planned(now: now) else { return page.page }
        if let remainder = plan.remainder {
            guard case .snapshots(let rows) = try evaluated(remainder, plan, rowReader, .limited(now: now)) else {
                return page.page
            }
            for row in rows { page.append(row) }
            return page.page
        }
        let meter = ReadMeter()
        try reader.connection.run(plan.statement) { row in
            try meter.count(in: &page) { rowReader.append(row, to: &$0) }
        }
        return page.page
    }

    /// The plan of the request, and the reader of its rows; nil if another store has the entity. Announces a long read.
    private func planned(now: Date) throws -> (SQLFetchPlan, RowReader)? {
        guard let rowReader = reader.tables.rowReader(of: request.entity), let plan = try plan(now: now) else {
            return nil
        }
        if let longReads, WorkLimits.announcesLongReads,
            try longReads.contains(plan, of: request, in: rowReader.table, reader.connection)
        {
            try WorkLimits.announceLongRead()
        }
        return (plan, rowReader)
    }

    private func plan(now: Date) throws -> SQLFetchPlan? {
        let plans = reader.tables.fetchPlans
        if let known = plans.plan(of: request) { return known }
        guard var planner = FetchPlanner(request, reader.tables, now: now, usesSearchIndex: try usesSearchIndex)
        else { return nil }
        let plan = planner.plan()
        plans.record(plan, of: request)
        return plan
    }

    // MARK: Tables

    private func table(_ statement: SQL, _ columns: [TableColumn]) throws -> FetchTable {
        guard case .table(let table) = request.kind else { return FetchTable(columns: [], rows: []) }
        let meter = ReadMeter()
        return FetchTable(
            columns: table.columns.map(\.name),
            rows: try reader.connection.rows(statement) { row in try meter.count(values: { values(columns, row) }) }
        )
    }

    private func values(_ columns: [TableColumn], _ row: Statement) -> (values: [Value], mappedBytes: Int) {
        var place: Int32 = 0
        var mappedBytes = 0
        let values = columns.map { column in
            defer { place += column.width }
            let value = value(column, row, place)
            if column == .value(.file), case .data(let data) = value,
                row.byteCount(place) == ExternalFileName.storedLength
            {
                mappedBytes += data.count
            }
            return value
        }
        return (values, mappedBytes)
    }

    private func value(_ column: TableColumn, _ row: Statement, _ place: Int32) -> Value {
        switch column {
        case .value(.file): return row.isNull(place) ? .null : reader.tables.files?.value(row.bytes(place)) ?? .null
        case .value(let kind): return kind.value(row.value(place))
        case .object(let entity, let hasNumber):
            guard !row.isNull(place) else { return .null }
            let own = hasNumber ? reader.schema.numbers.entity(row.int64(place + 1)) : nil
            let objectID = ManagedObjectID(
                entity: own.flatMap { $0.isKind(of: entity) ? $0 : nil } ?? entity,
                store: reader.tables.identifier,
                reference: .integer(row.int64(place))
            )
            return .reference(objectID.objectReference)
        }
    }

    // MARK: Evaluation

    /// Evaluates rows one by one, and stops when the result is complete.
    private func evaluated(
        _ remainder: StoreFetchRequest,
        _ plan: SQLFetchPlan,
        _ rows: RowReader,
        _ evaluator: Evaluator
    ) throws -> StoreFetchResult {
        let source = RowSource(reader)
        let enough = remainder.isAnsweredInOrder ? remainder.end : nil
        var found: [StoredRow] = []
        var seen = 0
        let meter = ReadMeter()
        let statement = try reader.connection.prepare(plan.statement)
        while found.count < enough ?? .max, try statement.step() {
            seen += 1
            guard seen <= evaluationLimit else {
                throw StoreError.tooManyToEvaluate(evaluationLimit, plan.untranslated)
            }
            let row = StoredRow(snapshot: try meter.count(rows.snapshot(statement)), source: source)
            source.put(row.snapshot)
            if let predicate = remainder.predicate, try !evaluator.matches(predicate, row) { continue }
            found.append(row)
        }
        var rest = remainder
        rest.predicate = nil
        return try evaluated(rest, found, evaluator)
    }

    private func evaluated(
        _ request: StoreFetchRequest,
        _ rows: [StoredRow],
        _ evaluator: Evaluator? = nil
    ) throws -> StoreFetchResult {
        if case .table(let table) = request.kind { return .table(try request.table(table, of: rows, with: evaluator)) }
        let found = try request.objects(among: rows, with: evaluator).map(\.snapshot)
        return switch request.kind {
        case .objectIDs: .objectIDs(found.map(\.objectID))
        case .count: .count(found.count)
        case .snapshots, .table: .snapshots(found)
        }
    }
}

extension StoreFetchRequest {
    /// `offset + limit`, or nil if the request has no limit or the sum overflows.
    fileprivate var end: Int? {
        limit.flatMap { limit in
            let (end, isTooLarge) = offset.addingReportingOverflow(limit)
            return isTooLarge ? nil : end
        }
    }

    /// Whether the matching rows are the result, in the same order.
    fileprivate var isAnsweredInOrder: Bool {
        guard sortDescriptors.isEmpty else { return false }
        if case .table(let table) = kind { return !table.isGrouped && !table.isDistinct }
        return true
    }
}

extension StoreError {
    static func tooManyToEvaluate(_ limit: Int, _ parts: [SQLFetchPlan.Part]) -> StoreError {
        let names = parts.map { "“\($0.text)”, which \($0.reason)" }.joined(separator: "; ")
        return StoreError(
            .tooExpensive,
            "More than \(limit) objects would have to be evaluated in memory, for parts without an SQL equivalent: \(names).",
            hint: "Add a condition that SQL can evaluate, or raise the evaluation limit."
        )
    }
}
