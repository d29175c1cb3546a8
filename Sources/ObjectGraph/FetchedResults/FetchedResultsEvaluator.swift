// SPDX-License-Identifier: Apache-2.0

// Determines which objects belong to a list, their order, and their sections.

import FoundationEssentials
import Predicates

/// A request as a fetched results controller evaluates it.
struct FetchedResultsEvaluator {
    private let entity: EntityDescription
    private let includesSubentities: Bool
    private let predicate: ObjectPredicate?
    private let search: Search?
    /// Whether the predicate may contain IDs that a save has replaced.
    private let namesTemporaryObjects: Bool
    private let descriptors: [ObjectSortDescriptor]
    private let section: ObjectExpression?
    /// Whether the result depends only on an object's own values, so that checking an event's objects is enough.
    let isLocal: Bool

    init<Object>(
        _ request: FetchRequest<Object>,
        sectionNameKeyPath: String?,
        in model: ManagedObjectModel
    ) throws(GraphError) {
        guard let entity = model.entity(named: request.entityName) else {
            throw .unknownEntity(request.entityName, in: model)
        }
        guard let first = request.sortDescriptors.first else { throw .unsorted(request.entityName) }
        let section = sectionNameKeyPath.map { ObjectExpression.keyPath($0) }
        if let section, first.keyPath == section, !first.options.isEmpty {
            throw .foldedSections(sectionNameKeyPath ?? "")
        }
        if let name = sectionNameKeyPath?.prefix(while: { $0 != "." }).description, entity.property(named: name) == nil
        {
            throw .unknownKey(name, of: entity)
        }
        self.entity = entity
        self.section = section
        includesSubentities = request.includesSubentities
        predicate = request.predicate
        search = try request.search.map { (search) throws(GraphError) in try search.resolved(for: entity, in: model) }
        namesTemporaryObjects = request.predicate?.namesTemporaryObjects ?? false
        descriptors = request.sortDescriptors
        let expressions = descriptors.map(\.keyPath) + (section.map { [$0] } ?? [])
        isLocal =
            request.fetchLimit == 0 && request.fetchOffset == 0 && request.includesPendingChanges
            && expressions.allSatisfy { $0.isLocal(to: entity) }
            && (predicate?.isLocal(to: entity) ?? true)
    }

    /// Whether an object is of the requested entity.
    func concerns(_ object: ManagedObject) -> Bool {
        includesSubentities ? object.entity.isKind(of: entity) : object.entity == entity
    }

    /// The sort key of an object, or nil if it doesn't belong to the list.
    func key(of object: ManagedObject, in context: ManagedObjectContext) throws(GraphError) -> FetchedResultsKey? {
        guard !object.isDeleted, !object.status.contains(.missing), object.context === context else { return nil }
        if let predicate {
            let current = namesTemporaryObjects ? object.confinement.context.current(predicate) : predicate
            guard try evaluated({ try Evaluator(now: .now).matches(current, object) }) else { return nil }
        }
        if let search, try !evaluated({ try search.admits(object) }) { return nil }
        return try orderKey(of: object)
    }

    func orderKey(of object: ManagedObject) throws(GraphError) -> FetchedResultsKey {
        let name = try section.map { expression throws(GraphError) in try value(of: expression, object).sectionName }
        let values =
            try !isLocal
            ? []
            : descriptors.map { descriptor throws(GraphError) in
                try value(of: descriptor.keyPath, object)
            }
        return FetchedResultsKey(values: values, section: name ?? "")
    }

    private func value(of expression: ObjectExpression, _ object: ManagedObject) throws(GraphError) -> Value {
        switch try evaluated({ try Evaluator(now: .now).operand(of: expression, for: object) }) {
        case .value(let value): return value
        case .object(let object): return object.reference.map(Value.reference) ?? .null
        case .collection:
            throw GraphError(.invalidRequest, "A list can't be sorted by a key path with several values per object.")
        }
    }

    private func evaluated<Result>(_ body: () throws -> Result) throws(GraphError) -> Result {
        do {
            return try body()
        } catch {
            throw .evaluation(error)
        }
    }
}

// MARK: Order

extension FetchedResultsEvaluator {
    func isSorted(_ entries: [FetchedResultsEntry]) -> Bool {
        zip(entries, entries.dropFirst()).allSatisfy { precedes($0, $1) }
    }

    func sorted(_ entries: [FetchedResultsEntry]) -> [FetchedResultsEntry] { entries.sorted(by: precedes) }

    /// Merges entries into a sorted list.
    func merging(_ coming: [FetchedResultsEntry], into staying: [FetchedResultsEntry]) -> [FetchedResultsEntry] {
        guard !coming.isEmpty else { return staying }
        var merged: [FetchedResultsEntry] = []
        merged.reserveCapacity(staying.count + coming.count)
        var rest = 0
        for entry in sorted(coming) {
            let place = lowerBound(of: entry, in: staying, from: rest)
            merged += staying[rest..<place]
            merged.append(entry)
            rest = place
        }
        return merged + staying[rest...]
    }

    /// The place of an entry in a sorted list, or nil if it isn't at its place.
    func place(of entry: FetchedResultsEntry, in order: [FetchedResultsEntry]) -> Int? {
        guard isLocal else { return nil }
        let place = lowerBound(of: entry, in: order, from: 0)
        return place < order.count && order[place] === entry ? place : nil
    }

    private func lowerBound(of entry: FetchedResultsEntry, in order: [FetchedResultsEntry], from start: Int) -> Int {
        var low = start
        var high = order.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(order[middle], entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func precedes(_ one: FetchedResultsEntry, _ other: FetchedResultsEntry) -> Bool {
        for (index, descriptor) in descriptors.enumerated() {
            let order = descriptor.compare(one.key.values[index], other.key.values[index])
            if order != .orderedSame { return order == .orderedAscending }
        }
        return one.serial < other.serial
    }
}

extension Value {
    fileprivate var sectionName: String {
        switch self {
        case .null: ""
        case .string(let text), .uri(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "1" : "0"
        default: "\(ObjectExpression.constant(self))"
        }
    }
}

extension ObjectsDidChange {
    /// The objects to evaluate again.
    var touched: [ManagedObject] { inserted + updated + refreshed + renamed }
}

extension GraphError {
    static func unsorted(_ entityName: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "A fetched results controller needs at least one sort descriptor; the request for \(entityName) has none."
        )
    }

    static func foldedSections(_ keyPath: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "Objects are sorted by “\(keyPath)” with comparison options, but it also names their sections.",
            hint: "Sort by “\(keyPath)” without options."
        )
    }

    static func scatteredSections(_ keyPath: String, _ entityName: String) -> GraphError {
        GraphError(
            .invalidRequest,
            "The first sort descriptor doesn't keep objects of \(entityName) with the same “\(keyPath)” together.",
            hint: "Sort by “\(keyPath)” first, or by something that it determines."
        )
    }
}
