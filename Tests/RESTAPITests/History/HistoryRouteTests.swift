// SPDX-License-Identifier: Apache-2.0

// Reading, streaming and trimming the history.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Routes of the history")
struct HistoryRouteTests {
    @Test("an author that can't be read is refused, since the change would be recorded without one")
    func unreadableAuthors() throws {
        try APIWorld.each { world throws in
            let tag = try world.reference("Tag", "core")
            for author in ["anna@example.com", "Anna Smith", "a/b", "\"Anna", "Zoë", ""] {
                let fields: HeaderFields = [.prefer: "return=minimal, Author=\(author)"]
                let answer = try world.send(.patch, "/api/\(tag)", #"{"name":"x"}"#, fields: fields)
                #expect(answer.status == 400, "\(author): \(answer.text)")
                #expect(answer["hint"]?.string?.contains("double quotes") == true)
            }
            for field in [#"author="anna@example.com""#, "return=minimal,author=Anna", "author"] {
                let answer = try world.send(.patch, "/api/\(tag)", #"{"name":"x"}"#, fields: [.prefer: field])
                #expect([200, 204].contains(answer.status), "\(field): \(answer.text)")
            }
        }
    }

    @Test("a stream ends soon after the model has changed")
    func endingStreams() throws {
        try APIWorld.each { world throws in
            let replica = LiveReplica()
            try replica.listen("/api/history/stream", of: world.api)
            try world.api.prepareStreamsForMigration()
            #expect(replica.wait { $0.isEnded })
            #expect(replica.current.events.last?.name == "end")
        }
    }

    @Test("each write is a transaction with its author, its objects and their properties")
    func transactions() throws {
        try APIWorld.each { world throws in
            let start = try #require(try world.get("/api/history?limit=1000")["token"]?.string)
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", #"{"title":"New","views":3}"#, fields: ["X-Author": "Anna"])
            _ = try world.send(.delete, "/api/\(post)", fields: [.prefer: #"author="Bea""#])
            _ = try world.send(.post, "/api/posts/batch-update", #"{"all":true,"set":{"published":true}}"#)
            let answer = try world.get("/api/history?since=\(start)")
            #expect(answer.status == 200, "\(answer.text)")
            let transactions = try #require(answer["transactions"]?.array)
            #expect(transactions.map { $0["author"] } == ["Anna", "Bea", .null])
            #expect(
                transactions[0]["changes"] == [
                    [
                        "_id": .string(post), "_entity": "Post", "change": "updated",
                        "properties": ["foldedTitle", "title", "views"],
                    ]
                ]
            )
            let deleted = try #require(transactions[1]["changes"]?.array)
            #expect(deleted.contains { $0["_id"]?.string == post && $0["change"] == "deleted" })
            #expect(transactions[2]["changes"]?.array?.allSatisfy { $0["properties"] == ["published"] } == true)
            #expect(answer["more"] == false)
            #expect(answer["token"] == transactions[2]["token"])
            let time = try #require(transactions[0]["time"]?.string)
            #expect(Date(rfc3339: time) != nil)
            // One object's, also after its deletion.
            let own = try #require(try world.get("/api/\(post)/history?since=\(start)")["transactions"]?.array)
            #expect(own.map { $0["changes"]?[0]?["change"] } == ["updated", "deleted"])
            #expect(try world.get("/api/history?since=\(start)&object=\(post)")["transactions"]?.array == own)
        }
    }

    @Test("parameters select transactions and changes, and pages continue")
    func parameters() throws {
        try APIWorld.each { world throws in
            let all = try #require(try world.get("/api/history")["transactions"]?.array)
            let users = try #require(try world.get("/api/history?entity=users")["transactions"]?.array)
            #expect(users.count == 1)
            #expect(try world.get("/api/history?entity=Contact&kind=inserted")["transactions"]?.array?.count == 1)
            #expect(try world.get("/api/history?kind=deleted")["transactions"] == [])
            #expect(try world.get("/api/history?until=2001-01-01T00:00:00Z")["transactions"] == [])
            #expect(try world.get("/api/history?from=2001-01-01T00:00:00Z")["transactions"]?.array == all)
            let first = try world.get("/api/history?limit=1")
            #expect(first["more"] == true)
            #expect(first["transactions"]?.array == Array(all.prefix(1)))
            let token = try #require(first["token"]?.string)
            #expect(try world.get("/api/history?since=\(token)")["transactions"]?.array == Array(all.dropFirst()))
        }
    }

    @Test("what isn't a token, an entity or a kind is refused with a hint")
    func garbage() throws {
        try APIWorld.each { world throws in
            for query in [
                "since=x", "since=", "entity=Pots", "kind=update", "limit=1001", "limit=x", "from=yesterday",
                "object=7", "object=tags/abc", "limit=99999999999999999999",
                "from=2026-11-21", "from=2026-11-22T00:00:00Z&until=2026-11-21T00:00:00Z",
                "sinse=x",
            ] {
                let answer = try world.get("/api/history?\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer["code"] == "parameter", "\(query)")
            }
            #expect(try world.get("/api/history?entity=Pots")["hint"]?.string?.contains("Post") == true)
            #expect(
                try world.get("/api/history?limit=99999999999999999999")["detail"]
                    == "The parameter “limit” must not exceed 1000."
            )
            #expect(try world.get("/api/history/stream?limit=1").status == 400)
            #expect(try world.get("/api/tags/abc/history").status == 404)
            #expect(try world.get("/api/tags/0/history").status == 404)
            #expect(try world.get("/api/tags?asOf=x")["hint"]?.string?.contains("/api/tags/7?asOf=TOKEN") == true)
            #expect(try world.get("/api/history/x").status == 404)
            #expect(try world.send(.post, "/api/history", "{}").status == 405)
            let id = HTTPRequest(.get, "/api/history/stream", fields: ["Last-Event-ID": "x"])
            #expect(world.api.respond(to: id).status == .badRequest)
        }
    }

    @Test("consumers keep what they haven't read, and what was trimmed is gone")
    func trimming() throws {
        try APIWorld.each { world throws in
            let all = try #require(try world.get("/api/history")["transactions"]?.array)
            let tokens = all.compactMap { $0["token"]?.string }
            let path = "/api/history/consumers/search"
            #expect(try world.get(path).status == 404)
            for body in ["{}", "[]", #"{"token":7}"#, #"{"token":"x"}"#, #"{"token":"x","name":"y"}"#] {
                #expect(try world.send(.put, path, body).status == 400, "\(body)")
            }
            let registered = try world.send(.put, path, "{\"token\":\"\(tokens[1])\"}")
            #expect(registered.status == 200, "\(registered.text)")
            #expect(registered["token"]?.string == tokens[1])
            #expect(try world.get("/api/history/consumers")["items"]?.array?.map { $0["name"] } == ["search"])
            #expect(try world.send(.delete, "/api/history").status == 400)
            let trimmed = try world.send(.delete, "/api/history?before=\(tokens[3])")
            #expect(trimmed.json == ["trimmed": 2, "heldBy": ["search"]])
            let gone = try world.get("/api/history?since=\(tokens[0])")
            #expect(gone.status == 410)
            #expect(gone["code"] == "gone")
            let stream = HTTPRequest(.get, "/api/history/stream", fields: ["Last-Event-ID": tokens[0]])
            #expect(world.api.respond(to: stream).status == .gone)
            let late = try world.send(.put, path, "{\"token\":\"\(tokens[0])\"}")
            #expect(late.status == 410)
            #expect(late["hint"]?.string?.contains("register") == true)
            let post = try world.reference("Post", "Faults")
            let former = try world.get("/api/\(post)?asOf=\(tokens[0])")
            #expect(former.status == 410)
            #expect(former["hint"]?.string?.contains("“asOf”") == true)
            #expect(try world.get("/api/history?since=\(tokens[1])").status == 200)
            #expect(try world.send(.delete, path).status == 204)
            #expect(try world.send(.delete, path).status == 404)
            let rest = try world.send(.delete, "/api/history?before=\(tokens[3])")
            #expect(rest.json == ["trimmed": 2, "heldBy": []])
        }
    }

    @Test("a stream in which nothing is selected tells how far it has read, so that trimming costs it nothing")
    func quietStream() throws {
        var options = APIOptions()
        options.heartbeatInterval = .milliseconds(20)
        try APIWorld.each(options: options) { world throws in
            let listener = HistoryListener()
            try listener.listen("/api/history/stream?author=Nobody", of: world.api)
            let post = try world.reference("Post", "Faults")
            for views in 1...3 { _ = try world.send(.patch, "/api/\(post)", "{\"views\":\(views + 100)}") }
            let token = try #require(try world.get("/api/history?limit=0")["token"]?.string)
            let end = ContinuousClock.now + .seconds(60)
            while listener.lastEventID != token, ContinuousClock.now < end { usleep(2_000) }
            #expect(listener.lastEventID == token)
            _ = try world.send(.delete, "/api/history?before=\(token)")
            try HistoryListener().listen(
                "/api/history/stream?author=Nobody",
                after: listener.lastEventID,
                of: world.api
            )
        }
    }

    @Test("a stream sends each transaction once and in order, and continues after its last event")
    func stream() throws {
        try APIWorld.each { world throws in
            let listener = HistoryListener()
            try listener.listen("/api/history/stream", of: world.api)
            let post = try world.reference("Post", "Faults")
            for views in 1...5 { _ = try world.send(.patch, "/api/\(post)", "{\"views\":\(views + 100)}") }
            let events = try listener.events(5)
            #expect(events.allSatisfy { $0.data["changes"]?[0]?["_id"]?.string == post })
            #expect(events.map(\.id) == events.map { $0.data["token"]?.string })
            // The others are replayed to a client that has received two, and what follows is sent to it.
            let again = HistoryListener()
            try again.listen("/api/history/stream?kind=updated", after: events[1].id, of: world.api)
            #expect(try again.events(3).map(\.id) == events.dropFirst(2).map(\.id))
            _ = try world.send(.patch, "/api/\(post)", "{\"views\":0}")
            #expect(try again.events(4).count == 4)
            let filtered = HistoryListener()
            try filtered.listen("/api/history/stream?entity=Tag", after: events[1].id, of: world.api)
            _ = try world.send(.patch, "/api/\(post)", "{\"views\":1}")
            _ = try world.send(.post, "/api/tags", "{\"name\":\"x\"}")
            #expect(try filtered.events(1).map { $0.data["changes"]?[0]?["_entity"] } == ["Tag"])
        }
    }

    @Test("an object can be read as of a token if nothing requested has changed since")
    func asOf() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let before = try world.get("/api/\(post)")
            let token = try #require(try world.get("/api/history")["token"]?.string)
            #expect(try world.get("/api/\(post)?asOf=\(token)").json == before.json)
            _ = try world.send(.patch, "/api/\(post)", "{\"views\":1}")
            let tag = try #require(try world.send(.post, "/api/tags", "{\"name\":\"x\"}")["_id"]?.string)
            let gone = try world.get("/api/\(post)?asOf=\(token)")
            #expect(gone.status == 410)
            #expect(gone["properties"] == ["views"])
            let title = try world.get("/api/\(post)?asOf=\(token)&select=title")
            #expect(title["title"] == "Faults")
            #expect(title["_version"] == before["_version"])
            #expect(try world.get("/api/\(tag)?asOf=\(token)").status == 404)
            #expect(try world.get("/api/\(post)?asOf=x").status == 400)
            _ = try world.send(.delete, "/api/\(post)")
            #expect(try world.get("/api/\(post)?asOf=\(token)&select=title").status == 410)
        }
    }
}

/// Collects the events of a stream.
final class HistoryListener: HTTPFeed {
    struct Event {
        let id: String?
        let data: JSONValue
    }

    private let received = Mutex<[UInt8]>([])

    func send(_ bytes: [UInt8]) -> Bool {
        received.withLock { $0 += bytes }
        return true
    }

    func whenDrained(_ body: @escaping @Sendable () -> Void) { body() }

    func end() {}

    func listen(_ target: String, after last: String? = nil, of api: API) throws {
        var fields = HeaderFields()
        if let last { fields["Last-Event-ID"] = last }
        guard case .feed(let start) = api.respond(to: HTTPRequest(.get, target, fields: fields)).body else {
            throw NoFeed()
        }
        start(self)
    }

    struct NoFeed: Error {}

    /// The events so far, once there are as many as expected.
    func events(_ count: Int) throws -> [Event] {
        let end = ContinuousClock.now + .seconds(60)
        while all.count < count, ContinuousClock.now < end { usleep(2_000) }
        return all
    }

    /// The ID that the stream has sent last, with or without an event.
    var lastEventID: String? {
        let text = String(decoding: received.withLock(\.self), as: UTF8.self)
        return text.split(separator: "\n").last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    private var all: [Event] {
        let text = String(decoding: received.withLock(\.self), as: UTF8.self)
        return text.split(separator: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n")
            func value(_ name: String) -> String? {
                lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
            }
            guard value("event") == "transaction",
                let data = value("data").flatMap({ try? JSONValue(parsing: Array($0.utf8)) })
            else { return nil }
            return Event(id: value("id"), data: data)
        }
    }
}
