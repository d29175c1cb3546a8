// SPDX-License-Identifier: Apache-2.0

// Answers requests for the history, its consumers and its trimming.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SourceText

extension API {
    func history(_ plan: HistoryPlan) throws -> Reply {
        let result = try coordinator.history(plan.resolved(in: self))
        var reply = Reply(
            .json([
                "transactions": .array(result.transactions.map(catalogue.json)),
                "token": .string(result.token.description), "more": .bool(result.hasMore),
            ])
        )
        reply.fields[.cacheControl] = "no-cache"
        return reply
    }

    /// Trims the history before a token.
    func trimHistory(through token: HistoryToken) throws -> Reply {
        let count = try coordinator.trimHistory(through: token)
        return Reply(.json(["trimmed": .integer(count)]))
    }

    func historyConsumers() throws -> Reply {
        let consumers = try coordinator.historyConsumers().sorted { $0.key < $1.key }
        return Reply(.json(["items": .array(consumers.map { Self.json(ofConsumer: $0, $1.token, $1.date) })]))
    }

    func historyConsumer(_ name: String) throws -> Reply {
        guard let consumer = try coordinator.historyConsumers()[name] else { throw Problem.noConsumer(name) }
        return Reply(.json(Self.json(ofConsumer: name, consumer.token, consumer.date)))
    }

    func setHistoryConsumer(_ name: String, to token: HistoryToken) throws -> Reply {
        try coordinator.setHistoryConsumer(name, to: token)
        return try historyConsumer(name)
    }

    func removeHistoryConsumer(_ name: String) throws -> Reply {
        try coordinator.removeHistoryConsumer(name)
        return Reply(.none, status: .noContent)
    }

    private static func json(ofConsumer name: String, _ token: HistoryToken, _ date: Date) -> JSONValue {
        [
            "name": .string(name), "token": .string(token.description),
            "time": DateText.text(date).map(JSONValue.string) ?? .null,
        ]
    }
}

extension Problem {
    static func noConsumer(_ name: String) -> Problem {
        Problem(.notFound, "The history has no consumer “\(name)”.", hint: "PUT registers one, with {\"token\": …}.")
    }
}

// MARK: Transactions as JSON

extension Catalogue {
    /// A transaction without what clients of this version of the model can't see.
    func json(_ transaction: HistoryTransaction) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("token", .string(transaction.token.description)),
            ("time", DateText.text(transaction.timestamp).map(JSONValue.string) ?? .null),
            ("author", transaction.author.map(JSONValue.string) ?? .null),
            ("context", transaction.contextName.map(JSONValue.string) ?? .null),
            ("changes", .array(transaction.changes.filter { shows($0.objectID) }.map(json))),
        ]
        if transaction.isPartial { members.append(("more", true)) }
        return .object(JSONObject(members))
    }

    private func json(_ change: HistoryChange) -> JSONValue {
        let resource = self[change.objectID.entity]
        var members: [(String, JSONValue)] = [
            ("_id", .string(reference(to: change.objectID))), ("_entity", .string(resource.name)),
            ("change", .string(change.kind.nameInAPI)),
        ]
        switch change.kind {
        case .insert: break
        case .update:
            let names = change.properties?.compactMap(resource.name(ofProperty:)).map(JSONValue.string)
            members.append(("properties", names.map(JSONValue.array) ?? .null))
        case .delete where !change.tombstone.isEmpty:
            let values = change.tombstone.sorted { $0.key < $1.key }.compactMap { name, value in
                resource.name(ofProperty: name).map { ($0, value.historyJSON) }
            }
            members.append(("tombstone", .object(JSONObject(values))))
        case .delete: break
        }
        return .object(JSONObject(members))
    }
}

extension Value {
    fileprivate var historyJSON: JSONValue {
        var buffer = JSONBuffer()
        buffer.write(self)
        return (try? JSONValue(parsing: buffer.bytes)) ?? .null
    }
}
