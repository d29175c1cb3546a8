// SPDX-License-Identifier: Apache-2.0

// Random parameters and bodies never cause an internal error.

import HTTPMessage
import JSON
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Garbage")
struct GarbageTests {
    private static let words = [
        "title", "views", "author", "author.name", "tags", "tags.name", "pages", "comments", "others", "draft", "extra",
        "picture",
        "_id", "_entity", "_version", "__hidden", "address.city", "uuid", "link", "price", "createdAt", "published",
        "==", "!=", "<", ">=", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH[cd]", "LIKE", "MATCHES", "AND", "OR", "NOT",
        "ANY", "ALL", "NONE",
        "%@", "%K", "%d", "%1$@", "%", "$X", "$FETCH_SOURCE", "SELF", "nil", "YES", "'text'", "\"", "'", "1",
        "-1.5e300", "9223372036854775808",
        "{1, 2}", "{", "}", "(", ")", "[", "]", "[FIRST]", "[SIZE]", "@count", ".@count", ".@sum", "@max.views", ".",
        ",", "-", "+", "*", "**",
        "count(_id)", "n:count(_id)", "max(views)", "n:", ":", "sum(title)", "SUBQUERY(tags, $t, $t.name == 'x')",
        "TERNARY(", "CAST('x', \"NSDate\")",
        "now()", "length:(title)", "uppercase:(", "random()", "(sort=name,limit=5)", "(where=name == %@)", "(limit=",
        "[cd]", "[x]",
        "true", "false", "0", "1000", "1001", "99999999999999999999", "objects", "ids", "count", "dictionary",
        "users/1", "posts/1", "posts/abc",
        "x-coredata://x/Post/p1", "[1,2]", "[\"a\"]", "[", "{\"_id\":\"users/1\"}", "é", "\u{0}", "\u{301}", "😀", "a%b",
        "", " ", "\n", "#x",
        "2026-11-21T09:30:00Z", "5A3FD6C8-0000-4000-8000-000000000000", "AAAA", "WyJpOSJd5ZsNCNP2fVw",
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...8, using: &random)
        let separator = random.chance(60) ? " " : random.chance(50) ? "" : ","
        return (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: separator)
    }

    private static func parameters(_ random: inout SeededGenerator) -> [(String, String)] {
        let names =
            FetchPlan.parameters + [
                "$X", "title", "author", "tags.name", "views", "VIEWS", "NAME",
            ]
        return (0..<Int.random(in: 1...6, using: &random)).map { _ in
            (names.randomElement(using: &random) ?? "", text(&random))
        }
    }

    private static let paths = [
        "/api/posts", "/api/Contact", "/api/users", "/api/posts/1", "/api/users/1/posts", "/api/posts/3/pages",
        "/api/posts/4/others",
        "/api/posts/1/author", "/api/queries/popular", "/api/queries/byAuthor",
    ]

    @Test("random parameters never cause a 500", arguments: SeededGenerator.seeds(6))
    func query(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let requests = (0..<250).map { _ in
            let query = Self.parameters(&random).map {
                "\(RequestTarget.encode(queryValue: $0))=\(RequestTarget.encode(queryValue: $1))"
            }
            return "\(Self.paths.randomElement(using: &random) ?? "")?\(query.joined(separator: "&"))"
        }
        try APIWorld.each { world throws in
            for target in requests {
                let answer = try world.get(target)
                #expect([200, 400, 404].contains(answer.status), "seed \(seed): \(target): \(answer.text)")
                #expect(answer.json != nil, "seed \(seed): \(target)")
            }
        }
    }

    @Test("random fetch bodies never cause a 500", arguments: SeededGenerator.seeds(4))
    func body(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bodies = (0..<150).map { _ in
            var body = JSONObject()
            for (name, text) in Self.parameters(&random) {
                body[name] = [
                    .string(text), .integer(text.utf8.count), .array([.string(text)]), .bool(true), .null,
                    .object(["_id": .string(text)]),
                ]
                .randomElement(using: &random)
            }
            if random.chance(70) {
                let count = Int.random(in: 0...3, using: &random)
                body["args"] = .array(
                    (0..<count).map { _ in
                        [
                            .string(Self.text(&random)), .integer(1), .null, .array([.integer(1), .string("x")]),
                            .object(["a": .null]),
                        ]
                        .randomElement(using: &random) ?? .null
                    }
                )
            }
            return JSONValue.object(body).serialized()
        }
        try APIWorld.each { world throws in
            for body in bodies {
                let answer = try world.send(.post, "/api/posts/fetch", body)
                #expect([200, 400].contains(answer.status), "seed \(seed): \(body): \(answer.text)")
            }
        }
    }
}
