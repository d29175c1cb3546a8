// SPDX-License-Identifier: Apache-2.0

// Random valid and invalid bodies, compared with a plain model of the stored objects.

import HTTPMessage
import JSON
import ObjectGraph
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Random writes")
struct WritingPropertyTests {
    private static func nothing(_ coordinator: PersistentStoreCoordinator) {}

    @Test(
        "random writes agree with a plain model or change nothing, and never cause an internal error",
        arguments: SeededGenerator.seeds(6)
    )
    func random(_ seed: UInt64) throws {
        try APIWorld.each(filling: Self.nothing) { world throws in
            var generator = SeededGenerator(seed: seed)
            var stored: [String: JSONObject] = [:]
            var users: [String] = []
            for name in ["Anna", "Bea"] {
                let made = try world.send(.post, "/api/users", "{\"name\":\"\(name)\"}")
                users.append(try #require(made["_id"]?.string))
            }
            for step in 0..<120 {
                let references = stored.keys.sorted()
                let isSane = Bool.random(using: &generator)
                var body = isSane ? Bodies.sane(users, &generator) : Bodies.wild(users + references, &generator)
                let target = references.randomElement(using: &generator)
                let method = [HTTPMethod.post, .patch, .put, .delete].randomElement(using: &generator) ?? .post
                let path = method == .post ? "/api/posts" : "/api/\(target ?? "posts/0")"
                if generator.chance(25) {
                    let (method, path, body) = Bodies.other(users, target ?? "posts/0", &generator)
                    let answer = try world.send(method, path, body.serialized())
                    #expect(answer.status < 500, "seed \(seed), step \(step): \(method) \(path) \(body) \(answer.text)")
                    for id in stored.keys {
                        let answer = try world.get("/api/\(id)")
                        stored[id] = answer.status == 200 ? answer.json?.object : nil
                    }
                    continue
                }
                let isDryRun = Int.random(in: 0..<6, using: &generator) == 0
                if !isSane, Int.random(in: 0..<20, using: &generator) == 0 { body = Bodies.nasty(&generator) }
                let text = method == .delete ? nil : body.serialized()
                let answer = try world.send(method, path + (isDryRun ? "?dryRun=true" : ""), text)
                #expect(
                    answer.status < 500,
                    "seed \(seed), step \(step): \(method) \(path) \(text ?? "") \(answer.text)"
                )
                if isSane, target != nil || method == .post {
                    #expect(answer.status < 300, "seed \(seed), step \(step): \(method) \(text ?? "") \(answer.text)")
                }
                guard !isDryRun, answer.status < 300 else { continue }
                switch method {
                case .delete: stored[target ?? ""] = nil
                case .post where body.array != nil:
                    for item in answer["items"]?.array ?? [] { stored[item["_id"]?.string ?? ""] = item.object }
                default:
                    let id = try #require(answer["_id"]?.string)
                    let shown = try #require(answer.json?.object)
                    if isSane, let object = body.object {
                        let before = method == .patch ? stored[id] ?? Bodies.defaults : Bodies.defaults
                        for name in Bodies.names {
                            #expect(
                                shown[name] == object[name] ?? before[name],
                                "seed \(seed), step \(step): \(method) \(name)"
                            )
                        }
                    }
                    stored[id] = shown
                }
                for (id, object) in stored {
                    let shown = try #require(try world.get("/api/\(id)").json?.object)
                    defer { stored[id] = shown }
                    // Objects nested in other bodies may change an object as well; valid bodies have none.
                    guard isSane else { continue }
                    var (now, expected) = (shown, object)
                    for name in ["_version", "commentCount", "_ids"] { (now[name], expected[name]) = (nil, nil) }
                    #expect(now == expected, "seed \(seed), step \(step): \(id)")
                }
            }
        }
    }
}

/// Bodies of posts.
private enum Bodies {
    static let names = [
        "title", "views", "published", "createdAt", "price", "score", "uuid", "link", "extra", "author",
    ]

    static let defaults: JSONObject = [
        "title": "Untitled", "views": 0, "published": false, "createdAt": nil, "price": nil, "score": nil, "uuid": nil,
        "link": nil, "extra": nil, "author": nil,
    ]

    /// Values in their shown form, so that the model needs no arithmetic.
    static func sane(_ users: [String], _ generator: inout SeededGenerator) -> JSONValue {
        let choices: [(String, [JSONValue])] = [
            ("title", ["x", "Ünï\u{0}cödé", "\\\"\n", "😀"]), ("views", [0, 1, .integer(Int64.max)]),
            ("published", [true, false]),
            ("createdAt", [nil, "1969-07-20T20:17:40.5Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]),
            ("price", [nil, "0.1", "-12345678901234567890123456789012345678", "1000"]),
            ("score", [nil, 0.1, -1e300, 1e-300]),
            ("uuid", [nil, "0d9f1c3e-6c3a-4bd3-8f6f-2f1d6d1e7a10"]), ("link", [nil, "", "urn:x", "not a uri"]),
            ("extra", [nil, [], ["a": ["b": [1, nil, true, "x"]]], "text", 1.5]),
            ("author", [nil] + users.map { JSONValue.string($0) }),
        ]
        var body = JSONObject()
        for (name, values) in choices where Int.random(in: 0..<3, using: &generator) == 0 {
            body[name] = values.randomElement(using: &generator)
        }
        return .object(body)
    }

    /// Members of any kind, some of them valid.
    static func wild(_ references: [String], _ generator: inout SeededGenerator) -> JSONValue {
        var body = sane(references, &generator).object ?? JSONObject()
        let names =
            names + [
                "tags", "pages", "comments", "picture", "rating", "titel", "_id", "_entity", "_version", "draft",
                "others",
            ]
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            body[names.randomElement(using: &generator) ?? ""] = value(references, 0, &generator)
        }
        let object = JSONValue.object(body)
        return Int.random(in: 0..<5, using: &generator) == 0 ? .array([object, .object(body)]) : object
    }

    /// Requests to relationship routes, and transactions.
    static func other(
        _ users: [String],
        _ post: String,
        _ generator: inout SeededGenerator
    ) -> (HTTPMethod, String, JSONValue) {
        let references = users + [post]
        let method = generator.chance(50) ? HTTPMethod.put : .post
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            let names = ["insert", "update", "delete", "id", "values", "version"]
            let operations = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                var operation = JSONObject()
                for _ in 0..<3 {
                    let isReference = generator.chance(50)
                    operation[names.randomElement(using: &generator) ?? ""] =
                        isReference ? .string(post) : value(references, 1, &generator)
                }
                if generator.chance(50) { operation = ["update": .string(post), "values": sane(users, &generator)] }
                return JSONValue.object(operation)
            }
            return (.post, "/api/transaction", ["operations": .array(operations)])
        case 1: return (.put, "/api/\(post)/author", value(references, 1, &generator))
        default:
            let name = ["tags", "pages", "comments"].randomElement(using: &generator) ?? "tags"
            return (method, "/api/\(post)/\(name)", value(references, 1, &generator))
        }
    }

    private static func value(_ references: [String], _ depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        let scalars: [JSONValue] = [
            nil, true, 0, -1, 1.5, 1e300, "", "x", "$a", "$b", "posts/0", "users/x", "tags/1", "AAEC",
            "2026-11-21T09:30:00Z",
            "\u{0}", "x-coredata://0D9F1C3E-6C3A-4BD3-8F6F-2F1D6D1E7A10/Post/p1", "x-coredata:///Post/t1", "Post",
            "Tag",
        ]
        switch Int.random(in: 0..<(depth > 4 ? 2 : 6), using: &generator) {
        case 0: return references.randomElement(using: &generator).map(JSONValue.string) ?? nil
        case 1, 2: return scalars.randomElement(using: &generator) ?? nil
        case 3:
            return .array(
                (0..<Int.random(in: 0..<3, using: &generator)).map { _ in value(references, depth + 1, &generator) }
            )
        default:
            let names = [
                "_id", "_entity", "name", "text", "title", "author", "posts", "tags", "post", "pages", "comments",
                "add",
                "remove", "move", "to", "$inc", "href", "groups",
            ]
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                object[names.randomElement(using: &generator) ?? ""] = value(references, depth + 1, &generator)
            }
            return .object(object)
        }
    }

    /// Bodies that aren't objects, or are nested too deeply.
    static func nasty(_ generator: inout SeededGenerator) -> JSONValue {
        var deep: JSONValue = ["name": "x"]
        for depth in 0..<60 { deep = depth % 2 == 0 ? ["posts": [deep]] : ["author": deep] }
        let all: [JSONValue] = [nil, 1, "x", [], [[]], [nil], deep, ["author": deep], ["": nil]]
        return all.randomElement(using: &generator) ?? nil
    }
}
