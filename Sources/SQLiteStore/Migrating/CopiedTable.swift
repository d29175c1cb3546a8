// SPDX-License-Identifier: Apache-2.0

// The statements that fill a table of the new version from those of the old one.

import ObjectGraph
import Predicates
import SQLiteDriver

/// A table of the new version, as expressions over the rows of the old one.
///
/// 1. A row keeps its key and its version.
/// 2. Each expression is over the old row, which the statements call `t`.
struct CopiedTable {
    let table: EntityTable
    /// The tables that the rows come from, with what their entities become.
    let sources: [Source]
    private let old: StoreSchema
    private let new: StoreSchema
    private let mapping: ResolvedMapping

    struct Source {
        let table: EntityTable
        let plans: [ResolvedMapping.EntityPlan]
    }

    init(_ table: EntityTable, from old: StoreSchema, to new: StoreSchema, by mapping: ResolvedMapping) {
        self.table = table
        self.old = old
        self.new = new
        self.mapping = mapping
        let plans = mapping.plans.filter { new.table(of: $0.destination)?.name == table.name }
        sources = old.tables.compactMap { source in
            let own = plans.filter { old.table(of: $0.source)?.name == source.name }
            return own.isEmpty ? nil : Source(table: source, plans: own)
        }
    }

    /// The statements that copy the rows into a table.
    func filling(of name: String) -> [SQL] {
        sources.map { source in
            let columns = [SystemColumn.key, SystemColumn.entity, SystemColumn.version] + table.columns.map(\.name)
            let values: [SQL] =
                ["t.Z_PK", number(source.plans).sql, "t.Z_OPT"] + expressions(from: source).map(\.sql)
            return """
                INSERT INTO \(identifier: name) (\(columns.map { "\(identifier: $0)" as SQL }.joined(separator: ", "))) \
                SELECT \(values.joined(separator: ", ")) FROM \(identifier: source.table.name) t \
                WHERE t.Z_ENT IN \(numbers(of: source)) ORDER BY t.Z_PK
                """
        }
    }

    /// The content of each column.
    func expressions(from source: Source) -> [CopiedExpression] {
        table.columns.indices.map { value($0, source.table, source.plans) }
    }

    /// The numbers of the entities whose objects remain, as the right side of `IN`.
    func numbers(of source: Source) -> SQL { .numbers(source.plans.map { old.numbers[$0.source] }) }

    /// The number of a row's entity.
    func number(_ plans: [ResolvedMapping.EntityPlan]) -> CopiedExpression {
        guard plans.contains(where: { old.numbers[$0.source] != new.numbers[$0.destination] }) else {
            return .column(SystemColumn.entity)
        }
        return byEntity(plans) { .constant(.integer(new.numbers[$0.destination])) }
    }

    /// One expression for the rows of several entities.
    ///
    /// - Parameters:
    ///   - isEmpty: Whether the rows of an entity have nothing in an old column.
    ///   - expression: Nil for entities that don't have the new column, in which their rows must have nothing.
    private func byEntity(
        _ plans: [ResolvedMapping.EntityPlan],
        isEmpty: (ResolvedMapping.EntityPlan, _ column: String) -> Bool = { _, _ in false },
        _ expression: (ResolvedMapping.EntityPlan) -> CopiedExpression?
    ) -> CopiedExpression {
        let expressions = plans.map(expression)
        let used = Set(expressions.compactMap(\.self))
        guard let first = used.first else { return .constant(.null) }
        if used.count == 1 {
            if expressions.allSatisfy({ $0 != nil }) || first == .constant(.null) { return first }
            let others = zip(plans, expressions).filter { $1 == nil }.map(\.0)
            if case .column(let name) = first, others.allSatisfy({ isEmpty($0, name) }) { return first }
        }
        let cases = zip(plans, expressions).map { plan, expression in
            """
            WHEN \(literal: .integer(old.numbers[plan.source])) THEN \(expression?.sql ?? "NULL")
            """ as SQL
        }
        return .computed("CASE t.Z_ENT \(cases.joined(separator: " ")) END")
    }

    private func value(
        _ place: Int,
        _ source: EntityTable,
        _ plans: [ResolvedMapping.EntityPlan]
    ) -> CopiedExpression {
        func isEmpty(_ plan: ResolvedMapping.EntityPlan, _ column: String) -> Bool {
            !source[plan.source].places.map(source.name(ofColumn:)).contains(column)
        }
        return byEntity(plans, isEmpty: isEmpty) { plan in
            let layout = table[plan.destination]
            for (slot, columns) in layout.attributes.enumerated() {
                let attribute = plan.attributes[slot]
                let former = attribute.source.map { source[plan.source].attributes[$0.slot] }
                let copied = CopiedValue(columns: columns, former: former, table: source, fallback: attribute.fallback)
                if let expression = copied.expression(ofColumn: place) { return expression }
            }
            for (slot, columns) in layout.toOnes.enumerated() {
                guard let columns, [columns.key, columns.entity, columns.order].contains(place) else { continue }
                let link = CopiedLink(
                    plan.destination.toOnes[slot],
                    of: plan,
                    in: source,
                    from: old,
                    to: new,
                    by: mapping
                )
                return place == columns.key ? link.key : place == columns.entity ? link.entity : link.place
            }
            return nil
        }
    }
}

/// The columns of an attribute in the new table, and in the old one.
private struct CopiedValue {
    let columns: AttributeColumns
    /// Nil if the attribute has no source.
    let former: AttributeColumns?
    let table: EntityTable
    let fallback: Value

    /// The value of a column of the new table over the old row; nil if the column isn't the attribute's.
    func expression(ofColumn place: Int) -> CopiedExpression? {
        switch columns {
        case .none: return nil
        case .value(let own, let encoding):
            guard own == place else { return nil }
            let value = encoding.encoded(fallback) ?? .null
            guard case .value(let before, let encodingBefore)? = former else { return .constant(value) }
            let converted = encodingBefore.converted(table.name(ofColumn: before), to: encoding)
            return value == .null ? converted : .computed("ifnull(\(converted.sql), \(literal: value))")
        case .composite(let presence, let elements):
            var formerPresence: Int?
            var formerElements: [(element: AttributeDescription, columns: AttributeColumns)] = []
            if case .composite(let presence, let elements)? = former {
                formerPresence = presence
                formerElements = elements
            }
            if presence == place {
                return formerPresence.map { .column(table.name(ofColumn: $0)) } ?? .constant(.null)
            }
            for (element, columns) in elements {
                let before = formerElements.first { $0.element.name == element.name }?.columns
                let part = CopiedValue(columns: columns, former: before, table: table, fallback: .null)
                if let expression = part.expression(ofColumn: place) { return expression }
            }
            return nil
        }
    }
}

extension ValueEncoding {
    /// A column's value in another encoding. Integers become reals and texts by the new column's type.
    fileprivate func converted(_ name: String, to other: ValueEncoding) -> CopiedExpression {
        let column = CopiedExpression.column(name).sql
        switch (self, other) {
        case (.bool, .integer): return .computed("\(column) <> 0")
        case (.uuid, .string):
            let digits: SQL = "hex(\(column))"
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { start, count in
                "substr(\(digits), \(literal: .integer(Int64(start))), \(literal: .integer(Int64(count))))" as SQL
            }
            return .computed(
                """
                CASE typeof(\(column)) WHEN 'blob' THEN \(parts.joined(separator: " || '-' || ")) \
                WHEN 'text' THEN upper(\(column)) END
                """
            )
        case (.data, .externalData): return .computed("CAST(x'01' || \(column) AS BLOB)")
        case (.externalData, .data): return .computed("\(SQL(text: Self.inlined))(\(column))")
        // The new column's type makes reals and texts of integers.
        case (.integer, .double), (.integer, .decimal), (.integer, .string):
            return .computed("CAST(\(column) AS INTEGER)")
        default: return .column(name)
        }
    }

    /// The function that returns a large value itself.
    static let inlined = "outcrop_inlined"
}

extension EntityTable.Layout {
    /// The indexes of the columns that the entity's rows use.
    fileprivate var places: [Int] {
        attributes.flatMap(\.places)
            + toOnes.compactMap(\.self).flatMap { [$0.key, $0.entity, $0.order].compactMap(\.self) }
    }
}

extension AttributeColumns {
    fileprivate var places: [Int] {
        switch self {
        case .none: []
        case .value(let place, _): [place]
        case .composite(let presence, let elements):
            [presence].compactMap(\.self) + elements.flatMap(\.columns.places)
        }
    }
}
