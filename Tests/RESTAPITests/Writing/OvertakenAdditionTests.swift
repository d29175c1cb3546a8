// SPDX-License-Identifier: Apache-2.0

// Increments while other requests change the numbers.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Increments with merge policies", .serialized)
struct OvertakenAdditionTests {
    static let model = Model {
        Entity("Counter", userInfo: ["path": "counters"]) {
            Attribute("name", .string)
            Attribute("count", .int64).default(0)
            UniquenessConstraint("name")
        }
    }

    /// An object that lets another save happen before it is saved.
    final class Counter: ManagedObject {
        static let interruption = Mutex<(@Sendable () -> Void)?>(nil)

        override func willSave() {
            let interruption = Self.interruption.withLock { interruption in
                defer { interruption = nil }
                return interruption
            }
            interruption?()
        }
    }

    @Test(
        "an increment is based on the newest value, whatever the merge policy for unique values",
        arguments: ["overwrite", "object"]
    )
    func increment(_ policy: String) throws {
        let model = try ManagedObjectModel(Self.model)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Counter.self])
        try coordinator.add(InMemoryStore(model: model))
        let api = try API(coordinator)
        let transport = try Transport(api)
        func send(_ method: HTTPMethod, _ target: String, _ json: String, _ prefer: String = "") throws -> Answer {
            let fields: HeaderFields = [.contentType: "application/json", .prefer: prefer]
            return try transport.answer(
                to: HTTPRequest(method, target, fields: fields, body: .bytes(Array(json.utf8)))
            )
        }
        _ = try send(.post, "/api/counters", "[{\"name\":\"a\"},{\"name\":\"b\"}]")
        // Another request overtakes each attempt of the first one but the last.
        let rounds = Atomic(0)
        @Sendable func overtake() {
            guard rounds.add(1, ordering: .relaxed).newValue <= 3 else { return }
            _ = api.respond(
                to: HTTPRequest(
                    .patch,
                    "/api/counters/1",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array("{\"count\":{\"$inc\":10}}".utf8))
                )
            )
            Counter.interruption.withLock { $0 = overtake }
        }
        Counter.interruption.withLock { $0 = overtake }
        let body = "{\"name\":\"b\",\"count\":{\"$inc\":1}}"
        let answer = try send(.patch, "/api/counters/1", body, "merge=\(policy)")
        #expect(answer.status == 200)
        #expect(answer["count"] == 31)
        #expect(answer["name"] == "b")
    }
}
