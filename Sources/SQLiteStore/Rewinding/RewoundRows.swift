// SPDX-License-Identifier: Apache-2.0

// The rows of an entity hierarchy at a moment, from those before it and those after it.

import ObjectGraph
import SQLiteDriver

/// Takes the rows of one table back to a moment.
///
/// 1. A value that hasn't changed since the moment is that of the newer state; one that hadn't changed before is that
///    of the older state. Any other value isn't known.
/// 2. All changed rows are removed before the first one is written, so that unique values can move between them. Rows
///    that are known completely are written first.
/// 3. A row's new version is greater than all that it has had, so that no client takes it for a version that it knows.
struct RewoundRows {
    private typealias Row = [SQLValue]

    private let table: EntityTable
    private let names: [String]
    private let changes: ChangesOverTime
    /// The state before the moment.
    private let older: Connection
    /// The state after the moment, which is changed.
    private let newer: Connection
    private let properties: [[RewoundProperty]]

    private static let firstColumn = SystemColumn.all.count
    private static let batchSize = 200
    /// The temporary table of the rows in the newer state.
    private static let aside = "OUTCROPNEWERROWS"

    init(_ table: EntityTable, _ changes: ChangesOverTime, from older: Connection, in newer: Connection) {
        self.table = table
        self.changes = changes
        self.older = older
        self.newer = newer
        names = SystemColumn.all + table.columns.map(\.name)
        properties = table.layouts.map { layout in
            layout.storedProperties.map { property in
                var property = property
                property.bit = changes.bit(of: property.name, in: layout.entity)
                return property
            }
        }
    }

    func run(_ report: inout RewindReport, _ unknown: inout UnknownProperties) throws {
        let keys = changes.changedKeys(ofRoot: table.root.index)
        guard !keys.isEmpty else { return }
        try moveAway(keys)
        var guessed: [GuessedRow] = []
        for batch in keys.batches(of: Self.batchSize) {
            let old = try rows(Array(batch), of: table.name, in: older)
            let new = try rows(Array(batch), of: Self.aside, in: newer)
            for key in batch {
                guard let change = changes[table.root.index, key] else { continue }
                guard change.existed == true else {
                    if new[key] != nil { report.removedObjects += 1 }
                    continue
                }
                guard let row = row(key, change, old: old[key], new: new[key]) else {
                    report.lost.append(RewindReport.Object(entity: change.entity.name, key: key))
                    continue
                }
                report.restoredObjects += 1
                if row.unknown.isEmpty { try insert(row.values) } else { guessed.append(row) }
            }
        }
        for row in guessed { try insert(row, &report, &unknown) }
        try newer.execute("DROP TABLE temp.\(identifier: Self.aside)")
    }

    /// Moves the rows of changed objects to a temporary table.
    private func moveAway(_ keys: [Int64]) throws {
        let rest = names.dropFirst().map { ", \(identifier: $0)" as SQL }.joined()
        try newer.execute("CREATE TEMP TABLE \(identifier: Self.aside) (Z_PK INTEGER PRIMARY KEY\(rest))")
        for batch in keys.batches(of: Self.batchSize) {
            try newer.execute(
                """
                INSERT INTO temp.\(identifier: Self.aside) SELECT Z_PK\(rest) FROM main.\(identifier: table.name) \
                WHERE Z_PK IN \(.keys(Array(batch)))
                """
            )
            try newer.execute("DELETE FROM main.\(identifier: table.name) WHERE Z_PK IN \(.keys(Array(batch)))")
        }
    }

    private func rows(_ keys: [Int64], of table: String, in connection: Connection) throws -> [Int64: Row] {
        let columns = names.map { SQL.identifier($0) }.joined(separator: ", ")
        var rows: [Int64: Row] = [:]
        try connection.run("SELECT \(columns) FROM \(identifier: table) WHERE Z_PK IN \(.keys(keys))") { row in
            rows[row.int64(0)] = names.indices.map { row.value(Int32($0)) }
        }
        return rows
    }

    /// A row with properties whose values aren't known.
    private struct GuessedRow {
        var values: Row
        let object: RewindReport.Object
        let unknown: [RewoundProperty]
    }

    /// The row of an object that existed at the moment; nil if nothing of it is known.
    private func row(_ key: Int64, _ change: ObjectChanges, old: Row?, new: Row?) -> GuessedRow? {
        let older = change.before.isWhole ? nil : old
        let newer = change.after.isWhole ? nil : new
        guard var values = older ?? newer, let place = table.layouts.firstIndex(where: { $0.entity == change.entity })
        else { return nil }
        var unknown: [RewoundProperty] = []
        for property in properties[place] {
            if let newer, !change.after.changes(property.bit) {
                for column in property.columns { values[column + Self.firstColumn] = newer[column + Self.firstColumn] }
            } else if older == nil || change.before.changes(property.bit), !property.isDerived {
                unknown.append(property)
                // The other object of a one-to-one relationship decides.
                if property.isOneToOne {
                    for column in property.columns { values[column + Self.firstColumn] = .null }
                }
            }
        }
        values[1] = .integer(table.layouts[place].number)
        values[2] = .integer(version(old, new, change))
        return GuessedRow(
            values: values,
            object: RewindReport.Object(entity: change.entity.name, key: key),
            unknown: unknown
        )
    }

    private func version(_ old: Row?, _ new: Row?, _ change: ObjectChanges) -> Int64 {
        func number(_ row: Row?) -> Int64 { if case .integer(let number)? = row?[2] { number } else { 0 } }
        let greatest = max(number(new), number(old).addingReportingOverflow(change.before.count).partialValue)
        let next = greatest.addingReportingOverflow(change.after.count + 1)
        return next.overflow || next.partialValue < 1 ? 1 : next.partialValue
    }

    private func insert(_ row: Row) throws(SQLiteError) {
        let columns = names.map { SQL.identifier($0) }.joined(separator: ", ")
        let values = row.map { SQL.value($0) }.joined(separator: ", ")
        try newer.execute("INSERT INTO \(identifier: table.name) (\(columns)) VALUES (\(values))")
    }

    /// Inserts a row with guessed values; if these aren't unique, with nothing in their place.
    private func insert(
        _ row: GuessedRow,
        _ report: inout RewindReport,
        _ unknown: inout UnknownProperties
    ) throws {
        for property in row.unknown { unknown.add(property.name, of: row.object) }
        var values = row.values
        do throws(SQLiteError) {
            return try insert(values)
        } catch {
            guard error.code.primary == .constraint else { throw error }
        }
        for property in row.unknown {
            for column in property.columns { values[column + Self.firstColumn] = .null }
        }
        do throws(SQLiteError) {
            try insert(values)
        } catch {
            guard error.code.primary == .constraint else { throw error }
            unknown.remove(row.object)
            report.restoredObjects -= 1
            report.lost.append(row.object)
        }
    }
}

/// A property with columns in its entity's table.
struct RewoundProperty {
    let name: String
    /// Indexes of the table's columns.
    let columns: [Int]
    /// Whether its value is computed again.
    let isDerived: Bool
    var isOneToOne = false
    var bit: Int?
}

extension EntityTable.Layout {
    fileprivate var storedProperties: [RewoundProperty] {
        let attributes = entity.attributes.compactMap { attribute -> RewoundProperty? in
            let columns = self.attributes[attribute.slot].places
            guard !columns.isEmpty else { return nil }
            return RewoundProperty(name: attribute.name, columns: columns, isDerived: attribute.isDerived)
        }
        let toOnes = entity.toOnes.compactMap { relationship -> RewoundProperty? in
            guard let columns = self.toOnes[relationship.slot] else { return nil }
            let places = [columns.key, columns.entity, columns.order].compactMap(\.self)
            let isOneToOne = relationship.inverse.map { !$0.isToMany } ?? false
            return RewoundProperty(
                name: relationship.name,
                columns: places,
                isDerived: false,
                isOneToOne: isOneToOne
            )
        }
        return attributes + toOnes
    }
}

extension AttributeColumns {
    fileprivate var places: [Int] {
        switch self {
        case .none: []
        case .value(let place, _): [place]
        case .composite(let presence, let elements): [presence].compactMap(\.self) + elements.flatMap(\.columns.places)
        }
    }
}
