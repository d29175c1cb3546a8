// SPDX-License-Identifier: Apache-2.0

// Which requests are put off behind others, by what their fetches look at.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Requests that take long")
struct LongReadTests {
    /// More posts than few, of some titles and views, and few tags.
    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try Blog.fill(coordinator)
        let text = String(repeating: "x", count: 80)
        let rows = (0..<10_500).map { number -> [String: Value] in
            ["title": .string("Post \(number) \(text)"), "views": .integer(Int64(number % 500))]
        }
        try coordinator.execute(BatchInsertRequest("Post", rows: rows))
    }

    private static func isDeferred(_ target: String, _ world: APIWorld) -> Bool {
        let encoded = target.replacing(" ", with: "%20").replacing(">", with: "%3E").replacing("<", with: "%3C")
            .replacing("'", with: "%27")
        return world.api.respondUnlessLong(to: HTTPRequest(.get, encoded)) == nil
    }

    @Test("reads of all rows of a large table are deferred, and answered in their turn")
    func putOff() throws {
        try APIWorld.each(filling: Self.fill) { world throws in
            let post = "/api/" + (try world.reference("Post", "Faults"))
            let user = "/api/" + (try world.reference("User", "Anna"))
            let short = [
                "/api/posts", "/api/posts?limit=1000", "\(post)/tags", post, "/api/nothing", "/readyz",
                "/api/tags?where=name CONTAINS 'a'", "/api/tags?result=count", "/api/posts?explain=true",
            ]
            for target in short { #expect(!Self.isDeferred(target, world), "\(target)") }
            let long = [
                "/api/posts?where=title CONTAINS 'zz'", "/api/posts?where=title LIKE[cd] '*zz*'&limit=5",
                "/api/posts?where=title MATCHES '.*zz.*'",
                "/api/posts?where=SUBQUERY(tags, $t, $t.name == 'x').@count > 1",
                "/api/posts?where=author.address.city == 'Ulm' AND title CONTAINS 'z'", "/api/posts?sort=title",
                "/api/posts?sort=author.name", "/api/posts?result=dictionary&aggregate=a:average(price)",
                "/api/posts?result=dictionary&group=views&aggregate=n:count(_id)",
                "/api/posts?result=dictionary&select=price&distinct=true",
                "/api/posts?where=price > 3&count=true",
            ]
            for target in long { #expect(Self.isDeferred(target, world), "\(target)") }
            // What only a store with indexes answers quickly, or has to look at.
            guard world.sqlite != nil else { return }
            let indexed = [
                "/api/posts?sort=-views&limit=20", "/api/posts?sort=views,title&limit=20",
                "/api/posts?where=views == 3",
                "/api/posts?where=views > 3&sort=views",
                "\(user)/posts?sort=title", "/api/posts?offset=100",
            ]
            for target in indexed { #expect(!Self.isDeferred(target, world), "\(target)") }
            let ranges = [
                "/api/posts?where=views > 3&sort=title", "/api/posts?where=views > 3&result=count",
                "/api/posts?count=true",
                "/api/posts?where=views > 3 AND title CONTAINS 'zz'&sort=views", "/api/posts?offset=10200",
            ]
            for target in ranges { #expect(Self.isDeferred(target, world), "\(target)") }
            let first = try #require(try world.get("/api/posts?limit=5")["next"]?.string)
            #expect(!Self.isDeferred(first, world))
            let filtered = try #require(try world.get("/api/posts?where=title CONTAINS 'x'&limit=5")["next"]?.string)
            #expect(Self.isDeferred(filtered, world))
        }
    }

    @Test("fetches with bodies and streams are deferred, and writes never are")
    func bodies() throws {
        try APIWorld.each(filling: Self.fill) { world throws in
            func isDeferred(_ body: String, _ fields: HeaderFields = [.contentType: "application/json"]) -> Bool {
                let request = HTTPRequest(.post, "/api/posts/fetch", fields: fields, body: .bytes(Array(body.utf8)))
                return world.api.respondUnlessLong(to: request) == nil
            }
            #expect(isDeferred(#"{"where":"title CONTAINS 'zz'"}"#))
            #expect(isDeferred(#"{"result":"dictionary","aggregate":"s:sum(rating)"}"#))
            #expect(!isDeferred(#"{"limit":20}"#) && !isDeferred("{") && !isDeferred("[]") && !isDeferred(""))
            let lines: HeaderFields = [.contentType: "application/json", .accept: "application/x-ndjson"]
            #expect(isDeferred(#"{"where":"title CONTAINS 'zz'"}"#, lines) && !isDeferred("{}", lines))
            let creation = HTTPRequest(
                .post,
                "/api/tags",
                fields: [.contentType: "application/json"],
                body: .bytes(Array(#"{"name":"new"}"#.utf8))
            )
            #expect(world.api.respondUnlessLong(to: creation)?.status == .created)
        }
    }

    @Test("whether a request only reads is what its endpoint declares, also below an editing context")
    func reading() throws {
        let model = Model {
            Entity("Dog") {
                Attribute("name", .string)
                Relationship("fetch", toMany: "Stick", inverse: "dog").optional()
            }
            Entity("Stick") { Relationship("dog", toOne: "Dog", inverse: "fetch").optional() }
        }
        let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(model))
        let api = try API(coordinator)
        for context in ["", "/contexts/ABC"] {
            func onlyReads(_ method: HTTPMethod, _ path: String) -> Bool {
                api.onlyReads(HTTPRequest(method, "/api\(context)/\(path)"))
            }
            #expect(onlyReads(.get, "Dog") && onlyReads(.head, "Dog/1/fetch") && onlyReads(.post, "Dog/fetch?limit=3"))
            #expect(!onlyReads(.post, "Dog/1/fetch") && !onlyReads(.post, "Dog") && !onlyReads(.post, "Cat/fetch"))
            #expect(!onlyReads(.delete, "Dog/1") && !onlyReads(.patch, "Dog/fetch"))
        }
    }

    @Test("whether a read is long depends on its limit, although its statement is the same")
    func limits() throws {
        try APIWorld.each(filling: Self.fill) { world throws in
            guard world.sqlite != nil else { return }
            func isLong(limit: Int) throws -> Bool {
                let isAnnounced = Atomic(false)
                try WorkLimits(willReadMany: { isAnnounced.store(true, ordering: .relaxed) }).hold {
                    try world.coordinator.withContext { context in
                        var request = FetchRequest<ManagedObject>("Post")
                        request.sortDescriptors = [ObjectSortDescriptor("views")]
                        request.fetchLimit = limit
                        _ = try context.objectIDs(request)
                    }
                }
                return isAnnounced.load(ordering: .relaxed)
            }
            #expect(try !isLong(limit: 20))
            #expect(try isLong(limit: 20_000))
            #expect(try !isLong(limit: 30))
        }
    }

    @Test("a small page needs no additional statement, and a deferred request isn't counted before its turn")
    func cost() throws {
        try APIWorld.each(filling: Self.fill) { world throws in
            let operations = { world.api.statistics.current.operations.reduce(0) { $0 + $1.count } }
            let before = operations()
            #expect(Self.isDeferred("/api/posts?where=title CONTAINS 'zz'", world))
            #expect(operations() == before)
            #expect(try world.get("/api/posts?where=title CONTAINS 'zz'").status == 200)
            guard let store = world.sqlite else { return }
            func statements(_ target: String) -> Int {
                let before = store.statistics.statements
                _ = world.api.respondUnlessLong(to: HTTPRequest(.get, target))
                return store.statistics.statements - before
            }
            for target in ["/api/posts?limit=3", "/api/posts?limit=4&select=title", "/api/tags"] {
                let before = store.statistics.statements
                _ = world.api.respond(to: HTTPRequest(.get, target))
                let plain = store.statistics.statements - before
                #expect(statements(target) <= plain, "\(target)")
            }
            // Other plans are asked for once in a while.
            let first = statements("/api/posts?sort=-views&limit=3")
            #expect(statements("/api/posts?sort=-views&limit=4") < first)
        }
    }
}
