// SPDX-License-Identifier: Apache-2.0

// Random queries over random changes: each stream, applied, equals a fresh fetch.

import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Live queries compared with fetches")
struct RandomLiveQueryTests {
    @Test("each stream, applied, equals a fresh fetch", arguments: SeededGenerator.seeds(30))
    func random(seed: UInt64) throws {
        try APIWorld.each(watching: .seconds(60)) { world throws in
            let run = try LiveRun(world, SeededGenerator(seed: seed))
            try run.run(steps: 60)
        }
    }
}

private final class LiveRun {
    private let world: APIWorld
    private var generator: SeededGenerator
    private var servers: [API]
    private var streams: [(query: String, replica: LiveReplica)] = []
    /// A server of another process on the same file.
    private let other: API?
    /// The path of a draft.
    private let draft: String

    init(_ world: APIWorld, _ generator: SeededGenerator) throws {
        self.world = world
        self.generator = generator
        servers = [world.api]
        draft = try world.openContext() + "/"
        other = try world.sqlite.map { store in
            let coordinator = PersistentStoreCoordinator(model: world.coordinator.model)
            var options = SQLiteStoreOptions()
            options.watchInterval = .seconds(60)
            try coordinator.add(try SQLiteStore(path: store.path, model: coordinator.model, options: options))
            return try API(coordinator)
        }
    }

    func run(steps: Int) throws {
        for _ in 0..<8 { try open() }
        for step in 0..<steps {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: try open()
            case 1: try reconnect(toNewServer: false)
            case 2: try reconnect(toNewServer: true)
            case 3: _ = try world.send(.post, draft + "save", fields: [.prefer: "merge=object"])
            case 4: streams.randomElement(using: &generator)?.replica.setSlow(Bool.random(using: &generator))
            default: try change()
            }
            // Otherwise several changes are processed together.
            if Int.random(in: 0..<3, using: &generator) == 0 { try check("after step \(step)") }
        }
        for stream in streams { stream.replica.setSlow(false) }
        try check("at the end")
    }

    // MARK: Queries

    private func pick(_ texts: [String]) -> String { texts.randomElement(using: &generator) ?? "" }

    private func query() -> String {
        let text = pick([
            "posts?", "posts?where=published==1", "posts?where=views>20", "posts?where=views+BETWEEN+{10,40}",
            "posts?where=author.name=='Anna'", "posts?author=users/1", "posts?where=ANY+tags.name=='core'",
            "posts?where=comments.@count>0", "posts?where=title+CONTAINS[cd]+'e'", "posts?published=true&views=10",
            "posts?where=author==nil", "posts?where=views+IN+{0,10,20}",
            "posts?where=commentCount>0", "posts?where=SUBQUERY(comments,$c,$c.text=='x').@count>0",
            "users?where=posts.@count>1", "users?where=age>30", "Contact?where=name+BEGINSWITH+'A'", "comments?",
            "tags?where=ANY+posts.published==1", "Group?",
        ])
        if text.hasPrefix("posts") {
            let order = pick([
                "&sort=title", "&sort=-views", "&sort=views,title", "&sort=author.name,title", "&sort=-commentCount",
                "",
                "&sort=published,-views", "&sort=title[cd]",
            ])
            let window = pick(["", "&limit=2", "&limit=3&offset=1", "&limit=1", "&count=true&limit=2", "&offset=2"])
            let kind = pick([
                "", "", "&select=title", "&include=author", "&include=comments", "&select=title,author.name",
                "&include=tags(sort=name)", "&result=ids",
            ])
            return text + order + window + kind
        }
        return text + pick(["", "&result=count", "&sort=-_id&limit=2", "&count=true"])
    }

    private func open() throws {
        var query = query()
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: query = "posts?result=count&where=" + pick(["published==1", "views>10", "author.name=='Bea'"])
        case 1: query = "posts?result=dictionary&group=published&aggregate=n:count(_id),v:sum(views)"
        case 2: query = "posts?section=published&sort=published,title&limit=4"
        case 3: query = "tags?where=name=='core'&include=posts.tags(sort=-name,limit=2)"
        default: break
        }
        query = (Int.random(in: 0..<4, using: &generator) == 0 ? draft : "/api/") + query
        let replica = LiveReplica()
        try replica.listen(target(query), of: server(for: query))
        streams.append((query, replica))
    }

    private func target(_ query: String) -> String { query.replacing("?", with: "/live?", maxReplacements: 1) }

    /// Drafts are of the first server.
    private func server(for query: String) -> API {
        query.hasPrefix(draft) ? world.api : servers[servers.count - 1]
    }

    private func reconnect(toNewServer: Bool) throws {
        guard let place = streams.indices.randomElement(using: &generator) else { return }
        // A client may be cut off at any time, with what it has applied.
        let former = streams[place].replica
        former.end()
        if Bool.random(using: &generator) { try change() }
        if toNewServer { servers.append(try API(world.coordinator)) }
        let replica = LiveReplica(after: former)
        replica.setSlow(false)
        try replica.listen(target(streams[place].query), of: server(for: streams[place].query))
        streams[place].replica = replica
    }

    // MARK: Changes

    private func reference(_ path: String) throws -> String? {
        try world.get("/api/\(path)?result=ids&limit=1000")["items"]?.array?.compactMap(\.string)
            .randomElement(using: &generator)
    }

    private func number() -> Int { Int.random(in: 0...5, using: &generator) * 10 }

    /// Sends a change to the server, to that of another process, or to the draft.
    private func send(_ method: HTTPMethod, _ path: String, _ json: String? = nil) throws {
        let merging: HeaderFields = [.prefer: "merge=\(pick(["store", "object", "error"]))"]
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: _ = try world.send(method, draft + path, json)
        case 2, 3:
            guard let other else { fallthrough }
            let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
            let fields: HeaderFields = json == nil ? [:] : [.contentType: "application/json"]
            _ = other.respond(to: HTTPRequest(method, "/api/" + path, fields: fields, body: body))
        default: _ = try world.send(method, "/api/" + path, json, fields: method == .patch ? merging : [:])
        }
    }

    private func change() throws {
        let name = pick(["Anna", "Bea", "Alf", "Zoe"])
        switch Int.random(in: 0..<14, using: &generator) {
        case 0:
            let author = try reference("users").map { "\"\($0)\"" } ?? "null"
            let body =
                "{\"title\":\"\(name)\",\"views\":\(number()),\"published\":\(Bool.random(using: &generator)),\"author\":\(author)}"
            try send(.post, "posts", body)
        case 1, 2, 3:
            guard let post = try reference("posts") else { return }
            let body = pick([
                "{\"views\":\(number())}", "{\"title\":\"\(name)\"}",
                "{\"published\":\(Bool.random(using: &generator))}",
                "{\"score\":\(number())}", "{\"author\":null}",
                "{\"_version\":1,\"views\":\(number())}", "{\"_version\":1,\"published\":true}",
            ])
            try send(.patch, "\(post)", body)
        case 4:
            guard let post = try reference("posts") else { return }
            try send(.delete, "\(post)")
        case 5:
            guard let user = try reference("users") else { return }
            try send(.patch, "\(user)", pick(["{\"name\":\"\(name)\"}", "{\"age\":\(number())}"]))
        case 6:
            guard let post = try reference("posts") else { return }
            try send(.post, "comments", "{\"text\":\"\(pick(["x", "y"]))\",\"post\":\"\(post)\"}")
        case 7:
            guard let comment = try reference("comments") else { return }
            if Bool.random(using: &generator) {
                try send(.delete, "\(comment)")
            } else {
                try send(.patch, "\(comment)", "{\"text\":\"\(pick(["x", "y"]))\"}")
            }
        case 8:
            guard let post = try reference("posts"), let tag = try reference("tags") else { return }
            try send(pick(["a", "b"]) == "a" ? .put : .delete, "\(post)/tags/\(tag.dropFirst(5))")
        case 9:
            try send(
                .post,
                "posts/batch-update",
                "{\"where\":\"views > \(number())\",\"set\":{\"views\":\(number())}}"
            )
        case 10:
            try send(.post, "posts/batch-delete", "{\"where\":\"views == \(number()) AND title == '\(name)'\"}")
        case 11:
            let rows = (0..<3).map { _ in "{\"title\":\"\(name)\",\"views\":\(number())}" }.joined(separator: ",")
            try send(.post, "posts/batch-insert", "[\(rows)]")
        case 12:
            guard let post = try reference("posts"), let user = try reference("users") else { return }
            try send(
                .post,
                "transaction",
                """
                {"operations":[{"update":"\(post)","values":{"author":"\(user)"}},\
                {"insert":"Post","id":"$p","values":{"title":"\(name)","author":"\(user)"}},\
                {"insert":"Comment","values":{"text":"x","post":"$p"}}]}
                """
            )
        default:
            guard let user = try reference("users") else { return }
            try send(.delete, "\(user)")
        }
    }

    // MARK: Checks

    private struct Difference: Error {
        let place: String
        let query: String
        let shown: String
        let fresh: String
    }

    private func check(_ comment: String) throws {
        for (query, replica) in streams where !replica.isSlow {
            let fresh = try world.get("\(query.replacing("section=published&", with: ""))")
            guard fresh.status == 200 else {
                Issue.record("\(query): \(fresh.text)")
                continue
            }
            let isEqual = replica.wait { state in
                if let count = fresh["count"] { return state.count == count }
                return state.items == fresh["items"]?.array && state.total == fresh["total"]
            }
            if !isEqual {
                throw Difference(
                    place: comment,
                    query: query,
                    shown: "\(replica.current.isEnded) \(replica.current.events.map(\.name)) \(replica.current.items)",
                    fresh: fresh.text
                )
            }
            #expect(replica.current.faults == [], "\(comment), \(query)")
        }
    }
}
