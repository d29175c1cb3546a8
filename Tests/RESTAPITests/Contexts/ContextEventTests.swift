// SPDX-License-Identifier: Apache-2.0

// What others do, told as it happens.

import HTTPMessage
import JSON
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Events of editing contexts")
struct ContextEventTests {
    @Test("tell what each merge changed, by whom, and what is edited on both sides")
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
            try listener.listen(to: context, of: world)
            try other.listen(to: staying, of: world)
            try below.listen(to: child, of: world)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs","views":5}"#)
            _ = try world.send(.post, "/api/posts/batch-update", "{\"where\":\"views = 5\",\"set\":{\"views\":6}}")
            let made = try #require(try world.send(.post, "/api/tags", #"{"name":"x"}"#)["_id"]?.string)
            _ = try world.send(.delete, "/api/\(made)")
            // A request to each is enough to know that everything before was merged.
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
}

/// A client that listens.
private final class Listener: HTTPFeed {
    private let received = Mutex("")
    let isGone = Atomic(false)

    func listen(to context: String, of world: APIWorld) throws {
        // As browsers ask.
        let request = HTTPRequest(.get, "\(context)/events", fields: [.accept: "text/event-stream"])
        let response = world.api.respond(to: request)
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
