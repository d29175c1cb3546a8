// SPDX-License-Identifier: Apache-2.0

// Checks derived values against their sources.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

extension StoreCheck {
    func derivedFlaws() throws -> [StoreFlaw] {
        guard !tables.derivations.isEmpty else { return [] }
        var flaws: [StoreFlaw] = []
        for table in schema.tables {
            for layout in table.layouts
            where !layout.entity.isAbstract && layout.entity.attributes.contains(where: \.isDerived) {
                flaws += try derivedFlaws(layout.entity, table)
            }
        }
        return flaws
    }

    private func derivedFlaws(_ entity: EntityDescription, _ table: EntityTable) throws -> [StoreFlaw] {
        var wrong: [AttributeDescription: [Int64]] = [:]
        try forEachDerived(entity, table) { old, new, _ in
            for (attribute, (one, other)) in zip(entity.attributes, zip(old.row.attributes, new.attributes))
            where one != other {
                if let key = tables.key(of: old.objectID) { wrong[attribute, default: []].append(key) }
            }
        }
        var isFirst = true
        return entity.attributes.compactMap { attribute in
            guard let keys = wrong[attribute] else { return nil }
            let finding = StoreFinding(
                severity: .warning,
                code: .derived,
                entity: entity.name,
                property: attribute.name,
                message: "\(keys.count.objects("has", "have")) an outdated derived “\(attribute.name)”.",
                count: keys.count,
                keys: Array(keys.prefix(StoreFlaw.keyLimit)),
                repair: "recomputes the values"
            )
            // One pass writes all derived attributes of a row.
            defer { isFirst = false }
            let isLeading = isFirst
            return StoreFlaw(finding: finding) {
                if isLeading { try forEachDerived(entity, table) { _ = try $2.write($1, over: $0) } }
            }
        }
    }

    /// Recomputes all derived values.
    func deriveAll() throws {
        let entities = schema.model.entities.filter { !$0.isAbstract && $0.attributes.contains(where: \.isDerived) }
        for _ in 0..<Derivations.roundLimit {
            var isChanged = false
            for entity in entities {
                guard let table = schema.table(of: entity) else { continue }
                try forEachDerived(entity, table) { if try $2.write($1, over: $0) != nil { isChanged = true } }
            }
            guard isChanged, tables.derivations.areChained else { return }
        }
    }

    /// Calls `body` with each row and the row with recomputed derived values, in small batches. The time of a row's
    /// last save isn't known, so any value derived from it is right.
    private func forEachDerived(
        _ entity: EntityDescription,
        _ table: EntityTable,
        _ body: (Snapshot, Row, RowSource) throws -> Void
    ) throws {
        guard let rows = tables.rowReader(of: entity) else { return }
        let evaluator = Evaluator(now: .now)
        var last = Int64.min
        while true {
            let batch = try connection.rows(
                """
                SELECT \(rows.columns(of: "t0")) FROM \(identifier: table.name) AS t0 \
                WHERE t0.Z_PK > \(value: .integer(last)) AND t0.Z_ENT = \(value: .integer(schema.numbers[entity])) \
                ORDER BY t0.Z_PK LIMIT \(literal: .integer(Self.batchSize))
                """
            ) { rows.snapshot($0) }
            guard let end = batch.last.flatMap({ tables.key(of: $0.objectID) }) else { return }
            let source = RowSource(StoreReader(connection: connection, tables: tables))
            for snapshot in batch {
                try body(snapshot, try source.derived(snapshot, isSaved: false, with: evaluator), source)
            }
            last = end
        }
    }

    private static let batchSize: Int64 = 500
}
