// SPDX-License-Identifier: Apache-2.0

// Resolves a request for stores: looks up names and rejects invalid requests.

import Basics
import ObjectModel
import Predicates

extension FetchRequest {
    /// The resolved request, for objects.
    func storeRequest(in model: ManagedObjectModel) throws(GraphError) -> StoreFetchRequest {
        if !propertiesToGroupBy.isEmpty { throw .needsDictionaries("propertiesToGroupBy") }
        if havingPredicate != nil { throw .needsDictionaries("havingPredicate") }
        let (request, check) = try resolved(in: model)
        for keyPath in relationshipKeyPathsForPrefetching { try check.checkPrefetching(keyPath) }
        for descriptor in sortDescriptors {
            if try check.expressionType(of: descriptor.keyPath).isMany { throw .toManyInOrder(descriptor.keyPath) }
        }
        return request
    }

    /// The resolved request, for a table.
    func tableRequest(in model: ManagedObjectModel) throws(GraphError) -> StoreFetchRequest {
        var (request, check) = try resolved(in: model)
        let columns = columns(of: request.entity)
        var names: Set<String> = []
        for column in columns where column.name.isEmpty || !names.insert(column.name).inserted {
            throw .columnTwice(column.name)
        }
        let groupBy =
            groupingExpressions.isEmpty
            ? propertiesToGroupBy.map { ObjectExpression.keyPath($0) } : groupingExpressions
        for path in groupBy {
            if try check.expressionType(of: path).isMany { throw .toManyColumn("\(path)", path) }
        }
        var table = TableRequest(columns: columns, groupBy: groupBy, isDistinct: returnsDistinctResults)
        let rules = TableCheck(check: check, table: table)
        for column in columns { try rules.check(column.expression, in: column.name) }
        if let havingPredicate {
            guard !groupBy.isEmpty else { throw .havingWithoutGroups() }
            let having = rules.resolved(havingPredicate)
            try rules.check(having, in: "havingPredicate")
            table.having = having
        }
        request.sortDescriptors = try sortDescriptors.map { (descriptor) throws(GraphError) in
            var descriptor = descriptor
            descriptor.keyPath = rules.resolved(descriptor.keyPath)
            try rules.checkOrder(descriptor.keyPath)
            return descriptor
        }
        request.kind = .table(table)
        return request
    }

    /// Resolves what all kinds of requests have in common.
    private func resolved(in model: ManagedObjectModel) throws(GraphError) -> (StoreFetchRequest, FetchCheck) {
        guard let entity = model.entity(named: entityName) else { throw .unknownEntity(entityName, in: model) }
        for (name, number) in [
            ("fetchLimit", fetchLimit), ("fetchOffset", fetchOffset), ("fetchBatchSize", fetchBatchSize),
        ] where number < 0 {
            throw .negative(name, number)
        }
        let check = FetchCheck(model: model, entity: entity)
        if let predicate { try check.check(predicate) }
        let search = try search.map { (search) throws(GraphError) in try search.resolved(for: entity, in: model) }
        let request = StoreFetchRequest(
            entity: entity,
            includesSubentities: includesSubentities,
            predicate: predicate,
            sortDescriptors: sortDescriptors,
            offset: fetchOffset,
            limit: fetchLimit > 0 ? fetchLimit : nil,
            affectedStores: affectedStores,
            search: search
        )
        return (request, check)
    }

    private func columns(of entity: EntityDescription) -> [ExpressionDescription] {
        if !propertiesToFetch.isEmpty { return propertiesToFetch }
        if !propertiesToGroupBy.isEmpty { return propertiesToGroupBy.map(ExpressionDescription.init(keyPath:)) }
        return entity.attributes.filter(\.isPersistent).map { ExpressionDescription(keyPath: $0.name) }
    }
}

/// The rules for columns, group conditions, and the order of rows.
private struct TableCheck {
    let check: FetchCheck
    let isGrouped: Bool
    private let isDistinct: Bool
    private let grouped: Set<ObjectExpression>
    private let columns: [String: ObjectExpression]

    init(check: FetchCheck, table: TableRequest) {
        self.check = check
        isGrouped = table.isGrouped
        isDistinct = table.isDistinct
        grouped = Set(table.groupBy)
        columns = Dictionary(keepingFirst: table.columns.map { ($0.name, $0.expression) })
    }

    // MARK: Names of columns

    /// The expression with column names replaced by their expressions, outside of aggregates.
    func resolved(_ expression: ObjectExpression) -> ObjectExpression {
        if grouped.contains(expression) || GroupAggregate(expression) != nil { return expression }
        // The expression of a column, in which names are those of properties.
        if columns.values.contains(expression) { return expression }
        if case .keyPath(of: .evaluatedObject, let keys) = expression, let column = columns[keys.dotted] {
            return column
        }
        if case .subquery = expression { return expression }
        return expression.mappingParts({ resolved($0) }, { resolved($0) })
    }

    func resolved(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.mappingParts({ resolved($0) }, { resolved($0) })
    }

    // MARK: Rules

    /// Throws unless the expression has a single value in each row.
    func check(_ expression: ObjectExpression, in name: String) throws(GraphError) {
        let rest = try expression.replacingAggregates { (aggregate) throws(GraphError) in
            try check(aggregate, in: name)
            return .constant(.null)
        }
        if try check.expressionType(of: rest).isMany { throw .toManyColumn(name, expression) }
        if isGrouped { try checkGrouped(rest, in: name) }
    }

    func check(_ having: ObjectPredicate, in name: String) throws(GraphError) {
        let rest = try having.replacingAggregates { (aggregate) throws(GraphError) in
            try check(aggregate, in: name)
            return .constant(.null)
        }
        try check.check(rest)
        try checkGrouped(rest, in: name)
    }

    func checkOrder(_ key: ObjectExpression) throws(GraphError) {
        if !isGrouped, key.hasAggregates { throw .aggregateInOrder(key) }
        try check(key, in: "\(key)")
        if isDistinct, !columns.values.contains(key) { throw .orderOutsideColumns(key) }
    }

    private func check(_ aggregate: GroupAggregate, in name: String) throws(GraphError) {
        if aggregate.operand.hasAggregates { throw .nestedAggregate(aggregate, in: name) }
        let end = try check.expressionType(of: aggregate.operand)
        if end.isMany { throw .toManyAggregate(aggregate, in: name) }
        guard aggregate.isNumeric, case .attribute(let attribute) = end.kind else { return }
        switch attribute.type {
        case .int16, .int32, .int64, .decimal, .double, .float, .bool, .transformable, .undefined: break
        default: throw .notNumeric(aggregate, attribute, in: name)
        }
    }

    private func checkGrouped(_ expression: ObjectExpression, in name: String) throws(GraphError) {
        if grouped.contains(expression) { return }
        switch expression {
        case .evaluatedObject, .keyPath(of: .evaluatedObject, _): throw .notGrouped(expression, in: name)
        default:
            try expression.forEachPart(
                { (part) throws(GraphError) in try checkGrouped(part, in: name) },
                { (part) throws(GraphError) in try checkGrouped(part, in: name) }
            )
        }
    }

    private func checkGrouped(_ predicate: ObjectPredicate, in name: String) throws(GraphError) {
        try predicate.forEachPart(
            { (part) throws(GraphError) in try checkGrouped(part, in: name) },
            { (part) throws(GraphError) in try checkGrouped(part, in: name) }
        )
    }
}

extension [Key] {
    fileprivate var dotted: String {
        map { key in
            switch key {
            case .name(let name): name
            case .collection(let aggregate): aggregate.rawValue
            case .argument: "%K"
            }
        }.joined(separator: ".")
    }
}
