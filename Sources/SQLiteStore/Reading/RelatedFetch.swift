// SPDX-License-Identifier: Apache-2.0

// Fetches a requested part of the members of many owners by one statement.

import FoundationEssentials
import ObjectGraph
import Predicates
import SQLiteDriver

/// A fetch along a to-many relationship.
struct RelatedFetch {
    let request: RelatedRequest
    let reader: StoreReader
    /// The maximum number of rows evaluated in memory if SQL can't express the request.
    private let evaluationLimit: Int

    init(_ request: RelatedRequest, _ reader: StoreReader, evaluationLimit: Int) {
        self.request = request
        self.reader = reader
        self.evaluationLimit = evaluationLimit
    }

    func result(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        now: Date = .now
    ) throws -> RelatedRows {
        let keys = owners.map { reader.key(of: $0, having: relationship) }
        let none = RelatedRows(
            members: owners.map { _ in [] },
            rows: [],
            places: request.includesPositions ? owners.map { _ in [] } : []
        )
        guard request.limit != 0,
            let rows = reader.tables.rowReader(of: reader.schema.model.destination(of: relationship)),
            let owner = zip(owners, keys).first(where: { $1 != nil })?.0
        else { return none }
        let statement: SQL?
        do throws(Untranslatable) {
            statement = try self.statement(relationship, of: owner.entity, keys.compactMap(\.self), rows, now)
        } catch {
            return try evaluated(along: relationship, owners: owners, error)
        }
        guard let statement else { return none }
        var members: [Int64: [ManagedObjectID]] = [:]
        var places: [Int64: [Int64?]] = [:]
        var found: [Snapshot] = []
        var known: Set<ManagedObjectID> = []
        let first: Int32 = request.includesPositions ? 2 : 1
        var ids = SharedIDs()
        let meter = ReadMeter()
        try reader.connection.run(statement) { row in
            let objectID = rows.objectID(row, from: first)
            members[row.int64(0), default: []].append(objectID)
            if request.includesPositions {
                places[row.int64(0), default: []].append(row.isNull(1) ? nil : row.int64(1))
            }
            if known.insert(objectID).inserted {
                found.append(try meter.count(rows.snapshot(row, from: first, sharing: &ids)))
            }
        }
        return RelatedRows(
            members: keys.map { key in key.flatMap { members[$0] } ?? [] },
            rows: found,
            places: request.includesPositions ? keys.map { key in key.flatMap { places[$0] } ?? [] } : []
        )
    }

    /// The statement that reads an object's members, and the parts evaluated in memory; nil for a relationship into
    /// another store.
    func explained(
        along relationship: RelationshipDescription,
        owner: ManagedObjectID,
        now: Date = .now
    ) throws -> (SQL, [SQLFetchPlan.Part])? {
        guard let rows = reader.tables.rowReader(of: reader.schema.model.destination(of: relationship)) else {
            return nil
        }
        let keys = [reader.key(of: owner, having: relationship)].compactMap(\.self)
        do throws(Untranslatable) {
            return try statement(relationship, of: owner.entity, keys, rows, now).map { ($0, []) }
        } catch {
            let part = SQLFetchPlan.Part(
                text: request.predicate.map { "\($0)" } ?? relationship.name,
                reason: error.reason
            )
            return reader.membersQuery(relationship, [owner]) { $0.columns(of: "m") }.map { ($0.query, [part]) }
        }
    }

    /// Nil for a relationship into another store.
    func statement(
        _ relationship: RelationshipDescription,
        of owner: EntityDescription,
        _ keys: [Int64],
        _ rows: RowReader,
        _ now: Date
    ) throws(Untranslatable) -> SQL? {
        let schema = reader.schema
        guard let table = schema.table(of: owner), let join = schema.join(to: relationship, owner: "o", member: "t0"),
            var translator = Translator(
                schema.model.destination(of: relationship),
                in: schema,
                store: reader.tables.identifier,
                now: now,
                from: "\(identifier: table.name) AS o \(join.tables)"
            )
        else { return nil }
        var conditions = [Condition("o.Z_PK IN \(.keys(keys))", isNullable: false)]
        if let start = request.start { conditions.append(behind(start, place: join.place)) }
        if let predicate = request.predicate { conditions.append(try translator.condition(predicate)) }
        let order = try (translator.order(by: request.sortDescriptors) + [join.order]).joined(separator: ", ")
        let clause = translator.base.clause(where: .all(conditions))
        let place = join.place ?? "NULL"
        let columns: SQL = request.includesPositions ? "\(place), \(rows.columns(of: "t0"))" : rows.columns(of: "t0")
        let end: SQL = .window(offset: 0, limit: request.totalLimit)
        let statement: SQL =
            switch request.limit {
            case nil: "SELECT o.Z_PK, \(columns)\(clause) ORDER BY o.Z_PK, \(order)\(end)"
            case let limit? where Set(keys).count == 1:
                """
                SELECT o.Z_PK, \(columns)\(clause) \
                ORDER BY \(order)\(.window(offset: 0, limit: min(limit, request.totalLimit ?? limit)))
                """
            case let limit?:
                """
                SELECT r.o, \(request.includesPositions ? "r.p, " : "")\(rows.columns(of: "t0")) \
                FROM (SELECT o.Z_PK AS o, t0.Z_PK AS m, \(request.includesPositions ? "\(place) AS p, " : "")\
                ROW_NUMBER() OVER (PARTITION BY o.Z_PK ORDER BY \(order)) AS n\(clause)) AS r \
                CROSS JOIN \(identifier: rows.table.name) AS t0 ON t0.Z_PK = r.m \
                WHERE r.n <= \(value: .integer(Int64(limit))) ORDER BY r.o, r.n\(end)
                """
            }
        try statement.check(besideBindings: 0)
        return statement
    }

    /// A condition for members after a position, ordered by value and then by key. Members without a value come first.
    private func behind(_ start: MemberPosition, place: SQL?) -> Condition {
        let key = "\(value: .integer(reader.tables.key(of: start.member) ?? 0))" as SQL
        let sql: SQL =
            switch (place, start.number) {
            case (nil, _): "t0.Z_PK > \(key)"
            case (let place?, nil): "(\(place) IS NOT NULL OR t0.Z_PK > \(key))"
            case (let place?, let number?): "(\(place), t0.Z_PK) > (\(value: .integer(number)), \(key))"
            }
        return Condition(sql, isNullable: true)
    }

    private func evaluated(
        along relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        _ reason: Untranslatable
    ) throws -> RelatedRows {
        let all = try reader.related(along: relationship, owners: owners)
        guard all.rows.count <= evaluationLimit else {
            let part = SQLFetchPlan.Part(text: relationship.name, reason: reason.reason)
            throw StoreError.tooManyToEvaluate(evaluationLimit, [part])
        }
        let source = RowSource(reader)
        for row in all.rows { source.put(row) }
        return try request.selection(from: all) { StoredRow(snapshot: $0, source: source) }
    }
}
