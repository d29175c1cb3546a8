// SPDX-License-Identifier: Apache-2.0

// What a context's pending changes make of a store's answer.

import FoundationEssentials
import Predicates

/// The pending changes that concern a request: objects that come to the answer, and such that may leave it.
///
/// Only changes of the objects asked for are looked at: that an object matches by what is pending of another one is not seen.
struct FetchOverlay {
    private let inserted: [ManagedObject]
    private let updated: [ManagedObject]
    /// How many of the store's rows may not be in the answer after all.
    private let withdrawn: Int
    private let predicate: ObjectPredicate?
    private let search: Search?

    init(_ request: StoreFetchRequest, of context: ManagedObjectContext) {
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
        updated = context.updated.filter(concerns)
        withdrawn = updated.count + context.deleted.filter(concerns).count
        (predicate, search) = (request.predicate, request.search)
    }

    var isEmpty: Bool { inserted.isEmpty && withdrawn == 0 }

    /// The request for as many of the store's objects as may be in the window, which is cut later.
    func widened(_ request: StoreFetchRequest) -> StoreFetchRequest {
        request.widened(by: withdrawn)
    }

    /// Those of the store's objects that match as they are here, and the others that do.
    func matching(_ stored: [ManagedObject]) throws(GraphError) -> [ManagedObject] {
        let evaluator = Evaluator.limited()
        func matches(_ object: ManagedObject) throws(GraphError) -> Bool {
            do {
                if let predicate, try !evaluator.matches(predicate, object) { return false }
                return try search?.admits(object) ?? true
            } catch {
                throw .evaluation(error)
            }
        }
        var answer = OrderedMembers<ManagedObject>()
        var meter = WorkMeter()
        for object in stored where !object.isDeleted {
            try meter.step()
            if object.isUpdated, try !matches(object) { continue }
            answer.append(object)
        }
        for object in updated + inserted {
            if try matches(object) { answer.append(object) }
        }
        return answer.members
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
