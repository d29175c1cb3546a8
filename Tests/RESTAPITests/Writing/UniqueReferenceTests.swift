// SPDX-License-Identifier: Apache-2.0

// References by unique values, and upserts that find objects by them.

import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Testing

@testable import RESTAPI

@Suite("References by unique values")
struct UniqueReferenceTests {
    private static let upsert: HeaderFields = [.prefer: "return=minimal, merge=object"]

    @Test("unique values name stored objects and new ones of the same body, in any relationship")
    func resolved() throws {
        try APIWorld.each { world throws in
            let body = #"""
                {"operations":[
                 {"insert":"Post","id":"$a","values":{"title":"a","author":{"_id":{"email":"bea@example.org"}},
                  "tags":[{"_id":{"name":"core"}},{"_id":{"name":"fresh"}}]}},
                 {"insert":"Post","id":"$b","values":{"title":"b","author":{"_id":{"email":"dan@example.org"}}}},
                 {"insert":"Tag","values":{"name":"fresh"}},
                 {"insert":"User","values":{"name":"Dan","email":"dan@example.org"}}]}
                """#
            for path in ["/api/transaction?dryRun=true", "/api/transaction"] {
                #expect(try world.send(.post, path, body).status == 200)
            }
            #expect(try world.names("Post", "a", "tags", "name") == ["core", "fresh"])
            #expect(try world.names("User", "Bea", "posts", "title").contains("a"))
            #expect(try world.names("User", "Dan", "posts", "title") == ["b"])
            let post = try world.reference("Post", "b")
            let set = try world.send(.put, "/api/\(post)/author", #"{"_id":{"email":"cem@example.org"}}"#)
            let cem = try world.reference("User", "Cem")
            #expect(set.status == 200 && set["author"]?.string == cem)
            let added = try world.send(.patch, "/api/\(post)", #"{"tags":{"add":[{"_id":{"name":"core"}}]}}"#)
            #expect(added.status == 200)
            #expect(try world.names("Post", "b", "tags", "name") == ["core"])
        }
    }

    @Test("unique values cost about as many statements as references, however many there are")
    func statements() throws {
        try APIWorld.each { world throws in
            let names = (0..<60).map { "{\"name\":\"n\($0)\"}" }
            let made = try world.send(.post, "/api/tags", "[\(names.joined(separator: ","))]")
            let references = try #require(made["items"]?.array).compactMap { $0["_id"]?.serialized() }
            func add(_ members: [String], to post: String) throws -> Int {
                let path = "/api/\(try world.reference("Post", post))"
                let answer = try world.send(.patch, path, "{\"tags\":{\"add\":[\(members.joined(separator: ","))]}}")
                #expect(answer.status == 200)
                return answer.statements ?? 0
            }
            let byReferences = try add(references, to: "Faults")
            let byValues = try add(names.map { "{\"_id\":\($0)}" }, to: "Undo")
            // One query in a transaction; the rows of the references are cached.
            #expect(byValues <= byReferences + 3)
        }
    }

    @Test("values that no object has, or that aren't unique, are refused with their place")
    func refused() throws {
        try APIWorld.each { world throws in
            let body = #"""
                {"operations":[{"insert":"Post","values":{"author":{"_id":{"email":"no@example.org"}}}},
                 {"insert":"Post","values":{"author":{"_id":{"name":"Anna"}},"tags":[{"_id":{"name":5}},{"_id":{"name":null}}]}}]}
                """#
            let answer = try world.send(.post, "/api/transaction", body)
            #expect(answer.status == 422)
            #expect(
                answer.messages == [
                    "A reference by values has those of a uniqueness constraint of User, not name.",
                    "tags takes a string, not 5.", "There is no User with these unique values.",
                ]
            )
            #expect(
                answer["errors"]?.array?.map { $0["pointer"]?.string } == [
                    "/operations/1/values/author", "/operations/1/values/tags/0/_id/name",
                    "/operations/0/values/author",
                ]
            )
        }
    }

    @Test("in an editing context, unique values name pending objects as well")
    func drafted() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            #expect(try world.send(.post, "\(context)/tags", #"{"name":"pending"}"#).status == 201)
            let body = #"{"title":"d","tags":[{"_id":{"name":"pending"}},{"_id":{"name":"core"}}]}"#
            #expect(try world.send(.post, "\(context)/posts", body).status == 201)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.names("Post", "d", "tags", "name") == ["core", "pending"])
        }
    }

    /// A model in which the values of two properties are unique together.
    private static let seats = Model {
        Entity("Row") {
            Attribute("name", .string)
            Relationship("seats", toMany: "Seat", inverse: "row").optional()
            UniquenessConstraint("name")
        }
        Entity("Seat") {
            Attribute("number", .int64)
            Relationship("row", toOne: "Row", inverse: "seats")
            Relationship("guests", toMany: "Guest", inverse: "seat").optional()
            UniquenessConstraint("row", "number")
        }
        Entity("Guest") {
            Attribute("name", .string)
            Relationship("seat", toOne: "Seat", inverse: "guests").optional()
        }
    }

    private static func nothing(_ coordinator: PersistentStoreCoordinator) {}

    @Test("a constraint may have several properties, and relationships")
    func severalProperties() throws {
        try APIWorld.each(Self.seats, filling: Self.nothing) { world throws in
            for name in ["A", "B"] {
                let seats = (1...3).map { "{\"number\":\($0)}" }.joined(separator: ",")
                let made = try world.send(.post, "/api/Row", "{\"name\":\"\(name)\",\"seats\":[\(seats)]}")
                #expect(made.status == 201)
            }
            let row = try world.reference("Row", "B")
            let values = "{\"row\":\"\(row)\",\"number\":2}"
            let made = try world.send(.post, "/api/Guest", "{\"name\":\"g\",\"seat\":{\"_id\":\(values)}}")
            #expect(made.status == 201, "\(made.text)")
            let seat = try #require(made["seat"]?.string)
            let found = try world.get("/api/\(seat)")
            #expect(found["number"] == 2 && found["row"]?.string == row)
            // The properties alone aren't unique.
            let part = try world.send(.post, "/api/Guest", #"{"name":"g","seat":{"_id":{"number":2}}}"#)
            #expect(part.status == 422)
        }
    }

    @Test("with a merge policy, an insertion with an object's unique values may lack required ones")
    func partialUpsert() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let body = #"""
                {"operations":[{"insert":"User","id":"$u","values":{"email":"anna@example.org","age":35}},
                 {"insert":"Tag","id":"$t","values":{"name":"t"}},
                 {"insert":"User","id":"$v","values":{"email":"anna@example.org","note":"again"}}]}
                """#
            let refused = try world.send(.post, "/api/transaction", body, fields: [.prefer: "return=minimal"])
            #expect(refused.status == 422)
            let answer = try world.send(.post, "/api/transaction", body, fields: Self.upsert)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["ids"]?["$u"]?.string == anna && answer["ids"]?["$v"]?.string == anna)
            #expect(answer["updated"] == ["$u", "$v"])
            let user = try world.get("/api/\(anna)")
            #expect(user["name"] == "Anna" && user["age"] == 35 && user["note"] == "again")
            let incomplete = #"{"operations":[{"insert":"User","values":{"email":"new@example.org"}}]}"#
            #expect(try world.send(.post, "/api/transaction", incomplete, fields: Self.upsert).status == 422)
        }
    }

    @Test("with a merge policy, unique values that the transaction releases are those of a new object")
    func released() throws {
        try APIWorld.each { world throws in
            let core = try world.reference("Tag", "core")
            let body =
                "{\"operations\":[{\"delete\":\"\(core)\"},{\"insert\":\"Tag\",\"id\":\"$t\",\"values\":{\"name\":\"core\"}}]}"
            let answer = try world.send(.post, "/api/transaction", body, fields: Self.upsert)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["updated"] == nil && answer["ids"]?["$t"]?.string != core)
            #expect(try world.count("Tag") == 3)
        }
    }

    @Test("a dry run reports invalid values, missing ones and taken unique ones at once, and a save the first kind")
    func allAtOnce() throws {
        try APIWorld.each { world throws in
            let body = #"""
                {"operations":[{"insert":"Tag","values":{"name":5}},{"insert":"Tag","values":{}},
                 {"insert":"Tag","id":"$t","values":{"name":"core"}},{"insert":"Tag","values":{"name":"fine"}}]}
                """#
            let tried = try world.send(.post, "/api/transaction?dryRun=true", body)
            #expect(tried.status == 422)
            #expect(tried.codes == ["type", "required", "unique"])
            #expect(tried["errors"]?[2]?["object"] == "$t")
            let missing = #"{"operations":[{"insert":"Tag","values":{}},{"insert":"Tag","values":{"name":"core"}}]}"#
            #expect(try world.send(.post, "/api/transaction?dryRun=true", missing).codes == ["required", "unique"])
            #expect(try world.send(.post, "/api/transaction", missing).codes == ["required"])
        }
    }
}
