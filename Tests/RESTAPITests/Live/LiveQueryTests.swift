// SPDX-License-Identifier: Apache-2.0

// Watching queries as they change.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Live queries")
struct LiveQueryTests {
    @Test("a stream begins with the result and continues with exact differences")
    func differences() throws {
        try APIWorld.each { world throws in
            let replica = LiveReplica()
            try replica.listen("/api/posts/live?sort=views&select=title,views&where=published==1", of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            #expect(replica.current.events[0].name == "result")
            #expect(replica.current.items.map { $0["title"] } == ["Contexts", "Saving", "Merging"])
            let (contexts, saving) = (try world.reference("Post", "Contexts"), try world.reference("Post", "Saving"))
            // Deleted from the result, moved with a change, updated, inserted.
            _ = try world.send(.patch, "/api/\(saving)", #"{"published":false}"#)
            _ = try world.send(.patch, "/api/\(contexts)", #"{"views":1000}"#)
            _ = try world.send(.patch, "/api/\(contexts)", #"{"title":"Context"}"#)
            let new = try world.send(.post, "/api/posts", #"{"title":"New","published":true,"views":1}"#)
            #expect(new.status == 201, "\(new.text)")
            // Doesn't concern the result.
            _ = try world.send(.patch, "/api/\(saving)", #"{"title":"Saved"}"#)
            _ = try world.send(.post, "/api/posts", #"{"title":"Unpublished"}"#)
            #expect(replica.wait { $0.events.count >= 5 })
            let events = replica.current.events.dropFirst()
            #expect(events.map(\.name) == ["change", "change", "change", "change"])
            let changes = events.map { $0.data["changes"]?.array ?? [] }
            try #require(changes.map(\.count) == [1, 1, 1, 1], "\(events)")
            #expect(changes[0][0] == ["delete": 1])
            #expect(changes[1][0]["move"] == ["from": 0, "to": 1])
            #expect(changes[1][0]["object"]?["views"] == 1000)
            #expect(changes[2][0]["update"] == 1)
            #expect(changes[2][0]["object"]?["title"] == "Context")
            #expect(changes[3][0]["insert"] == 0)
            #expect(replica.current.items.map { $0["title"] } == ["New", "Merging", "Context"])
            #expect(replica.current.faults == [])
        }
    }

    @Test("counts and rows of values are live too")
    func countsAndTables() throws {
        try APIWorld.each { world throws in
            let (count, table) = (LiveReplica(), LiveReplica())
            try count.listen("/api/posts/live?result=count&where=published==1", of: world.api)
            try table.listen(
                "/api/posts/live?result=dictionary&group=published&sort=published&aggregate=n:count(_id)",
                of: world.api
            )
            #expect(count.wait { $0.count == 3 })
            #expect(table.wait { $0.items == [["published": false, "n": 3], ["published": true, "n": 3]] })
            _ = try world.send(.post, "/api/posts", #"{"title":"New","published":true}"#)
            #expect(count.wait { $0.count == 4 })
            #expect(table.wait { $0.items == [["published": false, "n": 3], ["published": true, "n": 4]] })
            _ = try world.send(.post, "/api/posts/batch-update", #"{"all":true,"set":{"published":true}}"#)
            #expect(count.wait { $0.count == 7 })
            #expect(table.wait { $0.items == [["published": true, "n": 7]] })
            #expect(count.current.events.map(\.name) == ["count", "count", "count"])
            #expect(table.current.events.map(\.name) == ["result", "result", "result"])
        }
    }

    @Test("changes of related objects are differences of conditions, orders and embedded objects")
    func relatedObjects() throws {
        try APIWorld.each { world throws in
            let replica = LiveReplica()
            let target =
                "posts/live?where=author.name=='Anna'&sort=-commentCount,author.age,title&include=author,comments&select=title"
            try replica.listen("/api/\(target)", of: world.api)
            let faults = try world.reference("Post", "Faults")
            let anna = try world.reference("User", "Anna")
            let bea = try world.reference("User", "Bea")
            func check(_ comment: Comment) throws {
                let list = target.replacing("/live", with: "")
                let expected = try world.get("/api/\(list)")["items"]?.array
                #expect(replica.wait { $0.items == expected }, comment)
            }
            try check("the result")
            let text = "{\"text\":\"x\",\"post\":\"\(faults)\"}"
            let comment = try #require(try world.send(.post, "/api/comments", text)["_id"]?.string)
            try check("an inserted comment")
            _ = try world.send(.patch, "/api/\(comment)", #"{"text":"y"}"#)
            try check("an embedded comment")
            _ = try world.send(.patch, "/api/\(anna)", #"{"age":3}"#)
            try check("an embedded author")
            _ = try world.send(.patch, "/api/\(bea)", #"{"name":"Anna"}"#)
            try check("a condition through a relationship")
            _ = try world.send(.delete, "/api/\(comment)")
            try check("a deleted comment")
            #expect(replica.current.faults == [])
        }
    }

    @Test("sections follow the order of the list")
    func sections() throws {
        try APIWorld.each { world throws in
            let (local, related) = (LiveReplica(), LiveReplica())
            try local.listen("/api/posts/live?section=published", of: world.api)
            try related.listen("/api/posts/live?section=author.name&sort=author.name,title&count=true", of: world.api)
            #expect(
                local.wait { $0.sections == [["name": false, "count": 3], ["name": true, "count": 3]] }
            )
            #expect(
                related.wait { $0.sections == [["name": "Anna", "count": 4], ["name": "Bea", "count": 2]] }
            )
            let faults = try world.reference("Post", "Faults")
            let anna = try world.reference("User", "Anna")
            _ = try world.send(.patch, "/api/\(faults)", #"{"published":true}"#)
            _ = try world.send(.patch, "/api/\(anna)", #"{"name":"Zoe"}"#)
            #expect(
                local.wait { $0.sections == [["name": false, "count": 2], ["name": true, "count": 4]] }
            )
            #expect(
                related.wait { $0.sections == [["name": "Bea", "count": 2], ["name": "Zoe", "count": 4]] }
            )
            _ = try world.send(.post, "/api/posts/batch-delete", #"{"all":true}"#)
            #expect(local.wait { $0.sections == [] && $0.items.isEmpty })
            #expect(related.wait { $0.total == 0 })
        }
    }

    @Test("a client that connects again gets the difference, or a reset")
    func continuing() throws {
        try APIWorld.each { world throws in
            let target = "/api/posts/live?sort=title&limit=3"
            let first = LiveReplica()
            try first.listen(target, of: world.api)
            #expect(first.wait { $0.events.count == 1 })
            first.end()
            let contexts = try world.reference("Post", "Contexts")
            _ = try world.send(.patch, "/api/\(contexts)", #"{"views":5}"#)
            _ = try world.send(.patch, "/api/\(contexts)", #"{"title":"Zebra"}"#)
            let second = LiveReplica(after: first)
            try second.listen(target, of: world.api)
            let expected = try world.get("/api/posts?sort=title&limit=3")["items"]?.array
            #expect(second.wait { $0.items == expected })
            #expect(second.current.events.map(\.name) == ["change"])
            // Another server has no former results, but the history says that nothing has changed.
            second.end()
            let server = try API(world.coordinator)
            _ = try world.send(.post, "/api/tags", #"{"name":"new"}"#)
            let third = LiveReplica(after: second)
            try third.listen(target, of: server)
            _ = try world.send(.patch, "/api/\(contexts)", #"{"title":"Aardvark"}"#)
            #expect(third.wait { !$0.events.isEmpty })
            #expect(third.current.events.map(\.name) == ["change"])
            #expect(third.current.items.first?["title"] == "Aardvark")
            // Here something has.
            third.end()
            let another = try API(world.coordinator)
            _ = try world.send(.patch, "/api/\(contexts)", #"{"views":6}"#)
            let fourth = LiveReplica(after: third)
            try fourth.listen(target, of: another)
            #expect(fourth.wait { $0.events.map(\.name) == ["reset"] })
            #expect(fourth.current.items.first?["views"] == 6)
            let fifth = LiveReplica()
            try fifth.listen(target, of: another)
            #expect(fifth.wait { $0.events.map(\.name) == ["result"] })
            let garbage = HTTPRequest(.get, target, fields: ["Last-Event-ID": "x"])
            #expect(another.respond(to: garbage).status == .ok)
        }
    }

    @Test("a client that doesn't read gets one difference for all that it has missed, or a reset")
    func slowClients() throws {
        try APIWorld.each { world throws in
            let replica = LiveReplica()
            replica.setSlow(true)
            try replica.listen("/api/posts/live?sort=title", of: world.api)
            #expect(replica.wait { $0.events.count == 1 })
            let faults = try world.reference("Post", "Faults")
            let long = String(repeating: "x", count: 100)
            for views in 0..<400 {
                _ = try world.send(.patch, "/api/\(faults)", "{\"views\":\(views),\"title\":\"\(long)\"}")
            }
            // Less than what was committed: the rest waits.
            #expect(replica.current.events.count < 400)
            replica.setSlow(false)
            let expected = try world.get("/api/posts?sort=title")["items"]?.array
            #expect(replica.wait { $0.items == expected })
            #expect(replica.current.events.contains { $0.name == "reset" })
            #expect(replica.current.faults == [])
        }
    }

    @Test("a draft's live queries show its pending changes, and what others save")
    func drafts() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let (inDraft, inChild, inStores) = (LiveReplica(), LiveReplica(), LiveReplica())
            try inDraft.listen("\(context)/posts/live?sort=title&select=title", of: world.api)
            try inChild.listen("\(child)/posts/live?sort=title&select=title", of: world.api)
            try inStores.listen("/api/posts/live?sort=title&select=title", of: world.api)
            func titles(_ state: LiveReplica.State) -> [String] { state.items.compactMap { $0["title"]?.string } }
            let all = ["Contexts", "Faults", "Merging", "Saving", "Undo", "Élan"]
            for replica in [inDraft, inChild, inStores] { #expect(replica.wait { titles($0).count == 6 }) }
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(child)/\(faults)", #"{"title":"Aaa"}"#)
            #expect(inChild.wait { titles($0).first == "Aaa" })
            #expect(titles(inDraft.current).sorted() == all.sorted())
            let saved = try world.send(.post, "\(child)/save")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(inDraft.wait { titles($0).first == "Aaa" })
            _ = try world.send(.post, "\(context)/posts", #"{"title":"Aab"}"#)
            #expect(inDraft.wait { titles($0).prefix(2) == ["Aaa", "Aab"] })
            _ = try world.send(.post, "\(context)/undo")
            #expect(inDraft.wait { titles($0).count == 6 })
            let undo = try world.reference("Post", "Undo")
            _ = try world.send(.patch, "/api/\(undo)", #"{"title":"Aac"}"#)
            for replica in [inDraft, inChild, inStores] { #expect(replica.wait { titles($0).contains("Aac") }) }
            _ = try world.send(.post, "\(context)/save")
            #expect(inStores.wait { titles($0).contains("Aaa") })
            _ = try world.send(.delete, context)
            #expect(inDraft.wait { $0.isEnded } && inChild.wait { $0.isEnded })
            #expect(!inStores.current.isEnded)
            #expect(inDraft.current.faults == [])
        }
    }

    private static func nothing(_: PersistentStoreCoordinator) {}

    @Test("searches are live, best match first")
    func searches() throws {
        let model = Model {
            Entity("Article", userInfo: ["path": "articles"]) { Attribute("title", .string).searchIndexed() }
        }
        try APIWorld.each(model, filling: Self.nothing) { world throws in
            let (ranked, sorted) = (LiveReplica(), LiveReplica())
            try ranked.listen("/api/articles/live?search=graph*", of: world.api)
            try sorted.listen("/api/articles/live?search=graph*&sort=-title&limit=2", of: world.api)
            for title in ["Graphs", "Trees", "Graph, graphs and more graphs", "A graph among many other words here"] {
                _ = try world.send(.post, "/api/articles", "{\"title\":\"\(title)\"}")
                for (query, replica) in [("search=graph*", ranked), ("search=graph*&sort=-title&limit=2", sorted)] {
                    let fresh = try world.get("/api/articles?\(query)")["items"]?.array
                    #expect(replica.wait { $0.items == fresh })
                }
            }
        }
    }

    @Test("what can't be watched is refused with a hint")
    func refusals() throws {
        try APIWorld.each { world throws in
            for query in [
                "cursor=x", "explain=true", "where=nonsense", "sort=comments", "section=comments", "section=author",
                "section=title&sort=-views", "section=title&sort=title[c]", "section=title&result=count", "limit=x",
                "titel=x", "search=x&section=title",
            ] {
                let answer = try world.get("/api/posts/live?\(query)")
                #expect(answer.status == 400, "\(query): \(answer.text)")
                #expect(answer["hint"] != nil || answer["detail"] != nil)
            }
            #expect(try world.send(.post, "/api/posts/live", "{}").status == 405)
            #expect(try world.get("/api/pots/live").status == 404)
            let asJSON = HTTPRequest(.get, "/api/posts/live", fields: [.accept: "application/json"])
            #expect(world.api.respond(to: asJSON).status == .notAcceptable)
        }
    }
}
