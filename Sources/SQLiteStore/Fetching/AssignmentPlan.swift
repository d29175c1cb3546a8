// SPDX-License-Identifier: Apache-2.0

// New values for the rows of a predicate, as SQL, for requests that change many at once.

import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

/// Which rows a batch changes and what their columns become, where SQL can say both.
///
/// All values are those of before the batch: where they look at other rows, `statement` has to be read before anything is changed.
struct AssignmentPlan: Hashable, Sendable {
    /// `SELECT t0.Z_PK …`: the keys of the rows.
    let keys: SQL
    /// `SELECT t0.Z_PK, value, … FROM …`: the keys with the new values of `columns`.
    let statement: SQL
    /// The names of the columns that are set.
    let columns: [String]
    /// The values by themselves, where they come from each row alone and may stand in `UPDATE … AS t0 SET …`.
    let local: [Column]?

    /// A column of the table and its new value, over the row `t0`.
    struct Column: Hashable, Sendable {
        let name: String
        let value: SQL
    }
}

extension AssignmentPlan {
    /// A property and the expression over the row that it is set to.
    typealias Assignment = (property: PropertyDescription, value: ObjectExpression)

    /// Nil where memory must be asked.
    init?(_ assignments: [Assignment], to rows: StoreFetchRequest, _ tables: StoreTables, now: Date) {
        guard var planner = FetchPlanner(rows, tables, now: now), let keys = planner.keys,
            let columns = planner.columns(of: assignments)
        else { return nil }
        let values = columns.map { ", \($0.value)" as SQL }.joined(separator: "")
        self.keys = keys
        self.columns = columns.map(\.name)
        statement = "SELECT t0.Z_PK\(values)\(planner.clause)"
        local = FetchPlanner.localColumns(of: assignments, rows.entity, tables, now: now)
    }
}

extension Translator {
    /// What the columns of some properties become.
    mutating func columns(
        of assignments: [AssignmentPlan.Assignment]
    ) throws(Untranslatable) -> [AssignmentPlan.Column] {
        var columns: [AssignmentPlan.Column] = []
        for assignment in assignments { columns += try self.assignment(of: assignment.value, to: assignment.property) }
        return columns
    }

    /// Whether nothing but the row itself was looked at.
    var isLocal: Bool { frames.count == 1 && base.tableCount == 1 }

    /// What the columns of a property become; an error where its value can't be told by SQL.
    mutating func assignment(
        of expression: ObjectExpression,
        to property: PropertyDescription
    ) throws(Untranslatable) -> [AssignmentPlan.Column] {
        let node = try node(expression)
        let (table, entity) = (table(ofRow: 0), entity(ofRow: 0))
        switch property {
        case .attribute(let attribute):
            guard case .term(let term) = node,
                case .value(let place, let encoding) = table[entity].attributes[attribute.slot]
            else { throw Untranslatable("sets more than one column") }
            return [.init(name: table.name(ofColumn: place), value: try stored(term, attribute, encoding))]
        case .relationship(let relationship):
            guard !relationship.isToMany, let columns = table[entity].toOnes[relationship.slot] else {
                throw Untranslatable("sets members")
            }
            let destination = model.destination(of: relationship)
            let (key, number) = try self.destination(node, destination)
            return [.init(name: table.name(ofColumn: columns.key), value: key)]
                + (columns.entity.map { [.init(name: table.name(ofColumn: $0), value: number)] } ?? [])
        case .fetched: throw Untranslatable("sets a fetched property")
        }
    }

    private func stored(
        _ term: Term,
        _ attribute: AttributeDescription,
        _ encoding: ValueEncoding
    ) throws(Untranslatable) -> SQL {
        if term.kind == .null { return "NULL" }
        switch (encoding, term.kind) {
        case (.string, .text), (.uri, .text), (.uri, .uri), (.date, .date), (.uuid, .uuid), (.data, .data):
            return term.sql
        case (.integer, .integer) where attribute.type == .int64: return term.sql
        case (.bool, .bool), (.decimal, .decimal): return term.sql
        case (.double, .double) where attribute.type == .double: return term.sql
        default:
            guard term.kind.isNumber, term.kind != .bool, let letter = AssignedValue.letter(attribute.type) else {
                throw Untranslatable("sets an attribute to a value of another type")
            }
            return """
                outcrop_assigned(\(literal: .text(String(letter))), \(literal: .text(String(term.kind.rawValue))), \(term.sql))
                """
        }
    }

    private func destination(_ node: Node, _ destination: EntityDescription) throws(Untranslatable) -> (SQL, SQL) {
        switch node {
        case .term(let term) where term.kind == .null: return ("NULL", "NULL")
        case .object(let object) where object.entity.isKind(of: destination):
            let number = SQL.value(.integer(schema.numbers[object.entity]))
            return (object.key, object.number ?? "CASE WHEN \(object.key) IS NOT NULL THEN \(number) END")
        default: throw Untranslatable("sets a relationship to what may be no such object")
        }
    }
}
