// SPDX-License-Identifier: Apache-2.0

// Values: there where they have to be, of their type, and different where they must be.

import ObjectGraph
import ObjectModel
import SQLiteDriver

extension StoreCheck {
    /// What lacks in rows of one entity, or is of another type. Apps may have written it so, with validation off or before a
    /// migration, and nothing but their authors can say what belongs there.
    func valueFlaws(_ layout: EntityTable.Layout, _ table: EntityTable) throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        for (slot, columns) in layout.attributes.enumerated() {
            let attribute = layout.entity.attributes[slot]
            guard case .value(let place, let encoding) = columns else { continue }
            let column: SQL = "\(identifier: table.name(ofColumn: place))"
            if !attribute.attribute.isOptional, !attribute.isDerived {
                flaws.append(try missing(attribute.name, column, layout, table))
            }
            if let isWrong = encoding.isWrong(column) {
                flaws.append(
                    try flaw(
                        .value,
                        .warning,
                        of: layout.entity,
                        attribute.name,
                        keys: keys(of: layout, table, where: isWrong)
                    ) {
                        "\($0.objects("has", "have")) a value that is none of type \(attribute.type.name), and is read as nil."
                    }
                )
            }
        }
        for (slot, columns) in layout.toOnes.enumerated() {
            let relationship = layout.entity.toOnes[slot]
            guard let columns, !relationship.relationship.isOptional else { continue }
            let column: SQL = "\(identifier: table.name(ofColumn: columns.key))"
            flaws.append(try missing(relationship.name, column, layout, table))
        }
        return flaws.compactMap(\.self)
    }

    private func missing(
        _ property: String,
        _ column: SQL,
        _ layout: EntityTable.Layout,
        _ table: EntityTable
    ) throws -> StoreFlaw? {
        try flaw(
            .required,
            .warning,
            of: layout.entity,
            property,
            keys: keys(of: layout, table, where: "\(column) IS NULL")
        ) { "\($0.objects("has", "have")) no “\(property)”, which the model demands." }
    }

    private func keys(of layout: EntityTable.Layout, _ table: EntityTable, where condition: SQL) -> SQL {
        """
        SELECT Z_PK FROM \(identifier: table.name) \
        WHERE Z_ENT = \(literal: .integer(layout.number)) AND \(condition) ORDER BY Z_PK
        """
    }

    /// Rows that are equal in all columns of a constraint, of which the entity that has it is the first.
    func uniqueFlaws(_ table: EntityTable) throws -> [StoreFlaw] {
        var flaws: [StoreFlaw?] = []
        for layout in table.layouts {
            guard let writer = RowWriter(layout.entity, tables) else { continue }
            for names in layout.entity.entity.uniquenessConstraints {
                let constraint = names.compactMap { layout.entity.property(named: $0) }
                let columns = writer.columns(of: constraint).map { "\(identifier: $0)" as SQL }
                guard columns.count == names.count, !columns.isEmpty else { continue }
                let list = columns.joined(separator: ", ")
                let isThere = columns.map { "\($0) IS NOT NULL" as SQL }.joined(separator: " AND ")
                let rows: SQL = """
                    FROM \(identifier: table.name) WHERE Z_ENT IN \(numbers(of: layout.entity)) AND \(isThere)
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
                    ) { "\($0) objects have values that others have too, where they must differ." }
                )
            }
        }
        return flaws.compactMap(\.self)
    }

    /// Relationships to many of one entity's objects that have fewer members than they must, or more than they may.
    func countFlaws(_ layout: EntityTable.Layout, _ table: EntityTable) throws -> [StoreFlaw] {
        try layout.entity.toManys.compactMap { relationship in
            let limits = relationship.relationship
            // Core Data takes none at all for enough where no number is demanded.
            let least = limits.minimumCount.flatMap { $0 > (limits.isOptional ? 1 : 0) ? $0 : nil }
            guard !limits.isTransient, least != nil || limits.maximumCount != nil,
                let join = schema.join(to: relationship, owner: "o", member: "m")
            else { return nil }
            let count: SQL = "(SELECT count(*) FROM (SELECT 1) \(join.tables))"
            var wrong: [SQL] = []
            if let least {
                let first: SQL = limits.isOptional ? "1" : "0"
                wrong.append("c BETWEEN \(first) AND \(literal: .integer(Int64(least - 1)))")
            }
            if let most = limits.maximumCount { wrong.append("c > \(literal: .integer(Int64(most)))") }
            let allowed = [least.map { "at least \($0)" }, limits.maximumCount.map { "at most \($0)" }]
                .compactMap(\.self).joined(separator: " and ")
            return try flaw(
                .count,
                .warning,
                of: layout.entity,
                relationship.name,
                keys: """
                    SELECT k FROM (SELECT o.Z_PK AS k, \(count) AS c FROM \(identifier: table.name) AS o \
                    WHERE o.Z_ENT = \(literal: .integer(layout.number))) WHERE \(wrong.joined(separator: " OR ")) ORDER BY k
                    """
            ) {
                "\($0.objects("has", "have")) fewer or more objects in “\(relationship.name)” than the model allows: \(allowed)."
            }
        }
    }
}

extension ValueEncoding {
    /// Whether a column holds something that no value of the type is written as, by Core Data of any version or by us.
    fileprivate func isWrong(_ column: SQL) -> SQL? {
        switch self {
        case .bool, .double: "typeof(\(column)) IN ('text', 'blob')"
        case .date: "(typeof(\(column)) IN ('text', 'blob') OR abs(\(column)) = 9e999)"
        case .integer:
            """
            (typeof(\(column)) IN ('text', 'blob') OR typeof(\(column)) = 'real' \
            AND NOT (\(column) >= -9223372036854775808.0 AND \(column) < 9223372036854775808.0))
            """
        case .uuid:
            "(typeof(\(column)) IN ('integer', 'real') OR typeof(\(column)) = 'blob' AND length(\(column)) <> 16)"
        case .string, .uri, .reference, .decimal, .data, .externalData, .transformable: nil
        }
    }
}
