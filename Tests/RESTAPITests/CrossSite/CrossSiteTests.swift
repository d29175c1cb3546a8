// SPDX-License-Identifier: Apache-2.0

// Pages of other sites: what they can't change and can't read.

import HTTPMessage
import HTTPTestClient
import JSON
import Testing

@testable import RESTAPI

@Suite("Pages of other sites")
struct CrossSiteTests {
    /// The fields that a browser sends for a page's request.
    struct Page: Sendable, CustomTestStringConvertible {
        let fields: HeaderFields

        init(_ fields: HeaderFields, andOrigin origin: String? = nil) {
            var fields = fields
            if let origin { fields.add("Origin", origin) }
            self.fields = fields
        }

        var testDescription: String { fields.all.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
    }

    private static let strangers = [
        Page(["Origin": "https://evil.example"]), Page(["Origin": "null"]), Page(["Origin": ""]),
        Page(["Sec-Fetch-Site": "cross-site"]), Page(["Sec-Fetch-Site": "same-site"]),
        Page(["Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"]),
        Page(["Origin": "http://localhost"], andOrigin: "https://evil.example"),
    ]

    @Test("pages of other sites can't write on any route, and the refusal names the setting", arguments: strangers)
    func writing(page: Page) throws {
        let ways = try DirectAndServedAPI()
        let operations = try ways.operations().filter { !$0.method.isReading }
        #expect(operations.count > 60)
        for (method, path) in operations {
            for body in [nil, "{}"] {
                try ways.send(method, path, page.fields, body) { answer in
                    #expect(answer.status == 403 && answer["code"] == "cross-site", "\(method) \(path)")
                    #expect(answer["hint"]?.string?.contains("--cors") == true)
                    #expect(answer.fields[.allowedOrigin] == nil)
                }
            }
        }
    }

    @Test("pages of other sites can't delete objects with a body that has no media type")
    func emptying() throws {
        let ways = try DirectAndServedAPI()
        let body = #"{"all":true}"#
        var count = 0
        try ways.send(.get, "/api/comments?result=count") { count = Int($0["count"]?.int64 ?? 0) }
        #expect(count > 0)
        let modern: HeaderFields = [
            "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors",
        ]
        try ways.send(.post, "/api/comments/batch-delete", modern, body) { #expect($0.status == 403) }
        // As older browsers send it, without the fields about its origin.
        try ways.send(.post, "/api/comments/batch-delete", [:], body) { #expect($0.status == 415) }
        try ways.send(.get, "/api/comments?result=count") { #expect($0["count"]?.int64 == Int64(count)) }
    }

    @Test("requests of other sites are answered, but without access for their pages", arguments: strangers)
    func reading(page: Page) throws {
        let ways = try DirectAndServedAPI()
        for (method, path) in try ways.operations() where method.isReading {
            try ways.send(method, path, page.fields) { answer in
                #expect(answer.status != 403, "\(path)")
                #expect(answer.fields.values(of: "Cross-Origin-Resource-Policy") == ["same-origin"], "\(path)")
                #expect(!answer.fields.all.contains { $0.name.lowercased().hasPrefix("access-control-") }, "\(path)")
            }
        }
    }

    @Test(
        "preflights of other sites are refused for any path",
        arguments: ["/api/tags", "/api/none", "/", "/api/contexts/c1/save"]
    )
    func preflight(path: String) throws {
        let ways = try DirectAndServedAPI()
        for method in ["GET", "POST", "DELETE"] {
            let fields: HeaderFields = [
                "Origin": "https://evil.example", "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": "content-type",
            ]
            try ways.send(.options, path, fields) { answer in
                #expect(answer.status == 403 && answer["code"] == "cross-site")
                #expect(answer["hint"]?.string?.hasSuffix("--cors https://evil.example") == true)
                #expect(!answer.fields.all.contains { $0.name.lowercased().hasPrefix("access-control-") })
            }
        }
        try ways.send(.options, "/api/tags", ["Origin": "https://evil.example"]) { #expect($0.status == 204) }
    }

    @Test(
        "the server's own pages are recognized by the requested host name",
        arguments: [
            ("localhost:8080", "http://localhost:8080", true), ("127.0.0.1:8080", "http://127.0.0.1:8080", true),
            ("[::1]:8080", "http://[::1]:8080", true), ("LOCALHOST", "http://localhost", true),
            ("app.example", "https://app.example", true), ("app.example:443", "https://app.example", true),
            ("localhost:8080", "http://127.0.0.1:8080", false), ("localhost:8080", "http://localhost:3000", false),
            ("localhost:8080", "http://localhost:8080/", false), ("localhost:8080", "localhost:8080", false),
            ("localhost:8080", "http://localhost:8080.evil.example", false),
            ("localhost:8080", "http://localhost:8080@evil.example", false), ("localhost", "file://", false),
            ("app.example", "https://www.app.example", false),
        ]
    )
    func ownPages(host: String, origin: String, isOwn: Bool) throws {
        let ways = try DirectAndServedAPI(hostNames: ["app.example"])
        let fields: HeaderFields = ["Host": host, "Origin": origin, "Content-Type": "application/json"]
        try ways.send(.post, "/api/tags?dryRun=true", fields, #"{"name":"own"}"#) { answer in
            #expect(answer.status == (isOwn ? 201 : 403), "\(answer.text)")
        }
    }

    @Test("requests that aren't from other sites' pages are accepted", arguments: ["same-origin", "none", nil])
    func noPages(site: String?) throws {
        let ways = try DirectAndServedAPI()
        var fields: HeaderFields = ["Content-Type": "application/json"]
        fields["Sec-Fetch-Site"] = site
        try ways.send(.post, "/api/tags?dryRun=true", fields, #"{"name":"own"}"#) { #expect($0.status == 201) }
        fields[.contentType] = nil
        try ways.send(.post, "/api/contexts", fields) { #expect($0.status == 201) }
    }

    @Test("requests of other sites are refused before the body arrives and on the event loop")
    func early() throws {
        let ways = try DirectAndServedAPI()
        let request = HTTPRequest(.post, "/api/posts/batch-insert", fields: ["Origin": "https://evil.example"])
        guard case .refuse(let refused) = ways.api.reception(of: request) else {
            Issue.record("The body was let in.")
            return
        }
        #expect(refused.status == .forbidden)
        #expect(ways.api.respondImmediately(to: request)?.status == .forbidden)
        let head = """
            POST /api/posts/batch-insert HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n\
            Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n
            """
        #expect(try ways.server.client().request(head).status == 403)
    }
}
