// SPDX-License-Identifier: Apache-2.0

// Pages of other sites that are allowed to use the API.

import HTTPMessage
import HTTPTestClient
import Testing

@testable import RESTAPI

@Suite("Pages of allowed origins")
struct AllowedOriginTests {
    private static let page: HeaderFields = [
        "Origin": "https://app.example", "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json",
    ]

    private func ways(
        _ origins: [String] = ["https://app.example", "http://localhost:3000"]
    ) throws -> DirectAndServedAPI {
        try DirectAndServedAPI(origins: origins)
    }

    /// Checks the fields that let a page read a response.
    private func checkIsShown(_ answer: Answer, to origin: String = "https://app.example") {
        #expect(answer.fields.values(of: "Access-Control-Allow-Origin") == [origin], "\(answer.status) \(answer.text)")
        #expect(answer.fields.list(of: .vary).contains("Origin"))
        let exposed = answer.fields.list(of: "Access-Control-Expose-Headers")
        for name in ["ETag", "Link", "Location", "X-Request-Id", "Retry-After", "Allow", "Content-Range"] {
            #expect(exposed.contains(name))
        }
    }

    @Test("a preflight allows every method and field of the API", arguments: ["/api/tags", "/api/none", "/"])
    func preflight(path: String) throws {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let fields: HeaderFields = [
                "Origin": "https://app.example", "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": "content-type,if-match,prefer",
            ]
            try ways().send(.options, path, fields) { answer in
                #expect(answer.status == 204 && answer.bytes.isEmpty)
                checkIsShown(answer)
                #expect(answer.fields.list(of: "Access-Control-Allow-Methods").contains(method))
                let sendable = answer.fields.list(of: "Access-Control-Allow-Headers")
                for name in ["Content-Type", "If-Match", "If-None-Match", "Prefer", "Idempotency-Key", "Authorization"]
                {
                    #expect(sendable.contains(name))
                }
                #expect(answer.fields["Access-Control-Max-Age"] != nil)
            }
        }
    }

    @Test("an allowed page can write and read responses, including problems")
    func writing() throws {
        let ways = try ways()
        try ways.send(.post, "/api/tags?dryRun=true", Self.page, #"{"name":"theirs"}"#) { answer in
            #expect(answer.status == 201)
            checkIsShown(answer)
        }
        try ways.send(.post, "/api/tags", Self.page, #"{"name":7}"#) { answer in
            #expect(answer.status == 422)
            checkIsShown(answer)
        }
        try ways.send(.get, "/api/none", Self.page) { answer in
            #expect(answer.status == 404)
            checkIsShown(answer)
        }
        try ways.send(.get, "/api/tags", ["Origin": "http://localhost:3000"]) { answer in
            checkIsShown(answer, to: "http://localhost:3000")
        }
    }

    @Test("an allowed page can read immediate, unchanged and streamed responses")
    func atOnce() throws {
        let ways = try ways()
        let origin: HeaderFields = ["Origin": "https://app.example"]
        var tag: String?
        try ways.send(.get, ways.post, origin) { tag = $0.fields[.etag] }
        for fields: HeaderFields in [[:], [.ifNoneMatch: tag ?? ""]] {
            let request = HTTPRequest(.get, ways.post, fields: HeaderFields(origin, fields))
            let atOnce = try #require(ways.api.respondImmediately(to: request))
            #expect(atOnce.status == (fields.count == 0 ? .ok : .notModified))
            try checkIsShown(Answer(atOnce, statements: nil))
        }
        for type in ["application/x-ndjson", "text/csv"] {
            try ways.send(.get, "/api/posts", HeaderFields(origin, [.accept: type])) { checkIsShown($0) }
        }
        let client = try ways.server.client()
        try client.send(
            "GET /api/contexts/c1/events HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\r\n"
        )
        var lines: [String] = []
        while case let line = try client.line(), !line.isEmpty { lines.append(line) }
        #expect(lines.contains("Access-Control-Allow-Origin: https://app.example"), "\(lines)")
    }

    @Test("an allowed page can read the server's own refusals")
    func refusals() throws {
        let head = """
            POST /api/tags HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n\
            Content-Type: application/json\r\nContent-Length: 104857600\r\n\r\n
            """
        let ways = try ways()
        let answer = try Answer(ways.server.client().request(head), statements: nil)
        #expect(answer.status == 413)
        checkIsShown(answer)
    }

    @Test("other origins get no access, and responses vary by origin")
    func others() throws {
        let ways = try ways()
        for origin in ["https://evil.example", "https://app.example:8443", "http://app.example", "null"] {
            let fields: HeaderFields = ["Origin": origin, "Content-Type": "application/json"]
            try ways.send(.post, "/api/tags", fields, #"{"name":"theirs"}"#) { #expect($0.status == 403) }
            try ways.send(.get, "/api/tags", fields) { answer in
                #expect(answer.status == 200 && answer.fields[.allowedOrigin] == nil)
                #expect(answer.fields.list(of: .vary).contains("Origin"))
            }
        }
        try ways.send(.get, "/api/tags") { answer in
            #expect(answer.fields[.allowedOrigin] == nil && answer.fields.list(of: .vary).contains("Origin"))
        }
    }

    @Test("any origin can be allowed", arguments: ["https://whatever.example", "null"])
    func any(origin: String) throws {
        let ways = try ways(["*"])
        let fields: HeaderFields = [
            "Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json",
        ]
        try ways.send(.post, "/api/tags?dryRun=true", fields, #"{"name":"theirs"}"#) { answer in
            #expect(answer.status == 201 && answer.fields[.allowedOrigin] == "*")
        }
        let preflight: HeaderFields = ["Origin": origin, "Access-Control-Request-Method": "DELETE"]
        try ways.send(.options, "/api/tags/1", preflight) { answer in
            #expect(answer.status == 204 && answer.fields[.allowedOrigin] == "*")
        }
    }
}

extension HeaderFields {
    /// The fields of both.
    fileprivate init(_ one: HeaderFields, _ other: HeaderFields) {
        self = one
        for field in other.all { add(FieldName(field.name), field.value) }
    }
}
