// SPDX-License-Identifier: Apache-2.0

// What bodies say of themselves.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Types of bodies")
struct ContentTypeTests {
    @Test("are missed on every route that writes, and for nothing that has no body")
    func missing() throws {
        let ways = try BothWays()
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
        "that pages send unasked are no JSON",
        arguments: [
            "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain;application/json", "text/plain, application/json",
        ]
    )
    func simple(type: String) throws {
        let ways = try BothWays()
        for path in [
            "/api/tags", "/api/tags/fetch", "/api/tags/batch-delete", "/api/tags/batch-insert", "/api/transaction",
        ] {
            try ways.send(.post, path, [.contentType: type], "{}") { answer in
                #expect(answer.status == 415, "\(path)")
                #expect(answer["hint"]?.string?.contains("curl") == true)
            }
        }
    }

    @Test("are JSON, patches, lines or bytes where these are understood")
    func known() throws {
        let ways = try BothWays()
        try ways.send(.put, "\(ways.post)/picture", [.contentType: "image/png"], "x") { #expect($0.status == 204) }
        let lines: HeaderFields = [.contentType: "application/x-ndjson"]
        try ways.send(.post, "/api/pages/batch-insert", lines, "{\"text\":\"a\"}\n{}\n") { #expect($0.status == 200) }
        let patch: HeaderFields = [.contentType: "application/merge-patch+json"]
        try ways.send(.patch, ways.post, patch, "{}") { #expect($0.status == 200) }
    }
}
