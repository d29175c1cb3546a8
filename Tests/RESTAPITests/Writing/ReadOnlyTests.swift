// SPDX-License-Identifier: Apache-2.0

// Writing to read-only stores.

import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Read-only stores")
struct ReadOnlyTests {
    @Test("a read-only store refuses every change with 405 and the allowed methods")
    func changes() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Blog.sqlite"
            let model = try ManagedObjectModel(Blog.model)
            let filled = PersistentStoreCoordinator(model: model)
            try filled.add(SQLiteStore(path: path, model: model))
            try Blog.fill(filled)
            let coordinator = PersistentStoreCoordinator(model: model)
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            try coordinator.add(SQLiteStore(path: path, model: model, options: options))
            let transport = try Transport(API(coordinator))
            let requests: [(HTTPMethod, String, String?)] = [
                (.post, "/api/tags", "{\"name\":\"x\"}"), (.patch, "/api/tags/1", "{\"name\":\"x\"}"),
                (.put, "/api/posts/1/author", "null"), (.delete, "/api/tags/1", nil),
                (.post, "/api/tags?dryRun=true", "{\"name\":\"x\"}"), (.delete, "/api/tags/1?dryRun=true", nil),
            ]
            for (method, path, json) in requests {
                let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
                let fields: HeaderFields = json == nil ? [:] : [.contentType: "application/json"]
                let batch = HTTPRequest(
                    .post,
                    "/api/tags/batch-delete",
                    fields: [.contentType: "application/json"],
                    body: .bytes(Array(#"{"all":true}"#.utf8))
                )
                #expect(try transport.answer(to: batch).fields[.allow] == "OPTIONS")
                let answer = try transport.answer(to: HTTPRequest(method, path, fields: fields, body: body))
                #expect(answer.status == 405)
                #expect(answer["code"] == "method")
                #expect(answer.fields[.allow] == "GET, HEAD, OPTIONS")
            }
            for (path, allowed) in [
                ("/api/tags", "GET, HEAD, OPTIONS"), ("/api/tags/1", "GET, HEAD, OPTIONS"),
                ("/api/tags/fetch", "POST, OPTIONS"), ("/api/tags/batch-delete", "OPTIONS"),
            ] {
                #expect(try transport.answer(to: HTTPRequest(.options, path)).fields[.allow] == allowed)
            }
            let answer = try transport.answer(to: HTTPRequest(.delete, "/api/tags"))
            #expect(answer.status == 405 && answer.fields[.allow] == "GET, HEAD, OPTIONS")
            #expect(answer["hint"] == "Allowed: GET, HEAD, OPTIONS.")
        }
    }
}
