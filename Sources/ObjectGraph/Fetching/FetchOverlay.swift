// SPDX-License-Identifier: Apache-2.0

// Applies a context's pending changes to a store's result.

import FoundationEssentials
import Predicates

/// The pending changes that affect a request: objects to be added to the result, and objects that may leave it.
///
/// Besides changes of the requested objects these are changes of others that the condition or the order depends on.
struct FetchOverlay {
    private let inserted: [ManagedObject]
    /// Objects whose place in the store's result may be wrong: changed ones, and those that refer to changes.
    private let revised: OrderedMembers<ManagedObject>
    /// Those of them that weren't changed themselves.
    private let dependents: [ManagedObject]
    private let tree: KeyPathTree
    /// The number of the store's rows that may not be in the result.
    private let excludedCount: Int
    private let predicate: ObjectPredicate?
    private let search: Search?

    init(_ request: StoreFetchRequest, of context: ManagedObjectContext) throws(GraphError) {
        let entity = request.entity
        let stores = request.affectedStores
        func concerns(_ object: ManagedObject) -> Bool {
            guard request.includesSubentities ? object.entity.isKind(of: entity) : object.entity == entity else {
                return false
            }
            guard let stores else { return true }
            let store = object.objectID.storeIdentifier ?? context.pending.assignments[object.objectID]
            return store.map(stores.contains) ?? true
        }
        inserted = context.inserted.filter(concerns)
        let predicate = request.predicate
        let order = request.sortDescriptors
        tree = KeyPathTree(from: entity, predicate: predicate, order: order, table: request.table, in: context.model)
        dependents = try context.objectsReachingPendingChanges(along: tree).filter(concerns)
        revised = OrderedMembers(context.updated.filter(concerns) + dependents)
        excludedCount = revised.count + context.deleted.filter(concerns).count
        self.predicate = predicate
        search = request.search
    }

    var isEmpty: Bool { inserted.isEmpty && excludedCount == 0 }

    var insertedCount: Int { inserted.count }

    /// The number of the stores' rows that may be different here.
    var revisedCount: Int { excludedCount }

    /// The request without its window, which is applied later, and with a limit that allows for withdrawn rows.
    func widened(_ request: StoreFetchRequest) -> StoreFetchRequest {
        request.widened(by: excludedCount)
    }

    /// The matching objects of the store's and of the pending ones.
    func matching(_ stored: [ManagedObject], in context: ManagedObjectContext) throws(GraphError) -> [ManagedObject] {
        let present = try present(in: context)
        var meter = WorkMeter()
        var answer = OrderedMembers<ManagedObject>()
        for object in stored where !object.isDeleted && (!revised.contains(object) || present.contains(object)) {
            try meter.step()
            answer.append(object)
        }
        for object in present { answer.append(object) }
        return answer.members
    }

    /// The same without creating objects for rows that no change affects.
    func matching(_ stored: [Snapshot], in context: ManagedObjectContext) throws(GraphError) -> [ResultObject] {
        let present = try present(in: context)
        let untouched = stored.filter { isUntouched($0.objectID, present, in: context) }
        let rows = StoredRows(untouched, of: context.source)
        return untouched.map { .stored(StoredObject(snapshot: $0, rows: rows)) } + present.map(ResultObject.pending)
    }

    /// The number of matching objects, the store's and the pending ones.
    func count(_ stored: [ManagedObjectID], in context: ManagedObjectContext) throws(GraphError) -> Int {
        let present = try present(in: context)
        return stored.count { isUntouched($0, present, in: context) } + present.count
    }

    /// Whether the store's object is in the result and no change affects it.
    private func isUntouched(
        _ objectID: ManagedObjectID,
        _ present: OrderedMembers<ManagedObject>,
        in context: ManagedObjectContext
    ) -> Bool {
        guard let object = context.registered[objectID] else { return true }
        return !object.isDeleted && !revised.contains(object) && !present.contains(object)
    }

    /// The objects affected by changes that match.
    private func present(in context: ManagedObjectContext) throws(GraphError) -> OrderedMembers<ManagedObject> {
        try context.prefetch(along: tree, of: dependents)
        let evaluator = Evaluator.limited()
        var meter = WorkMeter()
        var present = OrderedMembers<ManagedObject>()
        for object in revised.members + inserted {
            try meter.step()
            do {
                if let predicate, try !evaluator.matches(predicate, object) { continue }
                if let search, try !search.admits(object) { continue }
            } catch {
                throw .evaluation(error)
            }
            present.append(object)
        }
        return present
    }
}

/// An object of a result: from the context if a change affects it, else as stored.
enum ResultObject: KeyValueObject {
    case pending(ManagedObject)
    case stored(StoredObject)

    var reference: ObjectReference? {
        switch self {
        case .pending(let object): object.reference
        case .stored(let object): object.reference
        }
    }

    func isUntyped(_ key: String) -> Bool {
        switch self {
        case .pending(let object): object.isUntyped(key)
        case .stored(let object): object.isUntyped(key)
        }
    }

    func operand(forKey key: String) throws -> Operand? {
        switch self {
        case .pending(let object): try object.operand(forKey: key)
        case .stored(let object): try object.operand(forKey: key)
        }
    }
}

extension StoreFetchRequest {
    /// The request from the beginning of its window, with a larger limit.
    func widened(by count: Int = 0) -> StoreFetchRequest {
        var widened = self
        widened.offset = 0
        widened.limit = limit.flatMap { limit in
            let (most, isTooMany) = limit.addingReportingOverflow(offset)
            let (more, isTooManyMore) = most.addingReportingOverflow(count)
            return isTooMany || isTooManyMore ? nil : more
        }
        return widened
    }
}
