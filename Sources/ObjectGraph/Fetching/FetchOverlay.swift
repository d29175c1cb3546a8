// SPDX-License-Identifier: Apache-2.0

// What a context's pending changes make of a store's answer.

import FoundationEssentials
import Predicates

/// The pending changes that concern a request: objects that come to the answer, and such that may leave it.
///
/// Besides what was changed of the objects asked for, that is what was changed of others to which the condition or the order leads.
struct FetchOverlay {
    private let inserted: [ManagedObject]
    /// What the store may have put elsewhere than where it belongs here: objects that were changed, and those that lead to changes.
    private let revised: OrderedMembers<ManagedObject>
    /// Those of them that were not changed themselves.
    private let leading: [ManagedObject]
    private let routes: FetchRoute
    /// How many of the store's rows may not be in the answer after all.
    private let withdrawn: Int
    private let predicate: ObjectPredicate?
    private let search: Search?

    init(_ request: StoreFetchRequest, of context: ManagedObjectContext) throws(GraphError) {
        let (entity, stores) = (request.entity, request.affectedStores)
        func concerns(_ object: ManagedObject) -> Bool {
            guard request.includesSubentities ? object.entity.isKind(of: entity) : object.entity == entity else {
                return false
            }
            guard let stores else { return true }
            let store = object.objectID.storeIdentifier ?? context.assignments[object.objectID]
            return store.map(stores.contains) ?? true
        }
        inserted = context.inserted.filter(concerns)
        let (predicate, order) = (request.predicate, request.sortDescriptors)
        routes = FetchRoute(from: entity, predicate, order, request.table, in: context.model)
        leading = try context.objectsLeadingToChanges(along: routes).filter(concerns)
        revised = OrderedMembers(context.updated.filter(concerns) + leading)
        withdrawn = revised.count + context.deleted.filter(concerns).count
        (self.predicate, search) = (predicate, request.search)
    }

    var isEmpty: Bool { inserted.isEmpty && withdrawn == 0 }

    var insertedCount: Int { inserted.count }

    /// How many rows of the stores may look otherwise here.
    var revisedCount: Int { withdrawn }

    /// The request for as many of the store's objects as may be in the window, which is cut later.
    func widened(_ request: StoreFetchRequest) -> StoreFetchRequest {
        request.widened(by: withdrawn)
    }

    /// Those of the store's objects that match as they are here, and the others that do.
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

    /// The same where no objects are to be made of rows that nothing pending concerns.
    func matching(_ stored: [Snapshot], in context: ManagedObjectContext) throws(GraphError) -> [SeenObject] {
        let present = try present(in: context)
        let untouched = stored.filter { isUntouched($0.objectID, present, in: context) }
        let rows = StoredRows(untouched, of: context.source)
        return untouched.map { .stored(StoredObject(snapshot: $0, rows: rows)) } + present.map(SeenObject.pending)
    }

    /// How many match of the store's objects as they are here, and of the others.
    func count(_ stored: [ManagedObjectID], in context: ManagedObjectContext) throws(GraphError) -> Int {
        let present = try present(in: context)
        return stored.count { isUntouched($0, present, in: context) } + present.count
    }

    /// Whether the store's object is in the answer, and nothing pending concerns it.
    private func isUntouched(
        _ objectID: ManagedObjectID,
        _ present: OrderedMembers<ManagedObject>,
        in context: ManagedObjectContext
    ) -> Bool {
        guard let object = context.registered[objectID] else { return true }
        return !object.isDeleted && !revised.contains(object) && !present.contains(object)
    }

    /// The objects that something pending concerns, and that match.
    private func present(in context: ManagedObjectContext) throws(GraphError) -> OrderedMembers<ManagedObject> {
        try context.prefetch(along: routes, of: leading)
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

/// An object of an answer: as the context has it where something pending concerns it, else as it is beneath.
enum SeenObject: KeyValueObject {
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
    /// The request for the window from its beginning, and some more.
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
