// SPDX-License-Identifier: Apache-2.0

// Explains how a fetch would be executed: `explain=true`.

import FoundationEssentials
import JSON
import ObjectGraph
import Predicates

extension API {
    /// For each store, the requests and the part that is evaluated in memory. These are the requests of `fetch` without
    /// `explain`; no objects are fetched.
    ///
    /// - Parameter context: The editing context; the explanation includes what it does about pending changes.
    func explanation(of plan: FetchPlan, in context: ManagedObjectContext?) throws -> JSONValue {
        var request = plan.table?.combinesObjects == false ? plan.rowRequest : plan.request
        if plan.result != .count { request.fetchLimit = limit(of: plan) + 1 }
        let requests =
            switch plan.result {
            case _ where plan.limit == 0: [FetchRequest<ManagedObject>]()
            case .count: [request]
            case .dictionary where plan.table?.combinesObjects == true: [request]
            case .dictionary, .objects, .ids: try parts(of: request, for: plan)
            }
        let result = plan.result.explained
        guard let context else {
            return json(of: try requests.flatMap { try coordinator.explain($0, for: result) }, pending: nil)
        }
        let explanations = try requests.map { try context.explain($0, for: result) }
        let inserted = explanations.map(\.inserted).max() ?? 0
        let revised = explanations.map(\.revised).max() ?? 0
        return json(
            of: explanations.flatMap(\.stores),
            pending: plan.includesPendingChanges ? Self.pending(inserted, revised) : "Pending changes are excluded."
        )
    }

    /// The explanation for members in the order of their relationship.
    func explanation(
        of request: RelatedRequest,
        along relationship: RelationshipDescription,
        of owner: ManagedObjectID,
        in context: ManagedObjectContext?
    ) throws -> JSONValue {
        let stores = try coordinator.explain(along: relationship, owner: owner, matching: request)
        let pending = context.map { context in
            context.hasChanges
                ? "Pending changes are applied to the members in memory: additions, removals, and changed objects."
                : Self.pending(0, 0)
        }
        return json(of: stores, pending: pending)
    }

    private static func pending(_ inserted: Int, _ revised: Int) -> String {
        guard inserted + revised > 0 else { return "No pending changes affect the fetch." }
        return
            "New objects evaluated in memory: \(inserted). Changed or deleted objects, and objects that refer to them: "
            + "\(revised); as many more are fetched from the stores. Sorting, offset and limit are applied in memory."
    }

    /// The requests for a page: one, or several after a cursor.
    private func parts(
        of request: FetchRequest<ManagedObject>,
        for plan: FetchPlan
    ) throws -> [FetchRequest<ManagedObject>] {
        if let cursor = plan.cursor {
            let start = try coordinator.read { reader in try keys(of: cursor, request: request, from: reader) }
            return try request.continuations(after: start, in: catalogue.model)
        }
        var first = request
        first.sortDescriptors = request.keyedSortDescriptors
        return [first]
    }

    private func json(of explanations: [FetchExplanation], pending: String?) -> JSONValue {
        var members: [(String, JSONValue)] = [("items", .array(explanations.map(\.json)))]
        if let pending { members.append(("pending", .string(pending))) }
        return .object(JSONObject(members))
    }
}

extension FetchPlan.Result {
    fileprivate var explained: FetchExplanation.Result {
        switch self {
        case .objects: .objects
        case .ids: .objectIDs
        case .count: .count
        case .dictionary: .table
        }
    }
}

extension FetchExplanation {
    fileprivate var json: JSONValue {
        .object([
            "store": .string(store.uuidString.lowercased()),
            "sql": statement.map(JSONValue.string) ?? .null,
            "bindings": .array(bindings.map(\.explained)),
            "plan": .array(queryPlan.map(JSONValue.string)),
            "usesIndex": .bool(usesIndex),
            "evaluatedInMemory": .array(evaluated.map { .string(PredicateReader.shown($0)) }),
        ])
    }
}

extension Value {
    /// A value in SQL notation.
    fileprivate var explained: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .double(let number): .double(number) ?? .null
        case .string(let text): .string(text)
        case .data(let data): .string(data.base64EncodedString())
        default: .null
        }
    }
}
