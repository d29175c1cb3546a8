// SPDX-License-Identifier: Apache-2.0

// How a fetch would be done: `explain=true`.

import FoundationEssentials
import JSON
import ObjectGraph
import Predicates

extension API {
    /// Store by store, what is asked of it and what is left to memory. Nothing is fetched. Of dictionaries and numbers it says how the
    /// objects are found that they are made of.
    func explanation(of plan: FetchPlan) throws -> JSONValue {
        var plan = plan
        let isOfObjects = plan.result == .objects || plan.result == .ids
        if !isOfObjects { (plan.table, plan.sortDescriptors) = (nil, []) }
        var request = plan.request
        if isOfObjects { request.sortDescriptors = request.keyedSortDescriptors }
        var requests = [request]
        if let cursor = plan.cursor {
            let start = try coordinator.read { reader in try keys(of: cursor, request, reader) }
            requests = try request.continuations(after: start)
        }
        let explanations = try requests.flatMap { try coordinator.explain($0) }
        return .object(["items": .array(explanations.map(\.json))])
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
