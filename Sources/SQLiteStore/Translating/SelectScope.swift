// SPDX-License-Identifier: Apache-2.0

// The tables that a statement or subquery reads.

import ObjectGraph
import SQLiteDriver

/// The tables of a SELECT and their joins.
///
/// A to-one relationship of a row is joined once, however many paths use it.
struct SelectScope {
    /// Links this scope's rows, as members, to a row of an outer scope.
    struct Link {
        let key: SQL
        let owner: SQL
    }

    private(set) var tables: SQL
    let link: Link?
    private(set) var conditions: [SQL] = []
    /// The order of a relationship's members.
    private(set) var order: [SQL] = []
    private(set) var tableCount = 1
    /// Whether an index finds the few rows that satisfy the conditions.
    private(set) var isSelective = false
    /// Whether conditions refer to outer rows.
    var isCorrelated = false
    private var reached: [ObjectTerm.Place: Int] = [:]

    init(_ table: SQL, link: Link? = nil) {
        tables = table
        self.link = link
    }

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

    mutating func require(_ condition: Condition) {
        if condition.constant == true { return }
        conditions.append(condition.operand)
        isSelective = isSelective || condition.isSelective
    }

    mutating func order(by terms: [SQL]) { order += terms }

    /// `FROM … WHERE …` for the rows linked to the outer row.
    func clause(where condition: Condition = .constant(true)) -> SQL {
        clause(link.map { ["\($0.key) = \($0.owner)"] } ?? [], condition)
    }

    /// The same without the link condition.
    func unlinkedClause(where condition: Condition) -> SQL { clause([], condition) }

    private func clause(_ first: [SQL], _ condition: Condition) -> SQL {
        let all = first + conditions
        if condition.constant == true {
            return all.isEmpty ? " FROM \(tables)" : " FROM \(tables) WHERE \(all.joined(separator: " AND "))"
        }
        if all.isEmpty { return " FROM \(tables) WHERE \(condition.sql)" }
        return " FROM \(tables) WHERE \((all + [condition.operand]).joined(separator: " AND "))"
    }
}
