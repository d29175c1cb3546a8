// SPDX-License-Identifier: Apache-2.0

// The columns that a batch update sets, and their new values in SQL.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// The columns of an update's assignments and their new values.
struct AssignedColumns {
    private struct Column {
        let name: String
        let value: SQL
        /// True if the column can't have the value.
        var failure: SQL?
    }

    private var columns: [Column] = []
    private var translator: Translator
    private let entity: EntityDescription
    private let tables: StoreTables
    private let connection: Connection
    private let tableCount: Int

    /// Nil if rows must be updated one by one.
    ///
    /// - Parameter translator: The translator of the condition on the rows, which determines their alias.
    init?(
        _ update: StoreBatchUpdate,
        _ translator: Translator,
        _ tables: StoreTables,
        _ connection: Connection
    ) throws {
        self.translator = translator
        self.tables = tables
        self.connection = connection
        entity = update.rows.entity
        tableCount = translator.scopes.count
        guard let table = tables.schema.table(of: entity) else { return nil }
        for assignment in update.assignments {
            guard let more = try columns(assignment, table) else { return nil }
            columns += more
            if case .attribute(let attribute) = assignment.property {
                externalColumns += table[entity].attributes[attribute.slot].externalColumns
            }
        }
    }

    /// The statements of an update.
    struct Update {
        /// Selects the matching rows: their keys and entities, whether they change, and whether the
        /// new value is invalid.
        let finding: SQL
        /// Selects a row that doesn't change, or for which the new value is invalid.
        let findingException: SQL
        let statement: SQL
        /// The clause that selects the rows that change.
        let differing: SQL
    }

    /// The indexes of columns that may name files.
    private(set) var externalColumns: [Int] = []

    /// If conditions or values read other rows, the changing rows and their new values are selected first, since the
    /// rows read may change as well.
    func update(_ rows: MatchingRows, _ table: EntityTable) -> Update {
        let readsOthers = translator.scopes.count > tableCount || translator.base.tableCount > 1
        let terms = columns.map { "t0.\(identifier: $0.name) IS NOT \($0.value)" as SQL }.joined(separator: " OR ")
        let differs: SQL = columns.count == 1 ? terms : "(\(terms))"
        let condition = Condition.all([rows.condition, Condition(differs, isNullable: false)])
        let failures = columns.compactMap(\.failure)
        let fails: SQL = failures.isEmpty ? "0" : failures.joined(separator: " OR ")
        let finding: SQL =
            "SELECT t0.Z_PK, t0.Z_ENT, \(differs), \(fails)\(translator.base.clause(where: rows.condition))"
        let exceptions: SQL = (["NOT (\(terms))"] + failures).joined(separator: " OR ")
        let exception = Condition.all([rows.condition, Condition(exceptions, isNullable: true)])
        let findingException: SQL = "SELECT 1\(translator.base.clause(where: exception)) LIMIT 1"
        let differing = translator.base.clause(where: condition)
        guard readsOthers else {
            let changes = columns.map { "\(identifier: $0.name) = \($0.value), " as SQL }.joined()
            let filter: SQL = condition.constant == true ? "" : " WHERE \(condition.sql)"
            return Update(
                finding: finding,
                findingException: findingException,
                statement: "UPDATE \(identifier: table.name) AS t0 SET \(changes)Z_OPT = Z_OPT + 1\(filter)",
                differing: differing
            )
        }
        let values = columns.enumerated().map { ", \($1.value) AS v\(literal: .integer(Int64($0)))" as SQL }.joined()
        let changes = columns.enumerated().map { place, column -> SQL in
            "\(identifier: column.name) = n.v\(literal: .integer(Int64(place))), "
        }
        return Update(
            finding: finding,
            findingException: findingException,
            statement: """
                UPDATE \(identifier: table.name) SET \(changes.joined())Z_OPT = Z_OPT + 1 \
                FROM (SELECT t0.Z_PK AS k\(values)\(differing)) AS n WHERE \(identifier: table.name).Z_PK = n.k
                """,
            differing: differing
        )
    }
}

// MARK: Attributes

extension AssignedColumns {
    private mutating func columns(
        _ assignment: StoreBatchUpdate.Assignment,
        _ table: EntityTable
    ) throws -> [Column]? {
        switch (assignment.property, assignment.value) {
        case (.attribute(let attribute), let expression):
            guard case .value(let place, let encoding) = table[entity].attributes[attribute.slot] else { return nil }
            let name = table.name(ofColumn: place)
            guard case .constant(let value) = expression else {
                return computed(expression, attribute, encoding, name).map { [$0] }
            }
            // Constants are validated before any store is asked.
            guard !attribute.hasTransformer, !isTooLarge(value, encoding), let encoded = encoding.encoded(value) else {
                return nil
            }
            return [Column(name: name, value: "\(value: encoded)")]
        case (.relationship(let relationship), .constant(let value)):
            return try columns(relationship, value, table)
        case (.relationship, _), (.fetched, _): return nil
        }
    }

    /// Whether each row needs a file of its own for the value.
    private func isTooLarge(_ value: Value, _ encoding: ValueEncoding) -> Bool {
        guard encoding == .externalData, case .data(let data) = value, let files = tables.files else { return false }
        return data.count > files.threshold
    }

    /// Nil for a value that may have another type than the attribute or may break a rule that SQL can't check.
    private mutating func computed(
        _ expression: ObjectExpression,
        _ attribute: AttributeDescription,
        _ encoding: ValueEncoding,
        _ name: String
    ) -> Column? {
        var attempt = translator
        guard let term = try? attempt.term(expression), (try? term.sql.check()) != nil, !term.isNaN,
            let bounds = attribute.violations(of: term.sql),
            takes(term.kind, attribute, encoding)
        else { return nil }
        translator = attempt
        var failures = bounds
        if encoding == .integer, term.kind == .number { failures.append(Self.staysReal(term.sql)) }
        if let (least, most) = attribute.type.bounds {
            let least: SQL = "\(literal: .integer(least))"
            let most: SQL = "\(literal: .integer(most))"
            failures.append("\(term.sql) NOT BETWEEN \(least) AND \(most)")
        }
        let failure = failures.isEmpty ? nil : failures.map { "ifnull(\($0), 0)" as SQL }.joined(separator: " OR ")
        return Column(name: name, value: term.sql, failure: failure)
    }

    /// Whether an integer column would store a number as REAL.
    private static func staysReal(_ number: SQL) -> SQL {
        """
        CASE typeof(\(number)) WHEN 'real' THEN \(number) <> CAST(\(number) AS INTEGER) \
        OR abs(\(number)) >= \(literal: .integer(.max)) END
        """
    }

    private func takes(_ kind: Term.Kind, _ attribute: AttributeDescription, _ encoding: ValueEncoding) -> Bool {
        switch (encoding, kind) {
        case (_, .null): true
        case (.integer, .integer), (.integer, .number), (.bool, .bool), (.string, .text), (.uri, .uri), (.uri, .text),
            (.date, .date), (.uuid, .uuid), (.data, .data), (.decimal, .decimal):
            true
        case (.double, .double), (.double, .integer), (.double, .number): attribute.type == .double
        default: false
        }
    }
}

extension AttributeDescription {
    /// SQL terms, one of which is true for an invalid value, or nil if SQL can't check the rules.
    fileprivate func violations(of column: SQL) -> [SQL]? {
        guard !hasTransformer, rules.pattern == nil, rules.minimumLength == nil, rules.maximumLength == nil else {
            return nil
        }
        var terms: [SQL] = rules.isOptional ? [] : ["\(column) IS NULL"]
        for (bound, comparison) in [(rules.minimum, "<"), (rules.maximum, ">")] as [(Value?, SQL)] {
            guard let bound else { continue }
            guard case .integer(let number) = bound else { return nil }
            terms.append("\(column) \(comparison) \(literal: .integer(number))")
        }
        return terms
    }
}

extension AttributeType {
    /// The range of an integer type with less than 64 bits.
    fileprivate var bounds: (Int64, Int64)? {
        switch self {
        case .int16: (Int64(Int16.min), Int64(Int16.max))
        case .int32: (Int64(Int32.min), Int64(Int32.max))
        default: nil
        }
    }
}

// MARK: Relationships

extension AssignedColumns {
    private func columns(
        _ relationship: RelationshipDescription,
        _ value: Value,
        _ table: EntityTable
    ) throws -> [Column]? {
        guard let columns = table[entity].toOnes[relationship.slot], columns.order == nil, isLoose(relationship) else {
            return nil
        }
        var key: SQL = "NULL"
        var number: SQL = "NULL"
        if value == .null {
            guard relationship.relationship.isOptional else { return nil }
        } else {
            guard case .reference(let reference) = value, let known = tables.key(of: reference, relationship),
                let found = try DestinationCheck(relationship, tables)?.number(of: known, connection)
            else { return nil }
            key = "\(value: .integer(known))"
            number = "\(value: .integer(found))"
        }
        return [Column(name: table.name(ofColumn: columns.key), value: key)]
            + (columns.entity.map { [Column(name: table.name(ofColumn: $0), value: number)] } ?? [])
    }

    /// Whether setting a to-one relationship neither changes other rows nor requires counting members.
    private func isLoose(_ relationship: RelationshipDescription) -> Bool {
        guard let inverse = relationship.inverse else { return true }
        return inverse.isToMany && !tables.model.destination(of: relationship).toManys[inverse.slot].hasBounds
    }
}
