// SPDX-License-Identifier: Apache-2.0

// Whether the server can be sent requests: `GET /healthz` and `GET /readyz`.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import SourceText
import Synchronization

extension API {
    /// That the process lives and answers, which says nothing of its stores.
    static let health: JSONValue = ["status": "alive"]

    /// From now on readiness is denied, so that nobody sends new requests while those under way end.
    package func drain() { isDraining.set() }

    func readiness() throws(Problem) -> JSONValue {
        guard !isDraining.isSet else { throw .draining }
        let failures = coordinator.stores.compactMap { store in
            failure(of: store).map { reason in
                Problem.Detail(
                    code: "store",
                    message: "The store can't be used: \(reason)".asSentenceEnd,
                    extras: ["uuid": .string(store.identifier.uuidString)]
                )
            }
        }
        guard failures.isEmpty, !coordinator.stores.isEmpty else {
            var problem = Problem(.notReady, failures.isEmpty ? "There is no store." : "A store can't be used.")
            if access == nil { problem.errors = failures }
            problem.reason = failures.isEmpty ? nil : failures.map(\.message).joined(separator: " ")
            problem.fields = [.retryAfter: "5"]
            throw problem
        }
        return ["status": "ready"]
    }

    /// Why a store can't be read, past everything that is in memory, or why nothing that is saved would be found.
    private func failure(of store: any PersistentStore) -> String? {
        guard let entity = catalogue.model.entities.first else { return nil }
        let objectID = ManagedObjectID(entity: entity, store: store.identifier, reference: .integer(0))
        do {
            try store.checkPlace()
            _ = try store.snapshots(of: [objectID], at: nil)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension Problem {
    static var draining: Problem {
        var problem = Problem(.draining, "The server is shutting down and accepts no new requests.")
        problem.fields = [.retryAfter: "5"]
        return problem
    }
}
