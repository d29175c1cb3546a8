// SPDX-License-Identifier: Apache-2.0

// Conditional reading requests.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Conditional reading")
struct ConditionalTests {
    @Test("If-None-Match gives 304 for an unchanged object, also with select and include")
    func objects() throws {
        try APIWorld.each { world throws in
            let undo = try world.post("Undo")
            for target in [
                "/api/\(undo)", "/api/\(undo)?select=title", "/api/\(undo)?include=author", "/api/\(undo)/author",
            ] {
                let tag = try #require(world.get(target).fields[.etag])
                let again = try world.get(target, [.ifNoneMatch: "\"x\", \(tag)"])
                #expect(again.status == 304)
                #expect(again.bytes.isEmpty)
                #expect(again.fields[.etag] == tag)
                #expect(try world.get(target, [.ifNoneMatch: "\"x\""]).status == 200)
            }
            let tag = try #require(world.get("/api/\(undo)?include=author").fields[.etag])
            try world.change("User", "name == 'Anna'", "name", "Anne")
            #expect(try world.get("/api/\(undo)?include=author", [.ifNoneMatch: tag]).status == 200)
            #expect(try world.get("/api/\(world.user("Bea"))", [.ifNoneMatch: "\"1\""]).status == 304)
            #expect(try world.get("/api/posts/4711", [.ifNoneMatch: "*"]).status == 404)
            #expect(try world.get("/api/\(undo)", [.ifNoneMatch: "1"]).status == 400)
        }
    }

    @Test(
        "a collection's tag depends on the entities it reads, and a 304 needs no statement",
        arguments: [
            ("/api/posts", true, false, false),
            ("/api/posts?result=count&published=true", true, false, false),
            ("/api/posts?where=author.name == 'Anna'", true, true, false),
            ("/api/posts?author.name=Anna", true, true, false),
            ("/api/posts?sort=author.name", true, true, false),
            ("/api/posts?include=author", true, true, false),
            ("/api/posts?include=author(select=name)&select=title", true, true, false),
            ("/api/posts?select=title,tags.name", true, false, true),
            ("/api/posts?where=SUBQUERY(tags, $t, $t.name == 'x').@count == 0", true, false, true),
            ("/api/posts?include=comments(where=author.name == 'Anna')", true, true, false),
            ("/api/posts?result=dictionary&group=author.name&aggregate=n:count(_id)", true, true, false),
            ("/api/users", false, true, false),
            ("/api/users/1/posts", true, true, false),
            ("/api/queries/byAuthor?NAME=Anna", true, true, false),
        ]
    )
    func collections(target: String, ofPosts: Bool, ofUsers: Bool, ofTags: Bool) throws {
        try APIWorld.each { world throws in
            func tag() throws -> String { try #require(world.get(target).fields[.etag]) }
            func expect(_ isOfIt: Bool, _ change: () throws -> Void) throws {
                let tag = try tag()
                #expect(tag.hasPrefix("W/\""))
                let before = try world.get(target, [.ifNoneMatch: tag])
                #expect(before.status == 304)
                #expect(before.bytes.isEmpty)
                #expect(before.statements ?? 0 == 0)
                try change()
                #expect(try world.get(target, [.ifNoneMatch: tag]).status == (isOfIt ? 200 : 304))
            }
            try expect(ofPosts) { try world.change("Post", "title == 'Undo'", "views", 31) }
            try expect(ofUsers) { try world.change("User", "name == 'Bea'", "age", 29) }
            try expect(ofTags) { try world.change("Tag", "name == 'core'", "name", "Core") }
        }
    }

    @Test("an object's tag changes with values derived from other objects, although its version doesn't")
    func derived() throws {
        try APIWorld.each { world throws in
            let faults = try world.post("Faults")
            for target in ["/api/\(faults)", "/api/\(faults)?select=commentCount", "/api/\(faults)?include=author"] {
                let tag = try #require(world.get(target).fields[.etag])
                #expect(try world.get(target, [.ifNoneMatch: tag]).status == 304)
                let body = "{\"text\":\"More.\",\"post\":\"\(faults)\"}"
                #expect(try world.send(.post, "/api/comments", body).status == 201)
                let answer = try world.get(target, [.ifNoneMatch: tag])
                #expect(answer.status == 200)
                #expect(answer["_version"]?.int64 == 1)
            }
        }
    }

    @Test("the list of a missing object is 404, whatever tags the client has")
    func missingOwner() throws {
        try APIWorld.each { world throws in
            for path in ["posts/4711/tags", "posts/4711/pages", "posts/4711/others"] {
                #expect(try world.get("/api/\(path)", [.ifNoneMatch: "*"]).status == 404, "\(path)")
            }
            let undo = try world.post("Undo")
            #expect(try world.get("/api/\(undo)/tags", [.ifNoneMatch: "*"]).status == 304)
            #expect(try world.get("/api/posts", [.ifNoneMatch: "*"]).status == 304)
        }
    }

    private static func fillNothing(_ coordinator: PersistentStoreCoordinator) {}

    @Test("a list's tag depends on all relationships of an embedded name, in each subentity")
    func sameNames() throws {
        let model = Model {
            Entity("Animal", isAbstract: true) { Attribute("name", .string) }
            Entity("Cat", parent: "Animal") { Relationship("owner", toOne: "Person", inverse: "cats").optional() }
            Entity("Dog", parent: "Animal") { Relationship("owner", toOne: "Company", inverse: "dogs").optional() }
            Entity("Person") {
                Attribute("name", .string)
                Relationship("cats", toMany: "Cat", inverse: "owner").optional()
                Relationship("address", toOne: "Address", inverse: "persons").optional()
            }
            Entity("Company") {
                Attribute("name", .string)
                Relationship("dogs", toMany: "Dog", inverse: "owner").optional()
                Relationship("address", toOne: "Place", inverse: "companies").optional()
            }
            Entity("Address") {
                Attribute("city", .string)
                Relationship("persons", toMany: "Person", inverse: "address").optional()
            }
            Entity("Place") {
                Attribute("city", .string)
                Relationship("companies", toMany: "Company", inverse: "address").optional()
            }
        }
        try APIWorld.each(model, filling: Self.fillNothing) { world throws in
            let place = try #require(try world.send(.post, "/api/Place", #"{"city":"Ulm"}"#)["_id"]?.string)
            let company = try world.send(.post, "/api/Company", #"{"name":"Post","address":"\#(place)"}"#)
            let name = try #require(company["_id"]?.string)
            #expect(try world.send(.post, "/api/Dog", #"{"name":"Rex","owner":"\#(name)"}"#).status == 201)
            let target = "/api/Animal?include=owner.address"
            let changes = [(name, #"{"name":"Bank"}"#, "Bank", "Ulm"), (place, #"{"city":"Bonn"}"#, "Bank", "Bonn")]
            for (path, change, company, city) in changes {
                let tag = try world.get(target).fields[.etag] ?? ""
                #expect(try world.get(target, [.ifNoneMatch: tag]).status == 304)
                #expect(try world.send(.patch, "/api/\(path)", change).status == 200)
                let answer = try world.get(target, [.ifNoneMatch: tag])
                #expect(answer.status == 200)
                let owner = answer["items"]?[0]?["owner"]
                #expect(owner?["name"]?.string == company && owner?["address"]?["city"]?.string == city)
            }
        }
    }

    @Test("a response that depends on the time has no tag")
    func volatile() throws {
        try APIWorld.each { world throws in
            for target in [
                "/api/posts?where=createdAt < now()", "/api/posts?where=views < random()",
                "/api/posts?include=comments(where=createdAt < now())", "/api/posts?explain=true",
            ] {
                let answer = try world.get(target)
                #expect(answer.status == 200)
                #expect(answer.fields[.etag] == nil, "\(target)")
            }
            #expect(try world.send(.post, "/api/posts/fetch", "{}").fields[.etag] == nil)
        }
    }
}

extension APIWorld {
    fileprivate func change(_ entity: String, _ predicate: String, _ key: String, _ value: Value) throws {
        try coordinator.withContext { context in
            let found = try context.fetch(
                FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate(predicate))
            )
            try #require(found.count == 1)
            try found[0].setValue(value, forKey: key)
            try context.save()
        }
    }
}

@Suite("Explaining fetches")
struct ExplainTests {
    @Test("explain shows the SQL, bindings, query plan, index use and conditions evaluated in memory")
    func shown() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts?where=views > %25@&arg=20&sort=views&explain=true")
            #expect(answer.status == 200)
            let item = try #require(answer["items"]?[0])
            #expect(
                item.object?.names == ["store", "sql", "bindings", "plan", "usesIndex", "evaluatedInMemory"]
            )
            guard world.sqlite != nil else {
                #expect(item["sql"]?.isNull == true)
                #expect(item["evaluatedInMemory"]?.array?.count == 2)
                return
            }
            #expect(item["sql"]?.string?.contains("WHERE") == true)
            #expect(item["bindings"]?[0]?.int64 == 20)
            #expect(item["plan"]?[0]?.string?.contains("SEARCH") == true)
            #expect(item["usesIndex"]?.bool == true)
            #expect(item["evaluatedInMemory"]?.array?.isEmpty == true)
            let scan = try world.get("/api/posts?where=title MATCHES %25@&arg=U.*&explain=true")["items"]?[0]
            #expect(scan?["usesIndex"]?.bool == false)
        }
    }

    @Test(
        "explain shows the statement that the request runs without explain, for every kind of result",
        arguments: [
            "posts", "posts?sort=-views&limit=2&offset=1", "posts?result=ids&sort=title", "posts?result=count",
            "posts?result=count&limit=2&offset=1&sort=title", "posts?result=dictionary&select=title,views&limit=2",
            "posts?result=dictionary&group=author&aggregate=n:count(_id)&sort=-n", "Saving/pages", "Saving/tags",
            "Saving/pages?limit=1", "Saving/pages?result=ids", "Saving/pages?result=count", "Saving/pages?sort=text",
            "Saving/pages?where=text == 'one'", "Saving/pages?where=text MATCHES 'o.*'", "posts?limit=0",
            "posts?where=title MATCHES 'U.*'",
        ]
    )
    func sameStatement(target: String) throws {
        try APIWorld.each { world throws in
            guard world.sqlite != nil else { return }
            let saving = try world.post("Saving")
            let target = "/api/" + (target.hasPrefix("Saving") ? saving + target.dropFirst(6) : target)
            let run = try world.statements(target)
            let explained = try world.get(target + (target.contains("?") ? "&" : "?") + "explain=true")
            #expect(explained.status == 200)
            let items = try #require(explained["items"]?.array)
            for item in items {
                let sql = try #require(item["sql"]?.string)
                #expect(run.contains { $0.hasSuffix("sql: \(sql)") }, "\(sql) is not among \(run)")
            }
            #expect(items.isEmpty == target.hasSuffix("limit=0"))
        }
    }

    @Test("explain works for relationships, named queries and fetch bodies")
    func elsewhere() throws {
        try APIWorld.each { world throws in
            let anna = try world.user("Anna")
            #expect(try world.get("/api/\(anna)/posts?explain=true")["items"]?[0]?["store"] != nil)
            #expect(try world.get("/api/\(try world.post("Saving"))/pages?explain=true")["items"]?[0]?["store"] != nil)
            #expect(try world.get("/api/queries/popular?VIEWS=3&explain=true")["items"]?[0]?["store"] != nil)
            #expect(try world.send(.post, "/api/posts/fetch", "{\"explain\":true}")["items"]?[0]?["store"] != nil)
            let groups = "result=dictionary&group=author&aggregate=n:count(_id)&sort=-n"
            #expect(try world.get("/api/posts?\(groups)&explain=true")["items"]?[0]?["store"] != nil)
            #expect(try world.get("/api/posts?result=count&explain=true")["items"]?[0]?["store"] != nil)
        }
    }
}
