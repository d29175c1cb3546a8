// SPDX-License-Identifier: Apache-2.0

// How a fetch would be done: `explain=true`.

import FoundationEssentials
import JSON
import ObjectGraph
import Predicates

extension API {
    /// Store by store, what is asked of it and what is left to memory: what `fetch` asks without `explain`, of which nothing is
    /// fetched here.
    func explanation(of plan: FetchPlan) throws -> JSONValue {
        if plan.limit == 0 { return json(of: []) }
        var request = plan.request
        if plan.result != .count { request.fetchLimit = limit(of: plan) + 1 }
        switch plan.result {
        case .count: return json(of: try coordinator.explain(request, for: .count))
        case .dictionary: return json(of: try coordinator.explain(request, for: .table))
        case .objects: return json(of: try parts(of: request, plan).flatMap { try coordinator.explain($0) })
        case .ids:
            return json(of: try parts(of: request, plan).flatMap { try coordinator.explain($0, for: .objectIDs) })
        }
    }

    /// The same of members in the order of their relationship.
    func explanation(
        of request: RelatedRequest,
        along relationship: RelationshipDescription,
        of owner: ManagedObjectID
    ) throws -> JSONValue {
        json(of: try coordinator.explain(along: relationship, owner: owner, matching: request))
    }

    /// The requests for a page: one, or those for what comes behind a cursor.
    private func parts(
        of request: FetchRequest<ManagedObject>,
        _ plan: FetchPlan
    ) throws -> [FetchRequest<ManagedObject>] {
        if let cursor = plan.cursor {
            let start = try coordinator.read { reader in try keys(of: cursor, request, reader) }
            return try request.continuations(after: start)
        }
        var first = request
        first.sortDescriptors = request.keyedSortDescriptors
        return [first]
    }

    private func json(of explanations: [FetchExplanation]) -> JSONValue {
        .object(["items": .array(explanations.map(\.json))])
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
    /// A value as SQL has it.
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
