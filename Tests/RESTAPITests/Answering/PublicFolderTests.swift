// SPDX-License-Identifier: Apache-2.0

// Served files.

import AtomicStores
import Compression
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Public folder")
struct PublicFolderTests {
    private static let page =
        "<!doctype html><title>Pages</title>" + String(repeating: "<p>Again and again.", count: 100)

    /// Runs a test with an API over a folder that contains some pages.
    private static func withPages(
        _ body: (_ folder: String, _ get: (String, HeaderFields) throws -> Answer) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let pages = folder + "/Public"
            let manager = FileManager.default
            try manager.createDirectory(atPath: pages + "/guide", withIntermediateDirectories: true)
            for (name, text) in [
                ("Public/index.html", page), ("Public/app.js", "run()"), ("Public/.hidden", "no"),
                ("Public/guide/index.html", "guide"), ("Public/a b.txt", "spaces"), ("secret.txt", "secret"),
                ("Public/App.sqlite", "rows"),
            ] {
                try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
            }
            try manager.createSymbolicLink(atPath: pages + "/link.txt", withDestinationPath: folder + "/secret.txt")
            try manager.createSymbolicLink(atPath: pages + "/up", withDestinationPath: folder)
            try manager.linkItem(atPath: pages + "/App.sqlite", toPath: pages + "/guide/rows.txt")
            let model = try ManagedObjectModel(Blog.model)
            let coordinator = PersistentStoreCoordinator(model: model)
            try coordinator.add(InMemoryStore(model: model))
            let transport = try Transport(API(coordinator, pages: PublicFolder(pages, hiding: ["\(pages)/App.sqlite"])))
            try body(pages) { target, fields in
                try transport.answer(to: HTTPRequest(.get, target, fields: fields))
            }
        }
    }

    @Test("a page is served with its type, a tag and security fields")
    func serving() throws {
        try Self.withPages { _, get throws in
            let answer = try get("/", [:])
            #expect(answer.status == 200)
            #expect(answer.text == Self.page)
            #expect(answer.fields[.contentType] == "text/html; charset=utf-8")
            #expect(answer.fields[.etag] != nil)
            #expect(answer.fields[.lastModified].flatMap(HTTPDate.init) != nil)
            #expect(answer.fields[.cacheControl] == "no-cache")
            #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
            #expect(answer.fields["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
            #expect(answer.fields["Referrer-Policy"] == "no-referrer")
            #expect(answer.fields[.requestID] != nil)
            #expect(try get("/app.js", [:]).fields[.contentType] == "text/javascript; charset=utf-8")
            #expect(try get("/a%20b.txt", [:]).text == "spaces")
            #expect(try get("/index.html", [:]).text == Self.page)
        }
    }

    @Test("the files of stores are hidden, under any name")
    func storesInside() throws {
        try Self.withPages { _, get throws in
            for path in ["/App.sqlite", "/guide/rows.txt"] { #expect(try get(path, [:]).status == 404) }
        }
    }

    @Test("a folder's page has a path with a slash at the end")
    func folders() throws {
        try Self.withPages { _, get throws in
            #expect(try get("/guide/", [:]).text == "guide")
            let answer = try get("/guide?x=1", [:])
            #expect(answer.status == 308)
            #expect(answer.fields[.location] == "/guide/?x=1")
            #expect(try get("/app.js/", [:]).fields[.location] == "/app.js")
        }
    }

    @Test(
        "hidden files, files outside the folder and the targets of links aren't served",
        arguments: [
            "/.hidden", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/guide/../../secret.txt",
            "/link.txt", "/up/secret.txt", "/up/Public/index.html", "/none", "/guide/none", "/app.js/x", "/%00",
            "/app.js%00.txt", "//index.html", "/\\..\\secret.txt",
        ]
    )
    func nothingElse(target: String) throws {
        try Self.withPages { _, get throws in
            let answer = try get(target, [:])
            #expect(answer.status == 404 || answer.status == 400)
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(!answer.text.contains("secret text"))
            #expect(answer.text != "secret" && answer.text != "no" && answer.text != Self.page)
        }
    }

    @Test("a page can be revalidated by tag and by date, also compressed")
    func conditions() throws {
        try Self.withPages { folder, get throws in
            for encoding: HeaderFields in [[:], [.acceptEncoding: "gzip"]] {
                let first = try get("/", encoding)
                var fields = encoding
                fields[.ifNoneMatch] = first.fields[.etag]
                #expect(try get("/", fields).status == 304)
                var dated = encoding
                dated[.ifModifiedSince] = first.fields[.lastModified]
                #expect(try get("/", dated).status == 304)
            }
            let plain = try get("/", [:])
            let compressed = try get("/", [.acceptEncoding: "gzip"])
            #expect(compressed.fields[.contentEncoding] == "gzip")
            #expect(try compressed.bytes.inflated(.gzip, limit: 1 << 20) == plain.bytes)
            let tag = try #require(plain.fields[.etag])
            let compressedTag = try #require(compressed.fields[.etag])
            #expect(compressedTag == tag.dropLast() + "-gzip\"")
            // Each form is matched by either tag, and the response has the matching one.
            for encoding: HeaderFields in [[:], [.acceptEncoding: "gzip"]] {
                for known in [tag, compressedTag] {
                    var fields = encoding
                    fields[.ifNoneMatch] = known
                    let unchanged = try get("/", fields)
                    #expect(unchanged.status == 304, "\(known)")
                    #expect(unchanged.fields[.etag] == known)
                }
            }
            #expect(compressed.fields[.vary] == "Accept-Encoding" && plain.fields[.vary] == "Accept-Encoding")
            try Data("changed".utf8).write(to: URL(filePath: folder + "/index.html"))
            let known = try #require(plain.fields[.etag])
            #expect(try get("/", [.ifNoneMatch: known]).text == "changed")
        }
    }

    @Test("ranges of a file are served")
    func parts() throws {
        try Self.withPages { _, get throws in
            let answer = try get("/", [.range: "bytes=2-8"])
            #expect(answer.status == 206)
            #expect(answer.text == "doctype")
            #expect(try get("/", [.range: "bytes=99999-"]).status == 416)
        }
    }

    @Test("the API's own routes take precedence over files")
    func besideTheAPI() throws {
        try Self.withPages { folder, get throws in
            try FileManager.default.createDirectory(atPath: folder + "/api", withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: folder + "/api/index.html"))
            #expect(try get("/api", [:]).fields[.contentType] == "application/json")
        }
    }
}
