// SPDX-License-Identifier: Apache-2.0

// Media types of bodies.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Media types of bodies")
struct ContentTypeTests {
    @Test("a body without a media type is refused on every writing route, and a request without a body isn't")
    func missing() throws {
        let ways = try DirectAndServedAPI()
        for (method, path) in try ways.operations() where !method.isReading {
            for fields: HeaderFields in [[:], [.contentType: ""]] {
                try ways.send(method, path, fields, "{}") { answer in
                    #expect(answer.status == 415 && answer["code"] == "media-type", "\(method) \(path)")
                    #expect(answer["hint"]?.string?.contains("application/") == true)
                }
            }
        }
        try ways.send(.post, "/api/contexts") { #expect($0.status == 201) }
        try ways.send(.post, "/api/contexts/c1/undo") { #expect($0.status != 415) }
        try ways.send(.put, "\(ways.post)/picture") { #expect($0.status == 204) }
        try ways.send(.put, "\(ways.post)/picture", [:], "") { #expect($0.status == 204) }
    }

    @Test(
        "media types that a page can send without a preflight aren't accepted as JSON",
        arguments: [
            "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain;application/json", "text/plain, application/json",
        ]
    )
    func simple(type: String) throws {
        let ways = try DirectAndServedAPI()
        for path in [
            "/api/tags", "/api/tags/fetch", "/api/tags/batch-delete", "/api/tags/batch-insert", "/api/transaction",
        ] {
            try ways.send(.post, path, [.contentType: type], "{}") { answer in
                #expect(answer.status == 415, "\(path)")
                #expect(answer["hint"]?.string?.contains("curl") == true)
            }
        }
    }

    @Test("JSON, patches, lines and bytes are accepted where they are supported")
    func known() throws {
        let ways = try DirectAndServedAPI()
        try ways.send(.put, "\(ways.post)/picture", [.contentType: "image/png"], "x") { #expect($0.status == 204) }
        let lines: HeaderFields = [.contentType: "application/x-ndjson"]
        try ways.send(.post, "/api/pages/batch-insert", lines, "{\"text\":\"a\"}\n{}\n") { #expect($0.status == 200) }
        let patch: HeaderFields = [.contentType: "application/merge-patch+json"]
        try ways.send(.patch, ways.post, patch, "{}") { #expect($0.status == 200) }
    }
}
