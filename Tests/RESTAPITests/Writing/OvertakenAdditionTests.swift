// SPDX-License-Identifier: Apache-2.0

// Changes while other requests change the same objects.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Changes that others overtake", .serialized)
struct OvertakenAdditionTests {
    static let model = Model {
        Entity("Counter", userInfo: ["path": "counters"]) {
            Attribute("name", .string)
            Attribute("count", .int64).default(0)
            Relationship("related", toMany: "Counter", inverse: "related").optional()
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

    private let api: API
    private let transport: Transport

    init() throws {
        let model = try ManagedObjectModel(Self.model)
        let coordinator = PersistentStoreCoordinator(model: model, classes: [Counter.self])
        try coordinator.add(InMemoryStore(model: model))
        api = try API(coordinator)
        transport = try Transport(api)
        _ = try send(.post, "/api/counters", "[{\"name\":\"a\"},{\"name\":\"b\"}]")
    }

    private func send(
        _ method: HTTPMethod,
        _ target: String,
        _ json: String,
        _ prefer: String = "",
        ifMatch: String? = nil
    ) throws -> Answer {
        var fields: HeaderFields = [.contentType: "application/json", .prefer: prefer]
        fields[.ifMatch] = ifMatch
        return try transport.answer(to: HTTPRequest(method, target, fields: fields, body: .bytes(Array(json.utf8))))
    }

    /// Lets another request overtake the first attempts of the next one.
    private func overtake(attempts: Int) {
        let rounds = Atomic(0)
        @Sendable func overtake() {
            guard rounds.add(1, ordering: .relaxed).newValue <= attempts else { return }
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
    }

    @Test(
        "an increment is based on the newest value, whatever the merge policy for unique values",
        arguments: ["overwrite", "object"]
    )
    func increment(_ policy: String) throws {
        overtake(attempts: 3)
        let body = "{\"name\":\"b\",\"count\":{\"$inc\":1}}"
        let answer = try send(.patch, "/api/counters/1", body, "merge=\(policy)")
        #expect(answer.status == 200)
        #expect(answer["count"] == 31)
        #expect(answer["name"] == "b")
    }

    @Test("a change that others overtake again and again is refused as an overload, not as a deadline")
    func endless() throws {
        overtake(attempts: .max)
        defer { Counter.interruption.withLock { $0 = nil } }
        let answer = try send(.patch, "/api/counters/1", "{\"count\":{\"$inc\":1}}")
        #expect(answer.status == 503)
        #expect(answer["code"] == "overload")
        #expect(answer.fields[.retryAfter] == "1")
    }

    @Test("a change of members is based on the version in If-Match until it is saved", arguments: [true, false])
    func members(_ hasPresentName: Bool) throws {
        let child = try send(.post, "/api/counters", "{\"name\":\"c\"}")["_id"]?.string ?? ""
        let body = "{\(hasPresentName ? "\"name\":\"a\"," : "")\"related\":{\"add\":[\"\(child)\"]}}"
        overtake(attempts: 1)
        let refused = try send(.patch, "/api/counters/1", body, ifMatch: "\"1\"")
        #expect(refused.status == 412)
        #expect(refused["current"]?["count"] == 10)
        #expect(try send(.patch, "/api/counters/1", body, ifMatch: "\"2\"").status == 200)
    }
}
