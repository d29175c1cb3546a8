// SPDX-License-Identifier: Apache-2.0

// Changes by other clients, reported as events.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Events of editing contexts")
struct ContextEventTests {
    @Test("an event lists the changes of a merge, their source, and the conflicting properties")
    func events() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let staying = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            let faults = try world.reference("Post", "Faults")
            for path in [context, staying] {
                _ = try world.send(.patch, "\(path)/\(faults)", #"{"title":"Mine"}"#)
            }
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let asJSON = HTTPRequest(.get, "\(context)/events", fields: [.accept: "application/json"])
            #expect(world.api.respond(to: asJSON).status == .notAcceptable)
            let (listener, other, below) = (Listener(), Listener(), Listener())
            try listener.listen(to: context, of: world.api)
            try other.listen(to: staying, of: world.api)
            try below.listen(to: child, of: world.api)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs","views":5}"#)
            _ = try world.send(.post, "/api/posts/batch-update", "{\"where\":\"views = 5\",\"set\":{\"views\":6}}")
            let made = try #require(try world.send(.post, "/api/tags", #"{"name":"x"}"#)["_id"]?.string)
            _ = try world.send(.delete, "/api/\(made)")
            // After a request to each context, everything before has been merged.
            for path in [context, staying] { _ = try world.get(path) }
            for events in [listener.events, other.events] {
                #expect(events.count == 4)
                try #require(events.count == 4)
                #expect(events[0]["updated"]?[0]?["_id"]?.string == faults)
                #expect(events[0]["updated"]?[0]?["properties"]?.array?.contains("title") == true)
                #expect(events[0]["updated"]?[0]?["properties"]?.array?.contains("views") == true)
                #expect(events[0]["updated"]?[0]?["conflict"] == ["title"])
                #expect(events[0]["source"] == "save")
                #expect(events[1]["source"] == "batch-update")
                #expect(events[1]["updated"]?[0]?["_id"]?.string == faults)
                #expect(events[1]["updated"]?[0]?["properties"]?.array?.contains("views") == true)
                #expect(events[2]["inserted"]?[0]?.string == made)
                #expect(events[3]["deleted"]?[0]?.string == made)
            }
            let told = below.events.map { $0["updated"]?[0]?["properties"]?.array?.compactMap(\.string) }
            #expect(told.first??.contains("title") == true, "\(below.events)")
            #expect(told.dropFirst().first??.contains("views") == true)
            listener.isGone.store(true, ordering: .relaxed)
            _ = try world.send(.patch, "/api/\(faults)", #"{"views":9}"#)
            _ = try world.get(context)
            #expect(listener.events.count == 4)
        }
    }

    @Test("an event lists exactly the changed properties of each object, including those changed through other rows")
    func properties() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let (listener, below) = (Listener(), Listener())
            try listener.listen(to: context, of: world.api)
            try below.listen(to: child, of: world.api)
            func reference(_ entity: String, _ name: String) throws -> String { try world.reference(entity, name) }
            let (faults, undo) = (try reference("Post", "Faults"), try reference("Post", "Undo"))
            let merging = try reference("Post", "Merging")
            let (anna, bea, cem) = (
                try reference("User", "Anna"), try reference("User", "Bea"), try reference("User", "Cem")
            )
            let group = try #require(try world.get("/api/Group")["items"]?[0]?["_id"]?.string)
            let (core, comment) = (try reference("Tag", "core"), try reference("Comment", "Well said."))
            let tagged = try #require(try world.get("/api/\(core)/posts")["items"]?.array).compactMap {
                $0["_id"]?.string
            }

            func check(
                _ method: HTTPMethod,
                _ path: String,
                _ body: String?,
                _ expected: [String: Set<String>],
                _ place: SourceLocation = #_sourceLocation
            ) throws {
                let answer = try world.send(method, "/api/\(path)", body)
                #expect([200, 201, 204].contains(answer.status), "\(answer.text)", sourceLocation: place)
                _ = try world.get(context)
                for events in [listener.events, below.events] {
                    let event = try #require(events.last, sourceLocation: place)
                    #expect(event.updated == expected, "\(path) \(event)", sourceLocation: place)
                    #expect(event["incomplete"] == nil, "\(path) \(event)", sourceLocation: place)
                }
            }
            let setting = "\"set\":{\"author\":\"\(cem)\",\"views\":77}"
            try check(
                .post,
                "posts/batch-update",
                "{\"where\":\"title IN %@\",\"args\":[[\"Faults\",\"Merging\"]],\(setting)}",
                [
                    faults: ["author", "views"], merging: ["author", "views"], anna: ["posts"], bea: ["posts"],
                    cem: ["posts"],
                ]
            )
            try check(
                .post,
                "posts/batch-update",
                #"{"where":"title = %@","args":["Undo"],"set":{"title":"Redo"}}"#,
                [undo: ["title", "foldedTitle"]]
            )
            let rows = "[{\"text\":\"a\",\"post\":\"\(undo)\",\"author\":\"\(anna)\"}]"
            try check(.post, "comments/batch-insert", rows, [undo: ["comments", "commentCount"], anna: ["comments"]])
            try check(.post, "pages/batch-insert", "[{\"post\":\"\(undo)\"}]", [undo: ["pages"]])
            try check(.post, "posts/batch-insert", "[{\"tags\":[\"\(core)\"]}]", [core: ["posts"]])
            try check(
                .post,
                "comments/batch-delete",
                "{\"ids\":[\"\(comment)\"]}",
                [faults: ["comments", "commentCount"], cem: ["comments"]]
            )
            let others = try #require(
                try world.get("/api/posts?where=ANY tags.name = 'core' AND title = 'Untitled'")["items"]?[0]?["_id"]?
                    .string
            )
            let posts = Dictionary(uniqueKeysWithValues: (tagged + [others]).map { ($0, Set(["tags"])) })
            try check(.post, "tags/batch-delete", "{\"ids\":[\"\(core)\"]}", posts)
            try check(.post, "pages/batch-delete", "{\"where\":\"post.title = 'Redo'\"}", [undo: ["pages"]])

            let data = try reference("Tag", "data")
            try check(.patch, undo, "{\"tags\":{\"remove\":[\"\(data)\"]}}", [undo: ["tags"], data: ["posts"]])
            try check(.patch, undo, "{\"author\":\"\(bea)\"}", [undo: ["author"], anna: ["posts"], bea: ["posts"]])
            try check(.patch, bea, #"{"groups":[]}"#, [bea: ["groups"], group: ["members"]])
            try check(
                .post,
                "comments",
                "{\"text\":\"b\",\"post\":\"\(faults)\"}",
                [faults: ["comments", "commentCount"]]
            )
            let made = try #require(try world.get("/api/comments?text=b")["items"]?[0]?["_id"]?.string)
            try check(.patch, made, #"{"text":"c"}"#, [made: ["text"]])
            try check(.delete, made, nil, [faults: ["comments", "commentCount"]])
        }
    }

    @Test("an event reports no conflict for to-many relationships, since they are merged", arguments: [true, false])
    func members(merges: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext("{\"automaticallyMergesChanges\":\(merges)}")
            let listener = Listener()
            try listener.listen(to: context, of: world.api)
            let undo = try world.reference("Post", "Undo")
            for (path, tag) in [(context, "core"), ("/api", "data")] {
                let body = "{\"tags\":{\"remove\":[\"\(try world.reference("Tag", tag))\"]}}"
                #expect(try world.send(.patch, "\(path)/\(undo)", body).status == 200)
            }
            _ = try world.get(context)
            let updates = try #require(listener.events.last?["updated"]?.array)
            let update = try #require(updates.first { $0["_id"]?.string == undo })
            #expect(update["properties"] == ["tags"] && update["conflict"] == [])
        }
    }

    @Test("an event is marked incomplete after deletions with one-way relationships, and beyond its limit")
    func incomplete() throws {
        let model = Model {
            Entity("Team") { Relationship("players", toMany: "Player").optional() }
            Entity("Player") { Attribute("name", .string).optional() }
        }
        func nothing(_: PersistentStoreCoordinator) {}
        try APIWorld.each(model, filling: nothing) { world throws in
            let context = try world.openContext()
            let listener = Listener()
            try listener.listen(to: context, of: world.api)
            func check(_ expected: Bool, _ method: HTTPMethod, _ path: String, _ body: String? = nil) throws {
                _ = try world.send(method, "/api/\(path)", body)
                _ = try world.get(context)
                let event = try #require(listener.events.last)
                #expect(event["incomplete"] == (expected ? true : nil), "\(path) \(event)")
            }
            try check(false, .post, "Player", #"[{"name":"a"},{"name":"b"}]"#)
            let names = try #require(try world.get("/api/Player")["items"]?.array).compactMap { $0["_id"]?.string }
            try check(false, .post, "Team", "{\"players\":[\"\(names[0])\",\"\(names[1])\"]}")
            try check(false, .post, "Player/batch-update", #"{"all":true,"set":{"name":"c"}}"#)
            try check(true, .post, "Player/batch-delete", "{\"ids\":[\"\(names[0])\"]}")
            try check(true, .delete, names[1])
            try check(false, .post, "Team/batch-delete", #"{"all":true}"#)
            let rows = (0...1_000).map { _ in "{}" }.joined(separator: ",")
            try check(true, .post, "Player/batch-insert", "[\(rows)]")
            try check(true, .post, "Player/batch-update", #"{"all":true,"set":{"name":"d"}}"#)
            #expect(listener.events.last?["updated"]?.array?.count == 1_000)
        }
    }
}

extension JSONValue {
    /// The properties of an event's updated objects, by reference.
    fileprivate var updated: [String: Set<String>] {
        let pairs = (self["updated"]?.array ?? []).map { update in
            (update["_id"]?.string ?? "", Set((update["properties"]?.array ?? []).compactMap(\.string)))
        }
        return Dictionary(pairs) { $0.union($1) }
    }
}

/// A client that listens to events.
final class Listener: HTTPFeed {
    private let received = Mutex("")
    let isGone = Atomic(false)

    func listen(to context: String, of api: API, fields: HeaderFields = HeaderFields()) throws {
        var fields = fields
        // As browsers request it.
        fields[.accept] = "text/event-stream"
        let request = HTTPRequest(.get, "\(context)/events", fields: fields)
        let response = api.respond(to: request)
        #expect(response.fields[.contentType] == "text/event-stream")
        guard case .feed(let start) = response.body else {
            Issue.record("There is no feed.")
            return
        }
        start(self)
    }

    func send(_ bytes: [UInt8]) -> Bool {
        guard !isGone.load(ordering: .relaxed) else { return false }
        received.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        return true
    }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { body() }

    func end() {}

    var events: [JSONValue] {
        let blocks = received.withLock(\.self).split(separator: "\n\n")
        return blocks.compactMap { block in
            guard block.hasPrefix("event: merge\ndata: ") || block.hasPrefix("event:merge\ndata:") else { return nil }
            let data = block.drop { $0 != "{" }
            return try? JSONValue(parsing: Array(data.utf8))
        }
    }
}
