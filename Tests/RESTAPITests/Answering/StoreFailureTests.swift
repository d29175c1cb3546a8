// SPDX-License-Identifier: Apache-2.0

// Failing stores.

import AtomicStores
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Failing stores")
struct StoreFailureTests {
    /// The responses to a read and to a write, and the logged failures.
    private static func answers(_ failure: FailingStore.Failure) throws -> (answers: [Answer], told: [APIFailure]) {
        let model = try ManagedObjectModel(Blog.model)
        let store = FailingStore(InMemoryStore(model: model))
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try Blog.fill(coordinator)
        store.fail(failure)
        let told = Mutex<[APIFailure]>([])
        let transport = try Transport(API(coordinator) { failure in told.withLock { $0.append(failure) } })
        let body = HTTPRequestBody.bytes(Array("{\"name\":\"x\"}".utf8))
        let answers = [
            try transport.answer(to: HTTPRequest(.get, "/api/posts?where=views%20%3E%200")),
            try transport.answer(
                to: HTTPRequest(.post, "/api/tags", fields: [.contentType: "application/json"], body: body)
            ),
        ]
        return (answers, told.withLock(\.self))
    }

    @Test("a store's error is logged under the request ID, and the response doesn't reveal it")
    func unknown() throws {
        let (answers, told) = try Self.answers(FailingStore.Failure(graphCode: nil, description: "/secret/path"))
        #expect(told.map(\.requestID) == answers.map { $0.fields[.requestID] })
        #expect(told.map(\.method) == [.get, .post])
        #expect(told.map(\.target) == ["/api/posts?where=views%20%3E%200", "/api/tags"])
        #expect(told.allSatisfy { $0.reason.contains("/secret/path") })
        for answer in answers {
            #expect(answer.status == 500)
            #expect(answer["code"] == "internal")
            #expect(answer["requestId"]?.string == answer.fields[.requestID])
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test("a full disk is reported as such, without the store's error")
    func diskFull() throws {
        let (answers, told) = try Self.answers(
            FailingStore.Failure(graphCode: .diskFull, description: "/secret/path")
        )
        #expect(told.map(\.requestID) == answers.map { $0.fields[.requestID] })
        #expect(told.allSatisfy { $0.reason.contains("/secret/path") })
        for answer in answers {
            #expect(answer.status == 507)
            #expect(answer["code"] == "disk-full")
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test("an error while a response is streamed is logged under the response's request ID")
    func streaming() throws {
        let model = try ManagedObjectModel(Blog.model)
        let told = Mutex<[APIFailure]>([])
        let api = try API(PersistentStoreCoordinator(model: model)) { failure in told.withLock { $0.append(failure) } }
        let content = Content(length: 3, type: "text/plain", tag: EntityTag("1")) { _ in
            throw FailingStore.Failure(graphCode: nil, description: "/secret/path")
        }
        let response = HTTPResponse(.ok, body: .stream(length: 3) { try content.write(0..<3, to: $0) })
        let watched = api.reportingFailures(of: response, to: HTTPRequest(.get, "/file"), requestID: "mine")
        let refusal = #expect(throws: HTTPRefusal.self) { try Answer(watched, statements: nil) }
        #expect(refusal?.status == .internalServerError && refusal?.message.contains("secret") == false)
        #expect(told.withLock(\.self).map(\.requestID) == ["mine"])
        #expect(told.withLock(\.self).allSatisfy { $0.reason.contains("/secret/path") })
        let answer = try Answer(api.refusal(#require(refusal)), statements: nil)
        #expect(answer.fields[.requestID] == "mine" && answer["requestId"] == "mine")
    }
}
