// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Live queries under access rules")
struct AccessLiveTests {
    private static let anna = "member anna@example.org"
    private static let bea = "member bea@example.org"

    private func each(_ body: (APIWorld) throws -> Void) throws {
        try APIWorld.each(access: AccessReadingTests.blog, body)
    }

    @Test("an object that leaves what can be read is deleted, and one that enters is inserted")
    func entering() throws {
        try each { world throws in
            let replica = LiveReplica()
            try replica.listen("/api/posts/live?sort=views&select=title", as: Self.bea, of: world.api)
            #expect(replica.wait { $0.items.map { $0["title"] } == ["Contexts", "Saving", "Merging", "Élan"] })
            let faults = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.send(as: "editor", .patch, faults, #"{"published": true}"#)
            #expect(
                replica.wait { $0.items.map { $0["title"] } == ["Contexts", "Faults", "Saving", "Merging", "Élan"] }
            )
            let insertion = try #require(replica.current.events.last?.data["changes"]?[0])
            #expect(insertion["insert"] == 1)
            _ = try world.send(as: "editor", .patch, faults, #"{"published": false}"#)
            #expect(replica.wait { $0.items.map { $0["title"] } == ["Contexts", "Saving", "Merging", "Élan"] })
            #expect(replica.current.events.last?.data["changes"]?[0] == ["delete": 1])
            #expect(replica.current.faults == [])
        }
    }

    @Test("what can't be read makes no events")
    func hidden() throws {
        try each { world throws in
            let replica = LiveReplica()
            try replica.listen("/api/posts/live?sort=views&select=title,score", as: Self.bea, of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            let faults = "/api/" + (try world.reference("Post", "Faults"))
            let saving = "/api/" + (try world.reference("Post", "Saving"))
            _ = try world.send(as: "editor", .patch, faults, #"{"title": "Other", "views": 3}"#)
            _ = try world.send(as: "editor", .patch, faults, #"{"rating": 5}"#)
            _ = try world.send(as: "editor", .patch, saving, #"{"score": 7}"#)
            #expect(replica.wait { $0.items.contains { $0["score"] == 7 } })
            #expect(replica.current.events.count == 2, "\(replica.current.events)")
        }
    }

    @Test("rules that depend on other objects are followed")
    func relatedObjects() throws {
        try each { world throws in
            let replica = LiveReplica()
            try replica.listen("/api/comments/live?select=text", as: Self.bea, of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            #expect(replica.current.items.isEmpty)
            let faults = "/api/" + (try world.reference("Post", "Faults"))
            _ = try world.send(as: "editor", .patch, faults, #"{"published": true}"#)
            #expect(replica.wait { $0.items.map { $0["text"] } == ["Well said."] })
            // A reference to an object that can't be read any more.
            let posts = LiveReplica()
            try posts.listen("/api/posts/live?where=title=='Saving'&select=author", as: Self.bea, of: world.api)
            #expect(posts.wait { $0.items.first?["author"]?.string != nil })
            let anna = "/api/" + (try world.reference("User", "Anna"))
            _ = try world.send(as: "admin", .patch, anna, #"{"age": 77}"#)
            #expect(posts.wait { $0.items.first?["author"] == .null })
        }
    }

    @Test("identities don't share results, and a result of one isn't continued for another")
    func identities() throws {
        try each { world throws in
            let target = "/api/posts/live?sort=views&select=title"
            let first = LiveReplica()
            try first.listen(target, as: Self.anna, of: world.api)
            #expect(first.wait { $0.items.count == 5 })
            let second = LiveReplica(after: first)
            try second.listen(target, as: Self.bea, of: world.api)
            #expect(second.wait { $0.items.map { $0["title"] } == ["Contexts", "Saving", "Merging", "Élan"] })
            #expect(second.current.events.first?.name == "reset", "\(second.current.events)")
        }
    }
}
