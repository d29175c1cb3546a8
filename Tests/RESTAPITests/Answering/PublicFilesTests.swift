// SPDX-License-Identifier: Apache-2.0

// Served files in memory.

import AtomicStores
import Compression
import HTTPMessage
import ObjectGraph
import Testing

@testable import RESTAPI

@Suite("Public files")
struct PublicFilesTests {
    private static let script = String(repeating: "run();\n", count: 500)
    private let transport: Transport

    init() throws {
        let model = try ManagedObjectModel(Blog.model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let files = PublicFiles([
            "index.html": Array("<!doctype html>".utf8), "parts/table.js": Array(Self.script.utf8), "empty.css": [],
        ])
        transport = try Transport(API(coordinator, pages: files))
    }

    private func get(_ target: String, _ fields: HeaderFields = [:]) throws -> Answer {
        try transport.answer(to: HTTPRequest(.get, target, fields: fields))
    }

    @Test("a file is served with its type, a strong tag and security fields, and without a date")
    func serving() throws {
        let answer = try get("/")
        #expect(answer.status == 200)
        #expect(answer.text == "<!doctype html>")
        #expect(answer.fields[.contentType] == "text/html; charset=utf-8")
        #expect(answer.fields[.etag]?.hasPrefix("\"") == true)
        #expect(answer.fields[.lastModified] == nil)
        #expect(answer.fields[.cacheControl] == "no-cache")
        #expect(answer.fields["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
        #expect(try get("/parts/table.js").fields[.contentType] == "text/javascript; charset=utf-8")
        #expect(try get("/empty.css").text == "")
    }

    @Test("a tag is that of the content, and files are revalidated by it")
    func tags() throws {
        let tag = try #require(try get("/parts/table.js").fields[.etag])
        #expect(try get("/").fields[.etag] != tag)
        #expect(try get("/parts/table.js", [.ifNoneMatch: tag]).status == 304)
    }

    @Test("a text is compressed, and a range of it is served")
    func forms() throws {
        let compressed = try get("/parts/table.js", [.acceptEncoding: "gzip"])
        #expect(compressed.fields[.contentEncoding] == "gzip")
        #expect(try compressed.bytes.inflated(.gzip, limit: 1 << 20) == Array(Self.script.utf8))
        let part = try get("/parts/table.js", [.range: "bytes=0-2"])
        #expect(part.status == 206)
        #expect(part.text == "run")
    }

    @Test("nothing else is served", arguments: ["/none", "/parts%2Ftable.js", "/parts", "/parts/", "/../index.html"])
    func nothingElse(target: String) throws {
        let answer = try get(target)
        #expect(answer.status == 404 || answer.status == 400)
    }
}
