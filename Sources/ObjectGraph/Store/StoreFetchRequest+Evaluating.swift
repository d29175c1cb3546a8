// SPDX-License-Identifier: Apache-2.0

// Evaluation of a fetch over objects in memory.

import FoundationEssentials
public import Predicates

extension StoreFetchRequest {
    /// The matching objects among all of the entity, in order, after offset and limit.
    public func objects<Object: KeyValueObject>(
        among candidates: some Sequence<Object>,
        with evaluator: Evaluator? = nil
    ) throws -> [Object] {
        let evaluator = evaluator ?? Evaluator.limited()
        return window(of: try ordered(try matching(candidates, evaluator), with: evaluator))
    }

    /// The rows of a table request over all objects of its entity.
    public func table<Object: KeyValueObject>(
        _ table: TableRequest,
        of candidates: some Sequence<Object>,
        with evaluator: Evaluator? = nil
    ) throws -> FetchTable {
        let evaluator = evaluator ?? Evaluator.limited()
        let matching = try matching(candidates, evaluator)
        let columns = table.columns.map(\.expression)
        var rows: [[Value]]
        if table.isGrouped {
            let groups = try ObjectGroup.groups(of: matching, by: table.groupBy, evaluator)
            let satisfying = try groups.filter { try table.having.map($0.satisfies) ?? true }
            rows = try ordered(satisfying.map { try GroupRow($0, columns, sortedBy: sortDescriptors) })
        } else {
            // If rows needn't be distinct, those outside of the window aren't computed.
            var objects = try ordered(matching, with: evaluator)
            if !table.isDistinct { objects = window(of: objects) }
            var meter = WorkMeter()
            rows = try objects.map { object in
                try meter.step()
                return try columns.map { try evaluator.operand(of: $0, for: object).columnValue() }
            }
        }
        if table.isDistinct {
            var seen: Set<[DistinctValue]> = []
            rows = rows.filter { seen.insert($0.map(DistinctValue.init)).inserted }
        }
        if table.isGrouped || table.isDistinct { rows = window(of: rows) }
        return FetchTable(columns: table.columns.map(\.name), rows: rows)
    }

    /// The elements after offset and limit.
    func window<Element>(of found: [Element]) -> [Element] {
        if offset == 0, limit ?? .max >= found.count { return found }
        return Array(found.dropFirst(offset).prefix(limit ?? .max))
    }

    /// The number of elements after offset and limit.
    func window(of count: Int) -> Int { min(max(0, count - offset), limit ?? .max) }

    func ordered<Object: KeyValueObject>(_ objects: [Object], with evaluator: Evaluator? = nil) throws -> [Object] {
        if isByRelevance, let search { return try search.ordered(objects) }
        return sortDescriptors.isEmpty ? objects : try objects.sorted(by: sortDescriptors, evaluator)
    }

    private func ordered(_ rows: [GroupRow]) throws -> [[Value]] {
        try rows.sorted(by: GroupRow.descriptors(for: sortDescriptors)).map(\.values)
    }

    private func matching<Object: KeyValueObject>(
        _ candidates: some Sequence<Object>,
        _ evaluator: Evaluator
    ) throws -> [Object] {
        guard predicate != nil || search != nil else { return Array(candidates) }
        var meter = WorkMeter()
        return try candidates.filter { candidate in
            try meter.step()
            if let predicate, try !evaluator.matches(predicate, candidate) { return false }
            return try search?.admits(candidate) ?? true
        }
    }
}

/// Objects with the same values of the grouping expressions.
private struct ObjectGroup<Object: KeyValueObject> {
    private var objects: [Object]
    private let evaluator: Evaluator

    /// The groups in order of their first objects; a single one, perhaps empty, without grouping.
    static func groups(of objects: [Object], by paths: [ObjectExpression], _ evaluator: Evaluator) throws -> [Self] {
        if paths.isEmpty { return [Self(objects, evaluator)] }
        var groups: [Self] = []
        var places: [[DistinctValue]: Int] = [:]
        for object in objects {
            let key = try paths.map { path in
                DistinctValue(try evaluator.operand(of: path, for: object).columnValue())
            }
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(Self([], evaluator))
            }
            groups[place].objects.append(object)
        }
        return groups
    }

    private init(_ objects: [Object], _ evaluator: Evaluator) {
        self.objects = objects
        self.evaluator = evaluator
    }

    func satisfies(_ having: ObjectPredicate) throws -> Bool {
        try evaluator.matches(having.replacingAggregates(value), representative)
    }

    func value(of expression: ObjectExpression) throws -> Value {
        try evaluator.operand(of: expression.replacingAggregates(value), for: representative).columnValue()
    }

    /// All objects have the same values for columns outside of aggregates.
    private var representative: any KeyValueObject { objects.first ?? EmptyObject() }

    private func value(of aggregate: GroupAggregate) throws -> ObjectExpression {
        if aggregate.function == .count, !aggregate.isDistinct {
            // Counting needs no values.
            let count = try objects.count { try !evaluator.operand(of: aggregate.operand, for: $0).isNull }
            return .constant(.integer(Int64(count)))
        }
        var values = try objects.map { try evaluator.operand(of: aggregate.operand, for: $0).columnValue() }
        if aggregate.isDistinct {
            var seen: Set<DistinctValue> = []
            values = values.filter { seen.insert(DistinctValue($0)).inserted }
        }
        if aggregate.isNumeric, values.contains(where: { $0 != .null && !$0.isNumber }),
            try objects.contains(where: { try evaluator.isUntyped(aggregate.operand, for: $0) })
        {
            values = values.filter(\.isNumber)
        }
        let call = ObjectExpression.function(aggregate.function, [.constant(.array(values))])
        return .constant(try evaluator.operand(of: call, for: EmptyObject()).columnValue())
    }
}

/// The object that aggregates over nothing are evaluated with.
private struct EmptyObject: KeyValueObject {
    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? { nil }
}

/// The row of a group, with its sort keys under the numbers of the descriptors.
private struct GroupRow: KeyValueObject {
    let values: [Value]
    private let keys: [Value]

    init<Object>(
        _ group: ObjectGroup<Object>,
        _ columns: [ObjectExpression],
        sortedBy descriptors: [ObjectSortDescriptor]
    ) throws {
        values = try columns.map(group.value)
        keys = try descriptors.map { try group.value(of: $0.keyPath) }
    }

    static func descriptors(for descriptors: [ObjectSortDescriptor]) -> [ObjectSortDescriptor] {
        descriptors.enumerated().map { place, descriptor in
            ObjectSortDescriptor("\(place)", ascending: descriptor.ascending, options: descriptor.options)
        }
    }

    var reference: ObjectReference? { nil }

    func operand(forKey key: String) -> Operand? {
        Int(key).flatMap { keys.indices.contains($0) ? .value(keys[$0]) : nil }
    }
}

extension Operand {
    fileprivate var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    /// The single value for a row; an object's reference for an object.
    func columnValue() throws(GraphError) -> Value {
        switch self {
        case .value(let value): return value
        case .object(let object): return object.reference.map(Value.reference) ?? .null
        case .collection:
            throw GraphError(.invalidRequest, "A column has one value per row, but an expression gives many.")
        }
    }
}
