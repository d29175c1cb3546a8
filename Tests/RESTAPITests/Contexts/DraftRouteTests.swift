// SPDX-License-Identifier: Apache-2.0

// Fetches in an editing context whose conditions and orders depend on pending changes.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Fetches over pending changes")
struct DraftRouteTests {
    /// The objects of all pages together: a member of each, or references.
    private static func pages(_ world: APIWorld, _ target: String, _ member: String? = "title") throws -> [String?] {
        var found: [String?] = []
        var next: String? = target
        while let target = next, found.count < 30 {
            let page = try world.get(target)
            try #require(page.status == 200, "\(page.text)")
            found += try #require(page["items"]?.array).map { item in
                member.map { item[$0]?.string } ?? item.string
            }
            next = page["next"]?.string
        }
        return found
    }

    @Test("pages sorted by a pending name contain each object once", arguments: ["AAAA", "Bz", "Zoe"], [1, 2, 3, 7])
    func paging(name: String, limit: Int) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let stored = try world.titles("/api/posts?sort=author.name")
            for author in ["Anna", "Bea"] {
                let path = "\(context)/\(try world.reference("User", author))"
                #expect(try world.send(.patch, path, #"{"name":"\#(name)"}"#).status == 200)
                for reader in [context, child] {
                    for sort in ["author.name", "-author.name,-title", "author.name,views"] {
                        let all = try world.titles("\(reader)/posts?sort=\(sort)")
                        let target = "\(reader)/posts?sort=\(sort)&limit=\(limit)"
                        let paged = try Self.pages(world, target)
                        #expect(paged == all)
                        #expect(Set(paged).count == 6 && paged.count == 6)
                        #expect(Set(try Self.pages(world, "\(target)&result=ids", nil)).count == 6)
                    }
                }
                let sorted = try world.titles("\(context)/posts?sort=author.name")
                #expect(author == "Bea" || name == "AAAA" || Array(sorted.suffix(4)) == Array(stored.prefix(4)))
            }
            #expect(
                try Self.pages(world, "\(context)/posts?sort=author.name&limit=\(limit)&includePending=false") == stored
            )
        }
    }

    @Test("a page continues after an object that was new on the previous page and has been saved since")
    func pagingAcrossSaves() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let names = ["new 1", "new 2", "new 3", "new 4", "new 5"]
            for name in names {
                #expect(try world.send(.post, "\(context)/tags", "{\"name\":\"\(name)\"}").status == 201)
            }
            let target = "\(context)/tags?where=name%20BEGINSWITH%20%22new%22&limit=2"
            let pages = try [target, "\(target)&sort=name"].map { try world.get($0) }
            #expect(try world.send(.post, "\(context)/save").status == 200)
            for page in pages {
                let rest = try Self.pages(world, try #require(page["next"]?.string), "name")
                let first = try #require(page["items"]?.array).map { $0["name"]?.string }
                #expect(first + rest == names)
            }
        }
    }

    @Test("pages of an object's list continue after the object, new on the first page, has been saved")
    func listsOfNewObjects() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let user = try #require(world.send(.post, "\(context)/users", #"{"name":"New"}"#)["_id"]?.string)
            for title in ["a", "b", "c"] {
                let body = "{\"title\":\"\(title)\",\"author\":\"\(user)\"}"
                #expect(try world.send(.post, "\(context)/posts", body).status == 201)
            }
            let targets = [
                "\(context)/posts?author=\(user)&sort=title&limit=1", "\(context)/\(user)/posts?sort=title&limit=1",
                "\(context)/posts?where=author == %25@&arg=\(user)&sort=title&limit=1",
                "\(context)/posts?where=author IN %25@&arg=[\"\(user)\"]&sort=title&limit=1",
            ]
            let pages = try targets.map { try world.get($0) }
            #expect(try world.send(.post, "\(context)/save").status == 200)
            for page in pages {
                #expect(page["items"]?[0]?["title"] == "a")
                #expect(try Self.pages(world, try #require(page["next"]?.string)) == ["b", "c"])
            }
        }
    }

    @Test("explain describes how pending changes are handled")
    func explained() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let nothing = "No pending changes affect the fetch."
            func pending(_ query: String) throws -> String? {
                try world.get("\(context)/posts?\(query)&explain=true")["pending"]?.string
            }
            #expect(try world.get("/api/posts?explain=true")["pending"] == nil)
            #expect(try pending("sort=title") == nothing)
            _ = try world.send(.post, "\(context)/posts", #"{"title":"New"}"#)
            _ = try world.send(.patch, "\(context)/\(try world.post("Undo"))", #"{"views":1}"#)
            for query in ["sort=title", "result=count", "result=ids", "result=dictionary&select=title"] {
                let words = try #require(try pending(query))
                #expect(words.hasPrefix("New objects evaluated in memory: 1."), "\(words)")
                #expect(words.contains("refer to them: 1;"), "\(words)")
                #expect(try pending("\(query)&includePending=false") == "Pending changes are excluded.")
            }
            let users = try world.get("\(context)/users?explain=true")
            #expect(users["pending"]?.string == nothing)
            let members = try world.get("\(context)/\(try world.post("Saving"))/pages?explain=true")
            #expect(members["pending"]?.string?.contains("applied to the members") == true)
        }
    }

    @Test("conditions through relationships apply to pending changes, in child contexts too")
    func conditions() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let (anna, faults) = (try world.reference("User", "Anna"), try world.reference("Post", "Faults"))
            _ = try world.send(.patch, "\(context)/\(anna)", #"{"name":"AAAA"}"#)
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"QQQ"}"#)
            for reader in [context, child] {
                #expect(try world.get("\(reader)/posts?author.name=AAAA&result=count")["count"] == 4)
                #expect(try world.get("\(reader)/posts?author.name=Anna&result=count")["count"] == 0)
                #expect(try world.get("\(reader)/posts?where=author.name == nil&result=count")["count"] == 0)
                #expect(try world.titles("\(reader)/users?where=ANY posts.title == \"QQQ\"") == ["AAAA"])
                #expect(try world.get("\(reader)/comments?post.title=QQQ")["items"]?.array?.count == 1)
                #expect(try world.get("\(reader)/comments?post.author.name=AAAA")["items"]?.array?.count == 1)
                #expect(try world.titles("\(reader)/\(faults)/tags?where=ANY posts.title == \"QQQ\"") == ["core"])
                #expect(try world.get("\(reader)/posts?author.name=AAAA&count=true&limit=1")["total"] == 4)
            }
            #expect(try world.get("\(context)/posts?author.name=AAAA&includePending=false")["items"] == [])
            #expect(try world.get("/api/posts?author.name=AAAA&result=count")["count"] == 0)
        }
    }

    @Test("with includePending=false, pending values, deletions and orders are invisible")
    func hidden() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (anna, undo) = (try world.reference("User", "Anna"), try world.reference("Post", "Undo"))
            let faults = try world.reference("Post", "Faults")
            let queries = ["sort=title", "sort=author.name,-title", "where=author.name == \"Anna\"&sort=title"]
            let before = try queries.map { try world.get("\(context)/posts?\($0)&include=author")["items"] }
            _ = try world.send(.patch, "\(context)/\(anna)", #"{"name":"Zoe"}"#)
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Zzz"}"#)
            #expect(try world.send(.delete, "\(context)/\(undo)").status == 204)
            for (query, stored) in zip(queries, before) {
                let target = "\(context)/posts?\(query)&includePending=false"
                let stored = try #require(stored?.array)
                #expect(stored.count >= 4)
                #expect(try world.get("\(target)&include=author")["items"]?.array == stored)
                #expect(try Self.pages(world, "\(target)&limit=1") == stored.map { $0["title"]?.string })
                let ids = try Self.pages(world, "\(target)&limit=1&result=ids", nil)
                #expect(ids == stored.map { $0["_id"]?.string })
            }
            let mine = try world.titles("/api/\(anna)/posts?sort=title")
            #expect(try world.titles("\(context)/\(anna)/posts?sort=title&includePending=false") == mine)
        }
    }
}
