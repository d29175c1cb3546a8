// SPDX-License-Identifier: Apache-2.0

// Changing objects: PATCH, PUT and increments.

import Dispatch
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Changing objects")
struct ChangeTests {
    @Test("contradictory values for one object in a body are refused")
    func contradictions() throws {
        try APIWorld.each { world throws in
            let (post, comment) = try (world.post("Faults"), world.reference("Comment", "Well said."))
            func patch(_ first: String, _ second: String) throws -> Answer {
                let members = [first, second].map { "{\"_id\":\"\(comment)\",\"text\":\"\($0)\"}" }
                return try world.send(.patch, "/api/\(post)", "{\"comments\":[\(members.joined(separator: ","))]}")
            }
            let refused = try patch("a", "b")
            #expect(refused.status == 422, "\(refused.text)")
            #expect(refused["errors"]?[0]?["code"] == "duplicate", "\(refused.text)")
            #expect(try world.get("/api/\(comment)")["text"] == "Well said.")
            #expect(try patch("a", "a").status == 200)
        }
    }

    @Test("a shown object can be sent back, although the no-action rule left a dangling reference")
    func danglingReferences() throws {
        let model = Model {
            Entity("Owner") {
                Attribute("name", .string)
                Relationship("cars", toMany: "Car", inverse: "owner", deleteRule: .noAction).optional()
            }
            Entity("Car") {
                Attribute("name", .string)
                Relationship("owner", toOne: "Owner", inverse: "cars").optional()
            }
        }
        func nothing(_ coordinator: PersistentStoreCoordinator) {}
        try APIWorld.each(model, filling: nothing) { world throws in
            let owner = try #require(world.send(.post, "/api/Owner", #"{"name":"Ann"}"#)["_id"]?.string)
            let body = "{\"name\":\"a\",\"owner\":\"\(owner)\"}"
            let car = try #require(world.send(.post, "/api/Car", body)["_id"]?.string)
            #expect(try world.send(.delete, "/api/\(owner)").status == 204)
            let shown = try world.get("/api/\(car)")
            #expect(shown["owner"]?.string == owner)
            for method in [HTTPMethod.put, .patch] {
                let answer = try world.send(method, "/api/\(car)", try world.get("/api/\(car)").text)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["owner"]?.string == owner)
            }
            #expect(try world.send(.put, "/api/\(car)", "{\"name\":\"b\",\"owner\":\"\(owner)\"}")["name"] == "b")
            #expect(try world.send(.patch, "/api/\(car)", #"{"owner":"Owner/999"}"#).status == 422)
            #expect(try world.send(.post, "/api/Car", body).status == 422)
            #expect(try world.send(.put, "/api/\(car)", #"{"name":"c"}"#)["owner"] == .null)
        }
    }

    @Test("$inc adds to a number in a composite, and a missing number counts as zero")
    func elementIncrements() throws {
        try APIWorld.each { world throws in
            let (anna, bea) = (try world.user("Anna"), try world.user("Bea"))
            let body = "{\"address\":{\"zip\":{\"$inc\":-73}}}"
            #expect(try world.send(.patch, "/api/\(anna)", body)["address"]?["zip"] == 89000)
            #expect(try world.send(.patch, "/api/\(anna)", body)["address"]?["city"] == "Ulm")
            #expect(try world.send(.patch, "/api/\(bea)", body)["address"]?["zip"] == -73)
            for (amount, code) in [("2147483647", "range"), ("\"1\"", "type"), ("null", "type"), ("0.5", "type")] {
                let wrong = "{\"address\":{\"zip\":{\"$inc\":\(amount)}}}"
                let answer = try world.send(.patch, "/api/\(anna)", wrong)
                #expect(answer.status == 422)
                #expect(answer["errors"]?[0]?["code"]?.string == code)
            }
        }
    }

    @Test("a merge patch keeps absent properties, clears null ones, and returns the object")
    func patch() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            for type in [
                "application/merge-patch+json", "application/json", "application/merge-patch+json; charset=utf-8",
            ] {
                let answer = try world.send(
                    .patch,
                    "/api/\(post)",
                    "{\"title\":\"\(type)\"}",
                    fields: [.contentType: type]
                )
                #expect(answer.status == 200)
                #expect(answer["title"]?.string == type)
                #expect(answer["views"] == 10)
            }
            let cleared = try world.send(.patch, "/api/\(post)", "{\"createdAt\":null,\"author\":null}")
            #expect(cleared["createdAt"] == .null)
            #expect(cleared["author"] == .null)
            #expect(cleared["_version"] == 5)
            #expect(try cleared.fields[.etag] == world.get("/api/\(post)").fields[.etag])
            #expect(try world.get("/api/\(post)").text == cleared.text)
            let required = try world.send(.patch, "/api/\(post)", "{\"title\":null}")
            #expect(required.status == 422)
            #expect(required.codes == ["required"])
        }
    }

    @Test("a patch that changes nothing keeps the version")
    func unchanged() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let shown = try #require(try world.get("/api/\(post)").json?.object)
            var body = shown
            for name in ["foldedTitle", "commentCount"] { body[name] = nil }
            let patched = try world.send(.patch, "/api/\(post)", JSONValue.object(body).serialized())
            #expect(patched.status == 200)
            #expect(patched["_version"] == 1)
            let put = try world.send(.put, "/api/\(post)", JSONValue.object(body).serialized())
            #expect(put["_version"] == 1)
            #expect(put.json?.object == shown)
        }
    }

    @Test("a patch merges composites recursively, and replaces transformable values as a whole")
    func composites() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let answer = try world.send(.patch, "/api/\(anna)", "{\"address\":{\"city\":\"Bonn\",\"zip\":null}}")
            #expect(answer["address"] == ["street": "Hill 1", "city": "Bonn", "zip": nil])
            let bea = try world.reference("User", "Bea")
            #expect(
                try world.send(.patch, "/api/\(bea)", "{\"address\":{\"city\":\"Bonn\"}}")["address"]
                    == ["street": nil, "city": "Bonn", "zip": nil]
            )
            #expect(try world.send(.patch, "/api/\(bea)", "{\"address\":null}")["address"] == .null)
            let put = try world.send(.put, "/api/\(anna)", "{\"name\":\"A\",\"address\":{\"zip\":1}}")
            #expect(put["address"] == ["street": nil, "city": nil, "zip": 1])
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", "{\"extra\":{\"a\":1,\"b\":2}}")
            #expect(try world.send(.patch, "/api/\(post)", "{\"extra\":{\"a\":null}}")["extra"] == ["a": nil])
        }
    }

    @Test("PUT resets missing attributes to defaults and to-one relationships to null, and keeps to-many ones")
    func put() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let answer = try world.send(.put, "/api/\(post)", "{\"views\":7}")
            #expect(answer.status == 200)
            #expect(answer["title"] == "Untitled")
            #expect(answer["views"] == 7)
            #expect(answer["createdAt"] == .null)
            #expect(answer["author"] == .null)
            #expect(try world.names("Post", "Untitled", "tags", "name") == ["core", "data"])
            #expect(try world.names("Post", "Untitled", "pages", "text") == ["one", "two"])
            #expect(try world.send(.put, "/api/posts/999", "{}").status == 404)
            #expect(try world.send(.patch, "/api/posts/999", "{}").status == 404)
        }
    }

    @Test("_id, _entity and _version are accepted if they are the object's own")
    func identity() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let answer = try world.send(
                .patch,
                "/api/\(post)",
                "{\"_id\":\"\(post)\",\"_entity\":\"Post\",\"_version\":1,\"views\":1}"
            )
            #expect(answer.status == 200)
            let uri = try world.uri("Post", "Faults")
            #expect(try world.send(.patch, "/api/\(post)", "{\"_id\":\"\(uri)\"}").status == 200)
            let other = try world.send(.patch, "/api/\(post)", "{\"_id\":\"posts/999\",\"_entity\":\"User\"}")
            #expect(other.status == 422)
            #expect(other.codes == ["identity", "identity"])
        }
    }

    @Test("an object named by its parent entity accepts its own entity's properties")
    func above() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna").replacing("users", with: "Contact")
            #expect(try world.send(.patch, "/api/\(anna)", "{\"age\":35}")["age"] == 35)
            let group = try world.reference("Group", "Writers").replacing("Group", with: "Contact")
            let answer = try world.send(.patch, "/api/\(group)", "{\"age\":35}")
            #expect(answer.status == 422)
            #expect(answer.messages == ["Group has no property “age”."])
        }
    }

    @Test("$inc adds to numbers of every type")
    func increments() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", "{\"price\":\"0.1\",\"score\":1.5,\"rating\":0.5}")
            let body =
                "{\"views\":{\"$inc\":5},\"price\":{\"$inc\":\"0.2\"},\"score\":{\"$inc\":-1},\"rating\":{\"$inc\":1}}"
            let answer = try world.send(.patch, "/api/\(post)", body)
            #expect(answer["views"] == 15)
            #expect(answer["price"] == "0.3")
            #expect(answer["score"] == 0.5)
            #expect(answer["rating"] == 1.5)
            let most = try world.send(.patch, "/api/\(post)", "{\"views\":{\"$inc\":9223372036854775807}}")
            #expect(most.status == 422)
            #expect(most.codes == ["range"])
            let wrong = try world.send(
                .patch,
                "/api/\(post)",
                "{\"views\":{\"$inc\":\"1\"},\"title\":{\"$inc\":1},\"score\":{\"inc\":1}}"
            )
            #expect(wrong.codes == ["type", "type", "type"])
            #expect(
                wrong.messages.last == "score takes a number, or {\"$inc\": n} to add to it. Did you mean “$inc”?"
            )
        }
    }

    @Test("concurrent increments lose nothing and cause no conflict")
    func concurrency() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let failures = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                for _ in 0..<20 {
                    let body = "{\"views\":{\"$inc\":1},\"score\":\(number)}"
                    let answer = try? world.send(.patch, "/api/\(post)", body)
                    if answer?.status != 200 { failures.wrappingAdd(1, ordering: .relaxed) }
                }
            }
            #expect(failures.load(ordering: .relaxed) == 0)
            #expect(try world.get("/api/\(post)")["views"] == 90)
        }
    }

    @Test("sending back a date keeps the stored precision")
    func dates() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let stored = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
            try world.coordinator.withContext { context in
                let request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("title == 'Faults'"))
                try context.fetch(request).first?.setValue(.date(stored), forKey: "createdAt")
                try context.save()
            }
            let shown = try #require(try world.get("/api/\(post)")["createdAt"]?.string)
            #expect(shown == "2026-05-09T06:13:20.123457Z")
            _ = try world.send(.patch, "/api/\(post)", "{\"createdAt\":\"\(shown)\",\"views\":3}")
            #expect(try world.value("Post", "Faults", "createdAt") == .date(stored))
        }
    }

    @Test("bytes are kept if they are named by their path, and replaced by base64")
    func bytes() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", "{\"picture\":\"AAEC\"}")
            let shown = try #require(try world.get("/api/\(post)")["picture"])
            #expect(shown["bytes"] == 3)
            for method in [HTTPMethod.patch, .put] {
                let answer = try world.send(
                    method,
                    "/api/\(post)",
                    "{\"title\":\"Faults\",\"picture\":\(shown.serialized())}"
                )
                #expect(answer["picture"] == shown)
            }
            let wrong = try world.send(.patch, "/api/\(post)", "{\"picture\":{\"href\":\"/api/posts/77/picture\"}}")
            #expect(wrong.codes == ["type"])
        }
    }

    @Test("a to-many relationship is replaced as a whole, or edited by adding, removing and moving")
    func members() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let (core, swift) = (try world.reference("Tag", "core"), try world.reference("Tag", "swift"))
            let edited = try world.send(
                .patch,
                "/api/\(post)",
                "{\"tags\":{\"add\":[\"\(swift)\",{\"name\":\"new\"}],\"remove\":[\"\(core)\"]}}"
            )
            #expect(edited.status == 200)
            #expect(try world.names("Post", "Saving", "tags", "name") == ["data", "new", "swift"])
            _ = try world.send(.patch, "/api/\(post)", "{\"tags\":[\"\(core)\"]}")
            #expect(try world.names("Post", "Saving", "tags", "name") == ["core"])
            let (one, two) = (try world.page("Saving", 0), try world.page("Saving", 1))
            _ = try world.send(.patch, "/api/\(post)", "{\"pages\":{\"move\":[{\"_id\":\"\(two)\",\"to\":0}]}}")
            #expect(try world.names("Post", "Saving", "pages", "text") == ["two", "one"])
            _ = try world.send(.patch, "/api/\(post)", "{\"pages\":[\"\(one)\",{\"text\":\"x\"},\"\(two)\"]}")
            #expect(try world.names("Post", "Saving", "pages", "text") == ["one", "x", "two"])
            _ = try world.send(.patch, "/api/\(post)", "{\"tags\":null}")
            #expect(try world.names("Post", "Saving", "tags", "name") == [])
            let wrong = try world.send(
                .patch,
                "/api/\(post)",
                "{\"tags\":{\"move\":[]},\"pages\":{\"move\":[{\"_id\":\"\(one)\",\"to\":3},{\"_id\":\"\(one)\"}]}}"
            )
            #expect(
                wrong.messages == [
                    "tags isn't ordered, so nothing can be moved in it.",
                    "A move must be {\"_id\": …, \"to\": n}, where n is an index from 0.",
                ]
            )
            let far = try world.send(.patch, "/api/\(post)", "{\"pages\":{\"move\":[{\"_id\":\"\(one)\",\"to\":3}]}}")
            #expect(far.status == 422)
            #expect(far.messages == ["The index 3 is out of range; there are 3 members, counted from 0."])
        }
    }

    @Test("a dry run of a change returns the result and saves nothing")
    func dryRun() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let before = try world.get("/api/\(post)").text
            let answer = try world.send(
                .patch,
                "/api/\(post)?dryRun=true",
                "{\"title\":\"Other\",\"tags\":[{\"name\":\"n\"}]}"
            )
            #expect(answer.status == 200)
            #expect(answer["title"] == "Other")
            #expect(try world.get("/api/\(post)").text == before)
            #expect(try world.count("Tag") == 3)
            #expect(try world.send(.patch, "/api/\(post)?dryRun=true", "{\"title\":\"\"}").codes == ["too-short"])
            let made = try world.send(.post, "/api/posts?dryRun=true", "{\"author\":{\"_id\":\"$a\",\"name\":\"Zoe\"}}")
            #expect(made.status == 201)
            #expect(made.fields[.location] == nil)
            #expect(made["_id"] == "posts/t1")
            #expect(made["author"]?["_id"] == "users/t2")
            #expect(made["_ids"] == ["$a": "users/t2"])
            #expect(made["_version"] == 1)
            #expect(made.fields[.etag] == nil)
            #expect(try world.count("User") == 3)
            let taken = try world.send(
                .post,
                "/api/tags?dryRun=true",
                "[{\"name\":\"core\"},{\"name\":\"x\"},{\"name\":\"x\"}]"
            )
            #expect(taken.status == 409)
            #expect(taken["code"] == "unique")
            #expect(taken["errors"]?.array?.count == 3)
        }
    }
}

extension APIWorld {
    fileprivate func value(_ entity: String, _ name: String, _ attribute: String) throws -> Value {
        try coordinator.withContext { [key = Self.key(entity)] context in
            let request = FetchRequest<ManagedObject>(entity, predicate: try ObjectPredicate("%K == %@", key, name))
            return try #require(try context.fetch(request).first).value(forKey: attribute)
        }
    }

    fileprivate func page(_ post: String, _ place: Int) throws -> String {
        try coordinator.withContext { [catalogue = api.catalogue] context in
            let request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("title == %@", post))
            let pages = try #require(try context.fetch(request).first).objects(forKey: "pages")
            return catalogue.reference(to: pages[place].objectID)
        }
    }
}
