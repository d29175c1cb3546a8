// SPDX-License-Identifier: Apache-2.0

// Keyset paging: continues after a row, whatever was inserted or deleted before it.

import FoundationEssentials
public import Predicates

extension FetchRequest {
    /// The order of the request with the object's ID as the last key, so that it is total. The ID has the direction of
    /// the key before it, as in an index.
    ///
    /// Empty for an order by relevance, which isn't based on key paths alone.
    public var keyedSortDescriptors: [ObjectSortDescriptor] {
        if isByRelevance { return [] }
        if sortDescriptors.last?.keyPath == .objectID { return sortDescriptors }
        let ascending = sortDescriptors.last?.ascending ?? true
        return sortDescriptors + [ObjectSortDescriptor(.objectID, ascending: ascending)]
    }

    /// The requests that together find the rows after a given one, in order. Each asks for equal values of some keys
    /// and a range of the next, which an index can find, so the cost doesn't depend on the position.
    ///
    /// - Parameter keys: The row's values by `keyedSortDescriptors`, ending with its ID; see
    ///   `GraphReading.sortKeys(of:for:)`. The row need not exist any more.
    public func continuations(
        after keys: [Value],
        in model: ManagedObjectModel
    ) throws(GraphError) -> [FetchRequest] {
        if isByRelevance, let search { return [try continuation(of: search, after: keys)] }
        let order = keyedSortDescriptors
        guard keys.count == order.count else { throw .wrongKeys(keys.count, order) }
        let check = model.entity(named: entityName).map { FetchCheck(model: model, entity: $0) }
        var requests: [FetchRequest] = []
        for (place, descriptor) in order.enumerated().reversed() {
            let equal = zip(order, keys).prefix(place).map { $0.equal(to: $1) }
            let isUntyped = check?.isUntyped(descriptor.keyPath) == true
            for behind in isUntyped ? descriptor.laterOfAnyKind(keys[place]) : descriptor.behind(keys[place]) {
                var request = self
                request.sortDescriptors = order
                request.fetchOffset = 0
                request.predicate = .all(of: [predicate].compactMap(\.self) + equal + [behind])
                requests.append(request)
            }
        }
        return requests
    }
}

extension FetchRequest {
    /// The values that an object is sorted by, before folding.
    func sortKeys(of object: some KeyValueObject) throws(GraphError) -> [Value] {
        if isByRelevance, let search { return try relevanceKeys(of: object, search) }
        let evaluator = Evaluator.limited()
        do {
            return try keyedSortDescriptors.map { descriptor in
                switch try evaluator.operand(of: descriptor.keyPath, for: object) {
                case .value(let value): value
                case .object(let object): object.reference.map(Value.reference) ?? .null
                case .collection: throw GraphError.toManyInOrder(descriptor.keyPath)
                }
            }
        } catch {
            throw .evaluation(error)
        }
    }
}

extension ObjectExpression {
    fileprivate static let objectID = ObjectExpression.keyPath("objectID")
}

extension ObjectSortDescriptor {
    fileprivate func equal(to value: Value) -> ObjectPredicate { compared(.equal, value) }

    /// The predicates for values after a given one, in order: nil comes first when ascending, and last when descending.
    fileprivate func behind(_ value: Value) -> [ObjectPredicate] {
        switch (value, ascending) {
        case (.null, true): [compared(.notEqual, .null)]
        case (.null, false): []
        case (_, true): [compared(.greater, value)]
        case (_, false): keyPath == .objectID ? [compared(.less, value)] : [compared(.less, value), equal(to: .null)]
        }
    }

    /// The same for values of mixed types, which operators can't compare: `min` and `max` of two values decide which
    /// comes first.
    fileprivate func laterOfAnyKind(_ value: Value) -> [ObjectPredicate] {
        let beyond: ObjectPredicate
        switch value {
        case .null: return behind(value)
        case .string, .uri:
            // Text is compared folded, which `min` and `max` don't do.
            let within = compared(ascending ? .greater : .less, value)
            beyond = .or([within, lies(beyond: ascending ? Self.firstDate : .string(""))])
        default: beyond = lies(beyond: value)
        }
        return ascending ? [beyond] : [beyond, equal(to: .null)]
    }

    /// The least value of the type that follows text.
    private static let firstDate = Value.date(
        Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude)
    )

    /// Whether a value comes after another one in the order; neither is nil.
    private func lies(beyond value: Value) -> ObjectPredicate {
        let both = ObjectExpression.aggregate([keyPath, .constant(value)])
        return .comparing(.function(ascending ? .maximum : .minimum, [both]), .notEqual, .constant(value))
    }

    private func compared(_ operator: Comparison.Operator, _ value: Value) -> ObjectPredicate {
        .comparison(Comparison(keyPath, `operator`, .constant(value), options: value.isText ? options : []))
    }
}

extension Value {
    fileprivate var isText: Bool {
        switch self {
        case .string, .uri: true
        default: false
        }
    }
}

extension GraphError {
    fileprivate static func wrongKeys(_ count: Int, _ order: [ObjectSortDescriptor]) -> GraphError {
        GraphError(
            .invalidRequest,
            "The order \(order.map(\.description).joined(separator: ", ")) has \(order.count) keys, but there are \(count) values.",
            hint: "Give one value for each key, the object's ID last."
        )
    }
}
