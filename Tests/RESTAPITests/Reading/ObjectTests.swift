// SPDX-License-Identifier: Apache-2.0

// Reading one object.

import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Objects")
struct ObjectTests {
    @Test("an object is written in a list, in lines, and after a cursor as it is alone")
    func sameInLists() throws {
        try APIWorld.each { world throws in
            for path in Self.paths(of: world) {
                let items = try Self.checkLists(at: path, in: world)
                #expect(try Self.lines(at: path, in: world) == items.map { $0.serialized() })
            }
        }
    }

    @Test("values of all kinds are the same in lists, alone, and in lines of every store")
    func sameKindsInLists() throws {
        var lines: [[String]] = []
        try APIWorld.each(Self.kinds, filling: Self.fillKinds) { world throws in
            for path in Self.paths(of: world) { try Self.checkLists(at: path, in: world) }
            // Each store has keys of its own for a second entity.
            let box = try #require(try world.get("/api/Box")["items"]?.array?[0]["_id"]?.string)
            lines.append(
                try Self.lines(at: "/api/Thing", in: world).map { $0.replacing("\"\(box)\"", with: "\"Box\"") }
            )
        }
        #expect(lines[0].count == 6)
        for others in lines.dropFirst() { #expect(others == lines[0]) }
    }

    @Test(
        "what an object embeds is the same in lists, alone, and in every store",
        arguments: [
            "include=other,others,box", "select=text,others", "include=others(limit=1,sort=-number),box.things",
            "include=others.other.others(select=number)", "select=box.things.text,number",
            "include=others(where=number < 0),other", "include=others(limit=0)",
        ]
    )
    func sameEmbedded(selection: String) throws {
        let selection = selection.replacing(" ", with: "%20").replacing("<", with: "%3C")
        var answers: [String] = []
        try APIWorld.each(Self.kinds, filling: Self.fillKinds) { world throws in
            let items = try #require(try world.get("/api/Thing?\(selection)")["items"]?.array)
            #expect(items.count == 6)
            for item in items {
                let reference = try #require(item["_id"]?.string)
                #expect(try world.get("/api/\(reference)?\(selection)").text == item.serialized())
            }
            let lines = try world.get("/api/Thing?\(selection)", [.accept: "application/x-ndjson"]).text
            let cells = try world.get("/api/Thing?\(selection)", [.accept: "text/csv"]).text
            let box = try #require(try world.get("/api/Box")["items"]?.array?[0]["_id"]?.string)
            answers.append((lines + cells).replacing(box, with: "Box"))
        }
        #expect(Set(answers).count == 1)
    }

    private static func paths(of world: APIWorld) -> [String] {
        world.api.catalogue.resources.filter { $0.entity.entity.parentName == nil }.map { "/api/\($0.path)" }
    }

    @discardableResult private static func checkLists(at path: String, in world: APIWorld) throws -> [JSONValue] {
        let items = try #require(try world.get("\(path)?limit=500")["items"]?.array)
        for item in items {
            let reference = try #require(item["_id"]?.string)
            #expect(try world.get("/api/\(reference)").text == item.serialized())
        }
        var paged: [JSONValue] = []
        var next: String? = "\(path)?limit=2"
        while let target = next {
            let page = try world.get(target)
            paged += page["items"]?.array ?? []
            next = page["next"]?.string
        }
        #expect(paged == items)
        return items
    }

    private static func lines(at path: String, in world: APIWorld) throws -> [String] {
        try world.get(path, [.accept: "application/x-ndjson"]).text.split(separator: "\n").map(String.init)
    }

    /// Attributes of all kinds, none in files, and references to objects of several entities.
    private static let kinds = Model {
        Entity("Thing") {
            Attribute("flag", .bool).optional()
            Attribute("number", .int32).optional()
            Attribute("ratio", .double).optional()
            Attribute("share", .float).optional()
            Attribute("amount", .decimal).optional()
            Attribute("day", .date).optional()
            Attribute("text", .string).optional()
            Attribute("link", .uri).optional()
            Attribute("key", .uuid).optional()
            Attribute("bytes", .binary).optional()
            Attribute("extra", .transformable(transformer: nil)).optional()
            Attribute("place", .composite("Place")).optional()
            Attribute("note", .string).optional().transient()
            Attribute("folded", .string).optional().derived("canonical:(text)")
            Relationship("other", toOne: "Thing", inverse: "others").optional()
            Relationship("others", toMany: "Thing", inverse: "other").optional()
            Relationship("box", toOne: "Box", inverse: "things").optional()
        }
        Entity("Gadget", parent: "Thing") { Attribute("power", .double).optional() }
        Entity("Box") { Relationship("things", toMany: "Thing", inverse: "box").optional() }
        Composite("Place") {
            Attribute("name", .string).optional()
            Attribute("height", .float).optional()
        }
    }

    private static func fillKinds(_ coordinator: PersistentStoreCoordinator) throws {
        let values: [[String: Value]] = [
            [:],
            [
                "flag": true, "number": -7, "ratio": .double(0.1), "share": .double(Double(Float(0.1))),
                "amount": .decimal(Decimal(string: "12.50") ?? 0), "day": .date(Date(timeIntervalSince1970: 0.25)),
                "text": "a \"b\"\n\\ é\u{1F30B}", "link": .uri("a:b"),
                "key": .uuid(try #require(UUID(uuidString: "0B7C1A52-9D3E-4F60-8A1B-2C3D4E5F6071"))),
                "bytes": .data(Data([1, 2])),
                "extra": .array([1, "two", .null]), "place": .dictionary(["name": "Top", "height": .double(0.5)]),
            ],
            ["flag": false, "ratio": .double(3), "day": .date(.distantPast), "text": ""],
        ]
        try coordinator.withContext { context in
            var last: ManagedObject?
            for entity in ["Thing", "Gadget"] {
                for values in values {
                    let thing = try context.insert(entity)
                    for (name, value) in values { try thing.setValue(value, forKey: name) }
                    try thing.setObject(last, forKey: "other")
                    last = thing
                }
            }
            try context.save()
            try last?.setObject(try context.insert("Box"), forKey: "box")
            try context.save()
        }
    }

    @Test("an object has its reference, entity and version first, then attributes and to-one references")
    func shape() throws {
        try APIWorld.each { world throws in
            let reference = try world.reference("Post", "Faults")
            let answer = try world.get("/api/\(reference)")
            #expect(answer.status == 200)
            #expect(answer.fields[.etag]?.hasPrefix("\"1-") == true)
            #expect(
                answer.text == """
                    {"_id":"\(reference)","_entity":"Post","_version":1,"title":"Faults","views":10,"published":false,\
                    "createdAt":"2026-05-10T06:13:20.25Z","price":null,"rating":null,"score":null,"uuid":null,\
                    "link":null,"extra":null,"picture":null,"__hidden":null,"foldedTitle":"faults","commentCount":1,\
                    "author":"\(try world.reference("User", "Anna"))"}
                    """
            )
        }
    }

    @Test("an object is found through its entity's name, alias and parent entity")
    func paths() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let key = anna.split(separator: "/")[1]
            for entity in ["User", "users", "Contact"] {
                #expect(try world.get("/api/\(entity)/\(key)")["_id"]?.string == anna)
            }
            #expect(try world.get("/api/Group/\(key)").status == 404)
        }
    }

    @Test("a missing object and an unknown entity are 404, with the nearest name as a hint")
    func missing() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts/99")
            #expect(answer.status == 404)
            #expect(answer.fields[.contentType] == "application/problem+json")
            #expect(answer["code"]?.string == "not-found")
            #expect(answer["detail"]?.string == "There is no Post “99”.")
            #expect(try world.get("/api/post/1")["hint"]?.string == "Did you mean “posts”?")
            #expect(try world.get("/api/posts/abc").status == 404)
            #expect(try world.get("/api/posts/9223372036854775808").status == 404)
        }
    }

    @Test("reading a cached object runs no statement")
    func statements() throws {
        try APIWorld.each { world throws in
            _ = try world.get("/api/posts/3")
            let answer = try world.get("/api/posts/3")
            #expect(answer.statements ?? 0 == 0)
        }
    }

    @Test("a wrong method on an object is refused with the allowed ones")
    func methods() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/1")
            #expect(answer.status == 405)
            #expect(answer.fields[.allow] == "GET, HEAD, PATCH, PUT, DELETE, OPTIONS")
            #expect(try world.send(.options, "/api/posts/1").status == 204)
        }
    }

    @Test("an object's path with a final slash is redirected")
    func slash() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/posts/1/?select=title")
            #expect(answer.status == 308)
            #expect(answer.fields[.location] == "/api/posts/1?select=title")
        }
    }
}
