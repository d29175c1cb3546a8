// SPDX-License-Identifier: Apache-2.0

// Conditions for transactions and changes in the predicate language.

import FoundationEssentials
public import Predicates

/// The predicates of a request.
struct HistoryConditions {
    private let transaction: ObjectPredicate?
    private let change: ObjectPredicate?
    private let evaluator = Evaluator(now: .now)

    init(_ request: HistoryRequest) {
        transaction = request.predicate
        change = request.changePredicate
    }

    /// The transactions that match, with the changes that match. A transaction without changes is omitted.
    func filter(_ transactions: [HistoryTransaction]) throws(GraphError) -> [HistoryTransaction] {
        guard transaction != nil || change != nil else { return transactions }
        do {
            return try transactions.compactMap { transaction in
                if let condition = self.transaction {
                    guard try evaluator.matches(condition, transaction) else { return nil }
                }
                guard let change else { return transaction }
                var transaction = transaction
                transaction.changes = try transaction.changes.filter { candidate in
                    try evaluator.matches(change, ChangeOfTransaction(change: candidate, transaction: transaction))
                }
                return transaction.changes.isEmpty ? nil : transaction
            }
        } catch {
            throw GraphError(.invalidRequest, "The predicate can't be evaluated on the history: \(error)")
        }
    }
}

extension HistoryTransaction: KeyValueObject {
    public func operand(forKey key: String) -> Operand? {
        switch key {
        case "author": .value(author.map(Value.string) ?? .null)
        case "contextName": .value(contextName.map(Value.string) ?? .null)
        case "processID": .value(processID.map(Value.string) ?? .null)
        case "bundleID": .value(bundleID.map(Value.string) ?? .null)
        case "timestamp": .value(.date(timestamp))
        case "transactionNumber": .value(.integer(number))
        default: nil
        }
    }

    public var reference: ObjectReference? { nil }
}

/// A change as an object with its transaction.
private struct ChangeOfTransaction: KeyValueObject {
    let change: HistoryChange
    let transaction: HistoryTransaction

    func operand(forKey key: String) -> Operand? {
        switch key {
        case "changeID": .value(.integer(change.number))
        case "changeType": .value(.integer(Int64(change.kind.rawValue)))
        case "changedObjectID": .value(.reference(change.objectID.objectReference))
        case "changedEntity": .value(.string(change.objectID.entity.name))
        case "updatedProperties": .collection((change.properties ?? []).map { .value(.string($0)) })
        case "transaction": .object(transaction)
        default: nil
        }
    }

    var reference: ObjectReference? { nil }
}
