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
        // Under access rules, only the histories of objects that can be read are answered.
        if access != nil, let target = plan.target { _ = try read { try row(target, from: $0) } }
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

    /// Trims the history before a token, and names the consumers that haven't read up to it.
    func trimHistory(through token: HistoryToken) throws -> Reply {
        let count = try coordinator.trimHistory(through: token)
        let holding = try coordinator.historyConsumers().filter { $0.value.token.isBehind(token) }.keys.sorted()
        return Reply(.json(["trimmed": .integer(count), "heldBy": .array(holding.map(JSONValue.string))]))
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
        let hint = "Read the objects again, with a new token read first, and register the consumer with that."
        try Problem.trimmed(hint: hint) { try coordinator.setHistoryConsumer(name, to: token) }
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

extension HistoryToken {
    /// Whether it is before another one in a store that it has a position in.
    fileprivate func isBehind(_ other: HistoryToken) -> Bool {
        stores.contains { store in
            guard let own = self[store], let end = other[store] else { return false }
            return own.transaction < end.transaction
        }
    }
}

extension Problem {
    /// Runs a closure that uses a token, with a hint for the case that the history doesn't have it any more.
    static func trimmed<Result>(hint: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as GraphError where error.code == .historyTrimmed {
            throw Problem(.gone, error.message, hint: hint)
        }
    }

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
