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

    @Test("a text that isn't a reference, and a nested object that exists, get the hint at unique values")
    func hints() throws {
        try APIWorld.each { world throws in
            let named = try world.send(.post, "/api/posts", #"{"title":"a","author":"Anna","tags":["core"]}"#)
            #expect(
                named.messages == [
                    #"“Anna” isn't a reference such as "users/1". By unique values, it is {"_id": {"email": …}}."#,
                    #"“core” isn't a reference such as "tags/1". By unique values, it is {"_id": {"name": …}}."#,
                ]
            )
            // Comments have no unique values.
            let other = try world.send(.post, "/api/posts", #"{"title":"a","comments":["first"]}"#)
            #expect(other.messages == [#"“first” isn't a reference such as "comments/1"."#])
            let nested = try world.send(.post, "/api/posts", #"{"title":"a","tags":[{"name":"core"}]}"#)
            #expect(
                nested.status == 409
                    && nested["hint"]?.string
                        == "“Prefer: merge=overwrite” updates the existing object instead. In place of the "
                        + #"nested object, {"_id": {"name": …}} refers to the existing one."#,
                "\(nested.text)"
            )
            let followed = try world.send(.post, "/api/posts", #"{"title":"a","tags":[{"_id":{"name":"core"}}]}"#)
            #expect(followed.status == 201)
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
                    #"A reference by values has those of a uniqueness constraint of User, not name. Use {"email": …}."#,
                    "tags.name takes a string, not 5.", #"There is no User with email "no@example.org"."#,
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

    @Test(
        "an object that is named by unique values can't have other members",
        arguments: [#""name":"Ann""#, #""_entity":"User""#, #""_version":1"#]
    )
    func notAlone(member: String) throws {
        try APIWorld.each { world throws in
            let body = "{\"title\":\"t\",\"author\":{\"_id\":{\"email\":\"bea@example.org\"},\(member)}}"
            let answer = try world.send(.post, "/api/posts", body)
            #expect(answer.status == 422)
            let name = member.dropFirst().prefix { $0 != "\"" }
            let message =
                "An object that is named by unique values can't have “\(name)” here. To change it, name it by its reference."
            #expect(answer.messages == [message])
            #expect(answer["errors"]?[0]?["pointer"]?.string == "/author/\(name)")
            #expect(try world.count("Post") == 6)
        }
    }

    @Test("members that are named by unique values can be moved")
    func moved() throws {
        let model = Model {
            Entity("List") {
                Attribute("name", .string)
                Relationship("items", toMany: "Item", inverse: "list").optional().ordered()
            }
            Entity("Item") {
                Attribute("name", .string)
                Relationship("list", toOne: "List", inverse: "items").optional()
                UniquenessConstraint("name")
            }
        }
        try APIWorld.each(model, filling: Self.nothing) { world throws in
            let body = #"{"name":"l","items":[{"name":"a"},{"name":"b"},{"name":"c"}]}"#
            let made = try world.send(.post, "/api/List", body)
            let list = try #require(made["_id"]?.string)
            let move = #"{"items":{"move":[{"_id":{"name":"c"},"to":0}]}}"#
            #expect(try world.send(.patch, "/api/\(list)", move).status == 200)
            #expect(try world.names("List", "l", "items", "name") == ["c", "a", "b"])
            let missing = #"{"items":{"move":[{"_id":{"name":"x"},"to":0}]}}"#
            let refused = try world.send(.patch, "/api/\(list)", missing)
            #expect(refused.messages == [#"There is no Item with name "x"."#])
        }
    }

    @Test("an upsert adds members of a one-to-many relationship, and sets those of a many-to-many one")
    func upsertedMembers() throws {
        try APIWorld.each(Self.seats, filling: Self.nothing) { world throws in
            let seat = #"{"name":"A","seats":[{"number":1}]}"#
            #expect(try world.send(.post, "/api/Row", seat).status == 201)
            #expect(try world.send(.post, "/api/Row", #"{"name":"B","seats":[{"number":2}]}"#).status == 201)
            let two = try world.send(.get, "/api/Seat?number=2")
            let moved = try #require(two["items"]?[0]?["_id"]?.string)
            let upsert = "{\"name\":\"A\",\"seats\":[\"\(moved)\"]}"
            #expect(try world.send(.post, "/api/Row", upsert, fields: Self.upsert).status == 204)
            let seats = try world.send(.get, "/api/Seat?where=row.name%20==%20'A'&sort=number")
            #expect(seats["items"]?.array?.compactMap { $0["number"] } == [1, 2], "\(seats.text)")
        }
        try APIWorld.each { world throws in
            let core = try world.send(.post, "/api/tags", #"{"name":"core","posts":[]}"#, fields: Self.upsert)
            #expect(core.status == 204, "\(core.text)")
            #expect(try world.names("Tag", "core", "posts", "title") == [])
        }
    }

    @Test("an operation that contradicts an upsert of a stored or new object is refused", arguments: ["core", "x"])
    func contradictedUpsert(tag: String) throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let body = """
                {"operations":[{"update":"\(post)","values":{"tags":{"add":["$t"]}}},
                 {"insert":"Tag","id":"$t","values":{"name":"\(tag)","posts":[]}}]}
                """
            let refused = try world.send(.post, "/api/transaction", body, fields: Self.upsert)
            #expect(refused.status == 422 && refused.text.contains("contradicts"), "\(refused.text)")
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
            #expect(part.messages.first?.hasSuffix(#"Use {"row": …, "number": …}."#) == true)
            let wrong = #"{"name":"g","seat":{"_id":{"row":"Guest/1","number":2}}}"#
            let entity = try world.send(.post, "/api/Guest", wrong)
            #expect(entity.messages == ["Guest/1 is a Guest, but a Row is expected."])
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

    @Test("a dry run reports an insertion with the unique values of two objects")
    func severalHolders() throws {
        let model = Model {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("mail", .string)
                UniquenessConstraint("name")
                UniquenessConstraint("mail")
            }
        }
        try APIWorld.each(model, filling: Self.nothing) { world throws in
            for letter in ["a", "b"] {
                #expect(
                    try world.send(.post, "/api/Person", "{\"name\":\"\(letter)\",\"mail\":\"\(letter)\"}").status
                        == 201
                )
            }
            let (a, b) = (try world.reference("Person", "a"), try world.reference("Person", "b"))
            func tried(_ mail: String, _ policy: String) throws -> Answer {
                let body =
                    "{\"operations\":[{\"insert\":\"Person\",\"values\":{\"name\":\"a\",\"mail\":\"\(mail)\"}}]}"
                return try world.send(.post, "/api/transaction?dryRun=true", body, fields: Self.merging(policy))
            }
            for policy in ["object", "overwrite"] {
                let answer = try tried("b", policy)
                #expect(answer.status == 422)
                let message =
                    "It has unique values of \(a) and \(b): the save would change \(a), and delete \(b)."
                #expect(answer.messages == [message])
                #expect(
                    try [200, 204].contains(tried("a", policy).status)
                        && [200, 204].contains(tried("c", policy).status)
                )
            }
            // The request is dropped, so nothing is deleted.
            #expect(try [200, 204].contains(tried("b", "store").status))
        }
    }

    // MARK: Both sides

    @Test("a nested object that names another owner by unique values is refused, and one that names its owner isn't")
    func owners() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            func nested(_ email: String) -> String {
                "{\"title\":\"n\",\"author\":{\"_id\":{\"email\":\"\(email)\"}}}"
            }
            let new = { (email: String) in
                "{\"name\":\"New\",\"email\":\"new@example.org\",\"posts\":[\(nested(email))]}"
            }
            let added = { (email: String) in "{\"posts\":{\"add\":[\(nested(email))]}}" }
            for (method, path, body, owner) in [
                (HTTPMethod.post, "/api/users", new("bea@example.org"), "users"),
                (.patch, "/api/\(anna)", added("bea@example.org"), anna),
            ] {
                let answer = try world.send(method, path, body)
                #expect(answer.status == 422, "\(answer.text)")
                let message =
                    "It is added to posts of \(owner), but its own “author” is the User with these unique values. "
                    + "Omit “author”."
                #expect(answer.messages == [message])
                #expect(answer["errors"]?[0]?["property"] == "author")
            }
            #expect(try world.count("Post") == 6 && world.count("User") == 3)
            #expect(try world.send(.post, "/api/users", new("new@example.org")).status == 201)
            #expect(try world.send(.patch, "/api/\(anna)", added("anna@example.org")).status == 200)
            #expect(try world.names("User", "New", "posts", "title") == ["n"])
            #expect(try world.names("User", "Anna", "posts", "title").contains("n"))
        }
    }

    @Test("a nested object that names members by unique values also gets the object that it is nested in")
    func includedOwners() throws {
        try APIWorld.each { world throws in
            func group(_ id: String, _ email: String) -> String {
                "{\(id),\"members\":[{\"_id\":{\"email\":\"\(email)\"}}]}"
            }
            let body = "{\"name\":\"New\",\"groups\":[\(group("\"name\":\"G\"", "bea@example.org"))]}"
            #expect(try world.send(.post, "/api/users", body).status == 201)
            #expect(try world.names("Group", "G", "members", "name") == ["Bea", "New"])
            // An existing object's members are all of them, so the object that it is nested in has to be among these.
            let own = "\"_id\":\"\(try world.reference("Group", "G"))\""
            let path = "/api/\(try world.reference("User", "New"))"
            let refused = try world.send(.patch, path, "{\"groups\":[\(group(own, "bea@example.org"))]}")
            #expect(refused.status == 422)
            #expect(refused.messages.first?.contains("which its own “members” doesn't contain") == true)
            #expect(try world.send(.patch, path, #"{"email":"new@example.org"}"#).status == 200)
            let set = try world.send(.patch, path, "{\"groups\":[\(group(own, "new@example.org"))]}")
            #expect(set.status == 200, "\(set.text)")
            #expect(try world.names("Group", "G", "members", "name") == ["New"])
        }
    }

    /// A model in which both ends of a relationship have unique values.
    private static let letters = Model {
        Entity("Author") {
            Attribute("name", .string)
            Relationship("letters", toMany: "Letter", inverse: "author").optional()
            UniquenessConstraint("name")
        }
        Entity("Letter") {
            Attribute("name", .string)
            Relationship("author", toOne: "Author", inverse: "letters").optional()
            UniquenessConstraint("name")
        }
    }

    @Test("a new object of the body that unique values name as a member may not have another owner")
    func members() throws {
        try APIWorld.each(Self.letters, filling: Self.nothing) { world throws in
            func body(_ owner: String) -> String {
                "[{\"name\":\"a\",\"letters\":[{\"_id\":{\"name\":\"l\"}}]},"
                    + "{\"name\":\"b\",\"letters\":[{\"name\":\"m\"}]},"
                    + "{\"name\":\"c\",\"letters\":[{\"name\":\"l\",\"author\":{\"_id\":{\"name\":\"\(owner)\"}}}]}]"
            }
            for owner in ["b", "c"] {
                let answer = try world.send(.post, "/api/Author", body(owner))
                #expect(answer.status == 422)
                #expect(answer.messages.allSatisfy { $0.hasPrefix("It is added to letters of /") }, "\(answer.text)")
            }
            #expect(try world.count("Author") == 0)
        }
    }

    // MARK: Dropped insertions

    private static func merging(_ policy: String) -> HeaderFields { [.prefer: "return=minimal, merge=\(policy)"] }

    @Test(
        "an insertion isn't replaced by one that is dropped with the object it is nested in",
        arguments: ["store", "rollback"]
    )
    func droppedWithParent(policy: String) throws {
        try APIWorld.each { world throws in
            let body = #"""
                {"operations":[
                 {"insert":"User","values":{"email":"anna@example.org","posts":[{"title":"p","tags":[{"name":"fresh"}]}]}},
                 {"insert":"Tag","id":"$t","values":{"name":"fresh"}},
                 {"insert":"Tag","id":"$again","values":{"name":"fresh"}},
                 {"insert":"Post","values":{"title":"q","tags":[{"_id":{"name":"fresh"}}]}}]}
                """#
            let answer = try world.send(.post, "/api/transaction", body, fields: Self.merging(policy))
            #expect(answer.status == 200, "\(answer.text)")
            let tag = try world.reference("Tag", "fresh")
            #expect(answer["ids"]?["$t"]?.string == tag && answer["ids"]?["$again"]?.string == tag)
            #expect(answer["updated"] == nil)
            #expect(try world.names("Tag", "fresh", "posts", "title") == ["q"])
            #expect(try world.count("Post") == 7)
        }
    }

    @Test("an insertion isn't replaced by one below a change that is dropped")
    func droppedWithChange() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            #expect(try world.send(.patch, "/api/\(anna)", #"{"age":35}"#).status == 200)
            let body =
                "{\"operations\":[{\"update\":\"\(anna)\",\"version\":1,\"values\":"
                + "{\"posts\":{\"add\":[{\"title\":\"p\",\"tags\":[{\"name\":\"fresh\"}]}]}}},"
                + "{\"insert\":\"Tag\",\"id\":\"$t\",\"values\":{\"name\":\"fresh\"}}]}"
            let answer = try world.send(.post, "/api/transaction", body, fields: Self.merging("rollback"))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer["ids"]?["$t"]?.string == world.reference("Tag", "fresh"))
            #expect(try world.count("Post") == 6)
        }
    }

    /// A model in which only the save knows the unique values.
    private static let shelves = Model {
        Entity("Shelf") {
            Attribute("name", .string)
            Attribute("key", .string).optional().derived("canonical:(name)")
            Relationship("books", toMany: "Book", inverse: "shelf").optional()
            UniquenessConstraint("key")
        }
        Entity("Book") {
            Attribute("name", .string)
            Attribute("key", .string).optional().derived("canonical:(name)")
            Relationship("shelf", toOne: "Shelf", inverse: "books").optional()
            UniquenessConstraint("key")
        }
    }

    @Test("an insertion isn't replaced by one that the save drops", arguments: ["store", "rollback"])
    func droppedBySave(policy: String) throws {
        try APIWorld.each(Self.shelves, filling: Self.nothing) { world throws in
            #expect(try world.send(.post, "/api/Shelf", #"{"name":"One"}"#).status == 201)
            let body = #"""
                {"operations":[{"insert":"Shelf","values":{"name":"ONE","books":[{"name":"Book"}]}},
                 {"insert":"Book","id":"$b","values":{"name":"book"}}]}
                """#
            let answer = try world.send(.post, "/api/transaction", body, fields: Self.merging(policy))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try world.count("Book") == 1 && world.count("Shelf") == 1)
            #expect(try answer["ids"]?["$b"]?.string == world.reference("Book", "book"))
            #expect(answer["updated"] == nil)
        }
    }

    @Test("a reference to an insertion that is dropped with its parent is refused, by a name and by unique values")
    func droppedDestination() throws {
        try APIWorld.each { world throws in
            for reference in [#""$n""#, #"{"_id":{"name":"fresh"}}"#] {
                let body =
                    "{\"operations\":[{\"insert\":\"User\",\"values\":{\"email\":\"anna@example.org\","
                    + "\"posts\":[{\"tags\":[{\"_id\":\"$n\",\"name\":\"fresh\"}]}]}},"
                    + "{\"insert\":\"Post\",\"values\":{\"title\":\"q\",\"tags\":[\(reference)]}}]}"
                let answer = try world.send(.post, "/api/transaction", body, fields: Self.merging("store"))
                #expect(answer.status == 422, "\(answer.text)")
                #expect(answer["errors"]?.array?.map { $0["pointer"] } == ["/operations/1/values/tags/0"])
                #expect(try world.count("Post") == 6 && world.count("Tag") == 3)
            }
        }
    }
}
