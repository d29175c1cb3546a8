// SPDX-License-Identifier: Apache-2.0

// Stores that fail.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("A store that fails")
struct StoreFailureTests {
    private static func answers(_ failure: FailingStore.Failure) throws -> [Answer] {
        let model = try ManagedObjectModel(Blog.model)
        let store = FailingStore(InMemoryStore(model: model))
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try Blog.fill(coordinator)
        store.fail(failure)
        let transport = try Transport(API(coordinator))
        let body = HTTPRequestBody.bytes(Array("{\"name\":\"x\"}".utf8))
        return [
            try transport.answer(to: HTTPRequest(.get, "/api/posts?where=views%20%3E%200")),
            try transport.answer(
                to: HTTPRequest(.post, "/api/tags", fields: [.contentType: "application/json"], body: body)
            ),
        ]
    }

    @Test("is answered for without a word of what it says, by the ID under which the log has it")
    func unknown() throws {
        for answer in try Self.answers(FailingStore.Failure(graphCode: nil, description: "/secret/path")) {
            #expect(answer.status == 500)
            #expect(answer["code"] == "internal")
            #expect(answer["requestId"]?.string == answer.fields[.requestID])
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test("for want of room on its disk says so")
    func diskFull() throws {
        for answer in try Self.answers(FailingStore.Failure(graphCode: .diskFull, description: "/secret/path")) {
            #expect(answer.status == 507)
            #expect(answer["code"] == "disk-full")
            #expect(!answer.text.contains("secret"))
        }
    }
}
