// SPDX-License-Identifier: Apache-2.0

// Checks values: required ones exist, types match, unique ones differ.

import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver

extension StoreCheck {
    /// Finds missing values and values of other types. Apps may have stored them with validation off or before a
    /// migration, so no repair is safe.
    func valueFlaws(_ layout: EntityTable.Layout, _ table: EntityTable) throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        for (attribute, columns) in zip(layout.entity.attributes, layout.attributes) {
            flaws += try valueFlaws(attribute, attribute.name, columns, layout, table)
        }
        for (slot, columns) in layout.toOnes.enumerated() {
            let relationship = layout.entity.toOnes[slot]
            guard let columns, !relationship.relationship.isOptional else { continue }
            let isMissing: SQL = "\(identifier: table.name(ofColumn: columns.key)) IS NULL"
            flaws.append(try missing(relationship.name, isMissing, layout, table))
        }
        return flaws.compactMap(\.self)
    }

    /// - Parameters:
    ///   - name: The attribute's name, prefixed with the composites that contain it.
    ///   - isAsked: A condition for the rows that have the attribute; nil for all rows.
    private func valueFlaws(
        _ attribute: AttributeDescription,
        _ name: String,
        _ columns: AttributeColumns,
        in isAsked: SQL? = nil,
        _ layout: EntityTable.Layout,
        _ table: EntityTable
    ) throws -> [StoreFlaw?] {
        guard let isMissing = columns.isMissing(in: table) else { return [] }
        var flaws: [StoreFlaw?] = []
        if !attribute.attribute.isOptional, !attribute.isDerived {
            flaws.append(try missing(name, isAsked.map { "\($0) AND \(isMissing)" } ?? isMissing, layout, table))
        }
        switch columns {
        case .none: break
        case .value(let place, let encoding):
            let column: SQL = "\(identifier: table.name(ofColumn: place))"
            let wrong = [
                (encoding.isUnreadable(column), "is read as nil"),
                (encoding.isOther(column, than: attribute.type), "is read as the nearest valid value"),
            ]
            for case (let condition?, let reading) in wrong {
                let keys = keys(of: layout, table, where: condition)
                flaws.append(
                    try flaw(.value, .warning, of: layout.entity, name, keys: keys) {
                        "\($0.objects("has", "have")) a value that isn't of type \(attribute.type.name), and \(reading)."
                    }
                )
            }
        case .composite(_, let elements):
            for (element, columns) in elements {
                flaws += try valueFlaws(
                    element,
                    "\(name).\(element.name)",
                    columns,
                    in: "NOT \(isMissing)",
                    layout,
                    table
                )
            }
        }
        return flaws
    }

    private func missing(
        _ property: String,
        _ isMissing: SQL,
        _ layout: EntityTable.Layout,
        _ table: EntityTable
    ) throws -> StoreFlaw? {
        try flaw(
            .required,
            .warning,
            of: layout.entity,
            property,
            keys: keys(of: layout, table, where: isMissing)
        ) { "\($0.objects("has", "have")) no “\(property)”, which the model requires." }
    }

    private func keys(of layout: EntityTable.Layout, _ table: EntityTable, where condition: SQL) -> SQL {
        """
        SELECT Z_PK FROM \(identifier: table.name) \
        WHERE Z_ENT = \(literal: .integer(layout.number)) AND \(condition) ORDER BY Z_PK
        """
    }

    /// Finds rows with equal values in all columns of a constraint, for the topmost entity that declares it.
    func uniqueFlaws(_ table: EntityTable) throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        for layout in table.layouts {
            guard let writer = RowWriter(layout.entity, tables) else { continue }
            for names in layout.entity.entity.uniquenessConstraints {
                let constraint = names.compactMap { layout.entity.property(named: $0) }
                let columns = writer.columns(of: constraint).map { "\(identifier: $0)" as SQL }
                guard columns.count == names.count, !columns.isEmpty else { continue }
                let list = columns.joined(separator: ", ")
                let isPresent = columns.map { "\($0) IS NOT NULL" as SQL }.joined(separator: " AND ")
                let rows: SQL = """
                    FROM \(identifier: table.name) WHERE Z_ENT IN \(numbers(of: layout.entity)) AND \(isPresent)
                    """
                flaws.append(
                    try flaw(
                        .unique,
                        of: layout.entity,
                        names.joined(separator: ", "),
                        keys: """
                            SELECT Z_PK \(rows) AND (\(list)) IN \
                            (SELECT \(list) \(rows) GROUP BY \(list) HAVING count(*) > 1) ORDER BY \(list), Z_PK
                            """
                    ) { "\($0) objects have values that aren't unique." }
                )
            }
        }
        return flaws.compactMap(\.self)
    }

    /// Finds objects with fewer or more members of a to-many relationship than the model allows.
    func countFlaws(_ layout: EntityTable.Layout, _ table: EntityTable) throws -> [StoreFlaw] {
        try layout.entity.toManys.flatMap { relationship -> [StoreFlaw] in
            let limits = relationship.relationship
            guard !limits.isTransient, relationship.hasBounds,
                let join = schema.join(to: relationship, owner: "o", member: "m")
            else { return [] }
            func flaw(
                _ severity: ModelIssue.Severity,
                where condition: SQL,
                _ message: (Int) -> String
            ) throws -> StoreFlaw? {
                let counts: SQL = """
                    SELECT o.Z_PK AS k, (SELECT count(*) FROM (SELECT 1) \(join.tables)) AS c \
                    FROM \(identifier: table.name) AS o WHERE o.Z_ENT = \(literal: .integer(layout.number))
                    """
                return try self.flaw(
                    .count,
                    severity,
                    of: layout.entity,
                    relationship.name,
                    keys: "SELECT k FROM (\(counts)) WHERE \(condition) ORDER BY k",
                    message: message
                )
            }
            let least = limits.minimumCount.flatMap { $0 > (limits.isOptional ? 1 : 0) ? $0 : nil }
            var flaws: [StoreFlaw?] = []
            if !limits.isOptional, least == nil {
                // Saves check the relationships that they change: this one may have been empty before it was required.
                let requirement = "in “\(relationship.name)”, which the model requires when that is changed."
                flaws.append(
                    try flaw(.note, where: "c = 0") { "\($0.objects("has", "have")) no object \(requirement)" }
                )
            }
            var wrong: [SQL] = []
            if let least {
                let first: SQL = limits.isOptional ? "1" : "0"
                wrong.append("c BETWEEN \(first) AND \(literal: .integer(Int64(least - 1)))")
            }
            if let most = limits.maximumCount { wrong.append("c > \(literal: .integer(Int64(most)))") }
            if !wrong.isEmpty {
                let allowed = [least.map { "at least \($0)" }, limits.maximumCount.map { "at most \($0)" }]
                    .compactMap(\.self).joined(separator: " and ")
                let rest = "a wrong number of objects in “\(relationship.name)”; the model allows \(allowed)."
                flaws.append(
                    try flaw(.warning, where: wrong.joined(separator: " OR ")) {
                        "\($0.objects("has", "have")) \(rest)"
                    }
                )
            }
            return flaws.compactMap(\.self)
        }
    }
}

extension AttributeColumns {
    /// A condition for rows without a value, or nil if the attribute has no column.
    fileprivate func isMissing(in table: EntityTable) -> SQL? {
        switch self {
        case .none: return nil
        case .value(let place, _), .composite(let place?, _):
            return "(\(identifier: table.name(ofColumn: place)) IS NULL)"
        case .composite(nil, let elements):
            let missing = elements.compactMap { $0.columns.isMissing(in: table) }
            return missing.isEmpty ? nil : "(\(missing.joined(separator: " AND ")))"
        }
    }
}

extension ValueEncoding {
    /// A condition for stored values that can't be read.
    fileprivate func isUnreadable(_ column: SQL) -> SQL? {
        switch self {
        case .bool, .double: "typeof(\(column)) IN ('text', 'blob')"
        case .date: "(typeof(\(column)) IN ('text', 'blob') OR abs(\(column)) = 9e999)"
        case .integer:
            """
            (typeof(\(column)) IN ('text', 'blob') OR typeof(\(column)) = 'real' \
            AND NOT (\(column) >= -9223372036854775808.0 AND \(column) < 9223372036854775808.0))
            """
        case .uuid: "(\(column) IS NOT NULL AND NOT outcrop_is_uuid(\(column)))"
        case .decimal: "(\(column) IS NOT NULL AND NOT outcrop_is_decimal(\(column)))"
        case .string, .uri, .reference, .data, .externalData, .transformable:
            "typeof(\(column)) IN ('integer', 'real')"
        }
    }

    /// A condition for stored values that can be read but that no value of the type is written as.
    fileprivate func isOther(_ column: SQL, than type: AttributeType) -> SQL? {
        switch self {
        case .integer:
            """
            (typeof(\(column)) = 'real' AND abs(\(column)) < 9223372036854775808.0 \
            AND \(column) <> CAST(\(column) AS INTEGER) \
            OR typeof(\(column)) = 'integer' AND NOT \(column) BETWEEN \(literal: .integer(type.bounds.lowerBound)) \
            AND \(literal: .integer(type.bounds.upperBound)))
            """
        case .string, .uri, .reference: "typeof(\(column)) = 'blob'"
        case .bool, .double, .date, .uuid, .decimal, .data, .externalData, .transformable: nil
        }
    }
}

extension AttributeType {
    /// The range of an integer type.
    fileprivate var bounds: ClosedRange<Int64> {
        switch self {
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        default: .min ... .max
        }
    }
}

extension Connection {
    /// Defines the functions that value checks call.
    func defineCheckFunctions() throws {
        for (name, encoding) in [("outcrop_is_uuid", ValueEncoding.uuid), ("outcrop_is_decimal", .decimal)] {
            try define(function: name, arguments: 1) { .integer(encoding.value($0.value(0)) == .null ? 0 : 1) }
        }
    }
}
