// SPDX-License-Identifier: Apache-2.0

// The SQL of predicates. SQL's NULL counts as false and must not pass through NOT.

import SQLiteDriver

struct Condition {
    private enum Form {
        case constant(Bool)
        case single, and, or

        var isAnd: Bool { if case .and = self { true } else { false } }
    }

    private var form: Form
    let sql: SQL
    /// Whether it may be NULL instead of false.
    let isNullable: Bool
    /// Whether an index finds the few matching rows.
    let isSelective: Bool
    /// The negated condition, if there is a simpler form than NOT.
    private let opposite: SQL?

    init(_ sql: SQL, isNullable: Bool, isSelective: Bool = false, opposite: SQL? = nil) {
        form = .single
        self.sql = sql
        self.isNullable = isNullable
        self.opposite = opposite
        self.isSelective = isSelective
    }

    private init(form: Form, _ sql: SQL, isNullable: Bool, isSelective: Bool = false) {
        self.form = form
        self.sql = sql
        self.isNullable = isNullable
        self.isSelective = isSelective
        opposite = nil
    }

    static func constant(_ holds: Bool) -> Condition {
        Condition(form: .constant(holds), holds ? "1" : "0", isNullable: false)
    }

    var constant: Bool? {
        if case .constant(let holds) = form { holds } else { nil }
    }

    static func isNull(_ sql: SQL) -> Condition {
        Condition("\(sql) IS NULL", isNullable: false, opposite: "\(sql) IS NOT NULL")
    }

    static func all(_ conditions: [Condition]) -> Condition {
        if conditions.contains(where: { $0.constant == false }) { return .constant(false) }
        return joined(conditions.filter { $0.constant == nil }, " AND ", .and, empty: true)
    }

    static func any(_ conditions: [Condition]) -> Condition {
        if conditions.contains(where: { $0.constant == true }) { return .constant(true) }
        return joined(conditions.filter { $0.constant == nil }, " OR ", .or, empty: false)
    }

    static prefix func ! (condition: Condition) -> Condition {
        if let holds = condition.constant { return .constant(!holds) }
        if let opposite = condition.opposite {
            return Condition(opposite, isNullable: false, opposite: condition.isNullable ? nil : condition.sql)
        }
        return condition.isNullable
            ? Condition("(\(condition.sql)) IS NOT TRUE", isNullable: false)
            : Condition("NOT (\(condition.sql))", isNullable: false, opposite: condition.operand)
    }

    /// The condition as an operand, in parentheses if necessary.
    var operand: SQL {
        switch form {
        case .constant, .single: sql
        case .and, .or: "(\(sql))"
        }
    }

    /// Joins long chains in groups: SQLite nests each term of a chain one level deeper and limits the depth.
    private static func joined(_ conditions: [Condition], _ word: SQL, _ form: Form, empty: Bool) -> Condition {
        if conditions.count < 2 { return conditions.first ?? .constant(empty) }
        let isNullable = conditions.contains(where: \.isNullable)
        let isSelective =
            form.isAnd ? conditions.contains(where: \.isSelective) : conditions.allSatisfy(\.isSelective)
        guard conditions.count > chunk else {
            let sql = conditions.map(\.operand).joined(separator: word)
            return Condition(form: form, sql, isNullable: isNullable, isSelective: isSelective)
        }
        let size = max(chunk, (conditions.count + chunk - 1) / chunk)
        let parts = stride(from: 0, to: conditions.count, by: size).map { start in
            joined(Array(conditions[start..<min(start + size, conditions.count)]), word, form, empty: empty)
        }
        return joined(parts, word, form, empty: empty)
    }

    private static let chunk = 100
}
