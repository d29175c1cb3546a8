// SPDX-License-Identifier: Apache-2.0

// What a context's pending changes make of a store's answer.

import FoundationEssentials
import Predicates
import SourceText

/// The pending changes that concern a request: objects that come to the answer, and such that may leave it.
struct FetchOverlay {
    private let inserted: [ManagedObject]
    private let updated: [ManagedObject]
    /// How many of the store's rows may not be in the answer after all.
    let withdrawn: Int
    private let predicate: ObjectPredicate?
    private let sortDescriptors: [ObjectSortDescriptor]
    private let includesPendingChanges: Bool
    private let offset: Int
    private let limit: Int
    private let evaluator = Evaluator(now: .now)

    init<Object>(_ request: FetchRequest<Object>, _ entity: EntityDescription, of context: ManagedObjectContext) {
        func concerns(_ object: ManagedObject) -> Bool {
            guard request.includesPendingChanges else { return false }
            return request.includesSubentities ? object.entity.isKind(of: entity) : object.entity == entity
        }
        inserted = context.inserted.filter(concerns)
        updated = context.updated.filter(concerns)
        withdrawn = updated.count + context.deleted.filter(concerns).count
        predicate = request.predicate
        sortDescriptors = request.sortDescriptors
        includesPendingChanges = request.includesPendingChanges
        offset = request.fetchOffset
        limit = request.fetchLimit
    }

    var isEmpty: Bool { inserted.isEmpty && withdrawn == 0 }

    /// The answer, with the pending changes laid over what the store has.
    func window(over stored: [ManagedObject]) throws(GraphError) -> [ManagedObject] {
        var answer = OrderedMembers<ManagedObject>()
        for object in stored {
            if includesPendingChanges {
                if object.isDeleted { continue }
                if object.isUpdated, try !matches(object) { continue }
            }
            answer.append(object)
        }
        for object in updated + inserted {
            if try matches(object) { answer.append(object) }
        }
        var objects = answer.members
        if !sortDescriptors.isEmpty {
            do {
                objects = try objects.sorted(by: sortDescriptors)
            } catch {
                throw .evaluation(error)
            }
        }
        let rest = objects.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    private func matches(_ object: ManagedObject) throws(GraphError) -> Bool {
        guard let predicate else { return true }
        do {
            return try evaluator.matches(predicate, object)
        } catch {
            throw .evaluation(error)
        }
    }
}

extension GraphError {
    static func evaluation(_ error: any Error) -> GraphError {
        if let error = error as? GraphError { return error }
        var wrapped = GraphError(.invalidRequest, "The predicate or the order can't be evaluated: \(error)")
        wrapped.underlying = error
        return wrapped
    }

    static func unknownKey(_ name: String, of entity: EntityDescription) -> GraphError {
        var error = GraphError(.unknownName, "\(entity.name) has no property “\(name)”.", property: name)
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        error.hint = Spelling.hint(for: name, among: names)
        return error
    }
}
