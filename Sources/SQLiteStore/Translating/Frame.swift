// SPDX-License-Identifier: Apache-2.0

// The tables that a statement, or one within it, reads.

import ObjectGraph
import SQLiteDriver

/// The tables of a SELECT and how they are joined.
///
/// A to-one relationship is joined once for each row that a path goes through it from, whatever paths do.
struct Frame {
    private(set) var tables: SQL
    private(set) var conditions: [SQL] = []
    /// What the members of a relationship are ordered by.
    private(set) var order: [SQL] = []
    private(set) var tableCount = 1
    private var reached: [ObjectTerm.Place: Int] = [:]

    init(_ table: SQL) { tables = table }

    mutating func join(_ table: SQL, on condition: SQL) {
        tables += " JOIN \(table) ON \(condition)"
        tableCount += 1
    }

    mutating func leftJoin(_ table: SQL, on condition: SQL, reaching row: Int, from place: ObjectTerm.Place) {
        tables += " LEFT JOIN \(table) ON \(condition)"
        tableCount += 1
        reached[place] = row
    }

    func row(at place: ObjectTerm.Place) -> Int? { reached[place] }

    mutating func require(_ condition: SQL) { conditions.append(condition) }

    mutating func order(by terms: [SQL]) { order += terms }

    /// `FROM … WHERE …` with one more condition.
    func clause(where condition: Condition? = nil) -> SQL {
        guard let condition, condition.constant != true else {
            return conditions.isEmpty
                ? " FROM \(tables)" : " FROM \(tables) WHERE \(conditions.joined(separator: " AND "))"
        }
        if conditions.isEmpty { return " FROM \(tables) WHERE \(condition.sql)" }
        return " FROM \(tables) WHERE \((conditions + [condition.operand]).joined(separator: " AND "))"
    }
}
