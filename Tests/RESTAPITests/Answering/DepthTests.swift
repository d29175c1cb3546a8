// SPDX-License-Identifier: Apache-2.0

// Deeply nested JSON.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Deeply nested JSON")
struct DepthTests {
    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String

        init(_ name: String, _ text: String) { (testDescription, self.text) = (name, text) }
    }

    private static let bodies = [
        Body("arrays", String(repeating: "[", count: 200_000)),
        Body("objects", String(repeating: "{\"author\":", count: 100_000)),
        Body("related objects", "[" + String(repeating: "{\"author\":{\"posts\":[", count: 50_000)),
        Body("a value", "{\"title\":\"x\",\"extra\":" + arrays(1_000) + "}"),
    ]

    private static func arrays(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("deeply nested JSON is refused in every body", arguments: bodies)
    func inBodies(_ body: Body) throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            for (method, target) in [
                (HTTPMethod.post, "/api/posts"), (.patch, "/api/\(post)"), (.put, "/api/\(post)"),
                (.put, "/api/\(post)/author"), (.post, "/api/\(post)/tags"), (.post, "/api/posts/fetch"),
                (.post, "/api/posts/batch-insert"), (.post, "/api/posts/batch-update"),
                (.post, "/api/posts/batch-delete"), (.post, "/api/transaction"),
            ] {
                let answer = try world.send(method, target, body.text)
                #expect((400...422).contains(answer.status), "\(method) \(target): \(answer.text)")
                #expect(["malformed", "validation"].contains(answer["code"]?.string), "\(method) \(target)")
            }
            #expect(try world.count("Post") == 6)
        }
    }

    @Test("deeply nested JSON is refused as an argument", arguments: [200, 10_000])
    func inArguments(depth: Int) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?where=title == %25@&arg=\(Self.arrays(depth))")
            #expect(answer.status == (depth > 1_000 && Transport.isServer ? 414 : 400))
        }
    }
}
