// SPDX-License-Identifier: Apache-2.0

// Batch updates and deletions.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import Synchronization
import Testing

@testable import RESTAPI

extension APIWorld {
    /// The number of an entity's objects that match a predicate.
    func count(_ entity: String, _ predicate: String) throws -> Int {
        let predicate = try ObjectPredicate(predicate)
        return try coordinator.withContext { context in
            try context.count(FetchRequest<ManagedObject>(entity, predicate: predicate))
        }
    }
}

@Suite("Batch update")
struct BatchUpdateTests {
    @Test("a batch update sets values, expressions over each row, and references")
    func setting() throws {
        try APIWorld.each { world throws in
            let bea = try world.reference("User", "Bea")
            let answer = try world.send(
                .post,
                "/api/posts/batch-update",
                """
                {"where":"views >= %@ AND author.name == %@","args":[10,"Anna"],"result":"ids",
                 "set":{"published":true,"views":{"expression":"views * 2"},
                        "title":{"expression":"uppercase:(title)"},"author":"\(bea)","__hidden":null}}
                """
            )
            #expect(answer.status == 200)
            #expect(answer["count"] == 3)
            let ids = try #require(answer["ids"]?.array).compactMap(\.string)
            #expect(ids.count == 3)
            for id in ids {
                let post = try world.get("/api/\(id)")
                #expect(post["author"]?.string == bea)
                #expect(post["published"] == true)
                #expect(post["_version"] == 2)
            }
            #expect(try world.count("Post", "title == 'FAULTS' AND views == 20") == 1)
        }
    }

    @Test("a batch that would return more IDs than fit in an answer changes nothing")
    func idLimit() throws {
        var options = APIOptions()
        options.answerLimit = 2 * 128
        try APIWorld.each(options: options) { world throws in
            let tags = try world.count("Tag", "TRUEPREDICATE")
            #expect(tags > 2)
            for (path, body) in [
                ("batch-update", #"{"all":true,"set":{"name":{"expression":"name"}},"result":"ids"}"#),
                ("batch-update", #"{"all":true,"set":{"name":{"expression":"name"}},"result":"ids","max":100}"#),
                ("batch-delete", #"{"all":true,"result":"ids"}"#),
                ("batch-insert?result=ids", #"[{"name":"a"},{"name":"b"},{"name":"c"}]"#),
            ] {
                let answer = try world.send(.post, "/api/tags/" + path, body)
                #expect(answer.status == 413)
                #expect(answer["limit"] == "answerLimit")
            }
            #expect(try world.count("Tag", "TRUEPREDICATE") == tags)
            let own = #"{"all":true,"set":{"name":{"expression":"name"}},"result":"ids","max":1}"#
            #expect(try world.send(.post, "/api/tags/batch-update", own)["code"] == "max-affected")
            #expect(
                try world.send(.post, "/api/tags/batch-insert?result=ids", #"[{"name":"a"},{"name":"b"}]"#).status
                    == 200
            )
            let counted = #"{"all":true,"set":{"name":{"expression":"name"}},"result":"count"}"#
            #expect(try world.send(.post, "/api/tags/batch-update", counted)["count"] == .integer(tags + 2))
        }
    }

    @Test("a batch update of all objects needs “all”")
    func all() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/batch-update", "{\"set\":{\"views\":1}}")
            #expect(answer.status == 422)
            #expect(answer["hint"]?.string?.contains("\"all\": true") == true)
            #expect(try world.count("Post", "views == 1") == 0)
            for text in ["\"all\":false", "\"all\":1", "\"all\":null", "\"all\":true,\"where\":\"views == 0\""] {
                let refused = try world.send(.post, "/api/posts/batch-update", "{\(text),\"set\":{\"views\":1}}")
                #expect(refused.status == 422, "\(text)")
            }
            let done = try world.send(.post, "/api/posts/batch-update", "{\"all\":true,\"set\":{\"views\":1}}")
            #expect(done.text == "{\"count\":6,\"merged\":0}")
        }
    }

    @Test("a batch update beyond the maximum is refused")
    func maximum() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(
                .post,
                "/api/posts/batch-update",
                "{\"all\":true,\"max\":5,\"set\":{\"views\":1}}"
            )
            #expect(answer.status == 409)
            #expect(answer["code"] == "max-affected")
            #expect(try world.count("Post", "views == 1") == 0)
        }
    }

    @Test("the new values of a batch update are validated by the model")
    func validation() throws {
        try APIWorld.each { world throws in
            for set in [
                "{\"views\":-1}", "{\"title\":null}", "{\"title\":\"\"}",
                "{\"views\":{\"expression\":\"views - 1000\"}}",
            ] {
                let answer = try world.send(.post, "/api/posts/batch-update", "{\"all\":true,\"set\":\(set)}")
                #expect(answer.status == 422, "\(set)")
            }
            let none = "{\"where\":\"title == 'none'\",\"set\":{\"views\":-1,\"title\":\"T\"}}"
            let answer = try world.send(.post, "/api/posts/batch-update", none)
            #expect(answer.status == 422, "What no object may have is refused though there be none.")
            #expect(answer["errors"]?[0]?["property"] == "views")
            #expect(answer["errors"]?[0]?["object"] == "set")
            let rows = "[{\"title\":\"A\"},{\"title\":\"\"}]"
            let inserted = try world.send(.post, "/api/posts/batch-insert", rows)
            #expect(inserted["errors"]?[0]?["object"] == "row 2")
            #expect(try world.count("Post", "views < 0") == 0)
        }
    }

    static let wrong: [(body: String, status: Int, detail: String)] = [
        ("{\"all\":true}", 422, "“set” must be an object with at least one property and its new value."),
        ("{\"all\":true,\"set\":{}}", 422, "“set” must be an object with at least one property and its new value."),
        ("{\"all\":true,\"set\":{\"veiws\":1}}", 422, "Post has no property “veiws”."),
        ("{\"all\":true,\"set\":{\"views\":\"x\"}}", 422, "views takes an integer, not “x”."),
        ("{\"all\":true,\"set\":{\"commentCount\":1}}", 422, "commentCount is derived, and can't be set."),
        (
            "{\"all\":true,\"set\":{\"tags\":[]}}", 422,
            "tags is a to-many relationship; a batch can only set attributes and to-one relationships."
        ),
        ("{\"all\":true,\"set\":{\"author\":\"tags/1\"}}", 422, "“tags/1” is a Tag, but a User is expected."),
        ("{\"where\":7,\"set\":{\"views\":1}}", 422, "“where” must be a predicate as a string, not 7."),
        ("{\"all\":true,\"vars\":[],\"set\":{\"views\":1}}", 422, "“vars” must be an object, not an array."),
        ("{\"where\":\"views == %@\",\"args\":7,\"set\":{\"views\":1}}", 422, "“args” must be an array, not 7."),
        ("{\"all\":true,\"sets\":{\"views\":1}}", 422, "The key “sets” is unknown."),
        (
            "{\"all\":true,\"result\":\"all\",\"set\":{\"views\":1}}", 422,
            "“result” must be one of status, ids, count, not “all”."
        ),
        ("{\"all\":true,\"max\":-1,\"set\":{\"views\":1}}", 422, "“max” must be a non-negative integer, not -1."),
        ("[]", 422, "The body must be an object, not an array."),
    ]

    @Test("a malformed batch update is refused", arguments: wrong)
    func refusals(sample: (body: String, status: Int, detail: String)) throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/posts/batch-update", sample.body)
            #expect(answer.status == sample.status)
            #expect(answer["detail"]?.string?.hasPrefix(sample.detail) == true, "\(answer.text)")
            #expect(answer["errors"]?.array?.count == 1)
        }
    }

    @Test("an error in a predicate or expression is reported with its position")
    func predicates() throws {
        try APIWorld.each { world throws in
            for body in [
                "{\"where\":\"veiws > 1\",\"set\":{\"views\":1}}", "{\"where\":\"views >\",\"set\":{\"views\":1}}",
                "{\"where\":\"views > %@\",\"set\":{\"views\":1}}",
                "{\"where\":\"views > 1\",\"args\":[1],\"set\":{\"views\":1}}",
                "{\"all\":true,\"set\":{\"views\":{\"expression\":\"veiws + 1\"}}}",
                "{\"all\":true,\"set\":{\"views\":{\"expression\":\"views +\"}}}",
                "{\"all\":true,\"set\":{\"views\":{\"expression\":\"1) == 1 OR (1\"}}}",
                "{\"all\":true,\"set\":{\"views\":{\"expression\":\"%@\"}}}",
            ] {
                let answer = try world.send(.post, "/api/posts/batch-update", body)
                #expect(answer.status == 400, "\(body) \(answer.text)")
                #expect(answer["code"] == "predicate", "\(body)")
            }
            let named = try world.send(
                .post,
                "/api/posts/batch-update",
                "{\"all\":true,\"set\":{\"views\":{\"expression\":\"1 + veiws\"}}}"
            )
            #expect(named["position"] == 4)
            #expect(named["hint"]?.string?.contains("views") == true)
            #expect(try world.count("Post", "views == 1") == 0)
        }
    }

    @Test("a batch update uses the property names of the API")
    func names() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(
                .post,
                "/api/posts/batch-update",
                "{\"where\":\"_id == %@\",\"args\":[\"\(try world.reference("Post", "Faults"))\"],"
                    + "\"set\":{\"__hidden\":{\"expression\":\"title\"}}}"
            )
            #expect(answer["count"] == 1)
            #expect(try world.get("/api/" + world.reference("Post", "Faults"))["__hidden"] == "Faults")
        }
    }
}

@Suite("Batch deletion")
struct BatchDeletionTests {
    @Test("a batch deletion applies delete rules, and counts all deleted objects")
    func matching() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(
                .post,
                "/api/posts/batch-delete",
                "{\"where\":\"title == $T\",\"vars\":{\"T\":\"Faults\"}}"
            )
            #expect(answer.status == 200)
            // The post, a page and a comment.
            #expect(answer["count"] == 3)
            #expect(try world.count("Post", "title == 'Faults'") == 0)
            #expect(try world.count("Comment", "TRUEPREDICATE") == 0)
        }
    }

    @Test("a batch deletion deletes the listed objects, and reports missing ones")
    func named() throws {
        try APIWorld.each { world throws in
            let (one, other) = (try world.reference("Tag", "core"), try world.reference("Tag", "data"))
            let dangling = "{\"ids\":[\"\(one)\",\"tags/998\",{\"_id\":\"tags/999\"}]}"
            let refused = try world.send(.post, "/api/tags/batch-delete", dangling)
            #expect(refused.status == 422)
            #expect(refused["errors"]?.array?.map { $0["object"] } == ["tags/998", "tags/999"])
            #expect(refused["errors"]?.array?.map { $0["pointer"] } == ["/ids/1", "/ids/2"])
            #expect(try world.count("Tag", "TRUEPREDICATE") == 3)
            let body = "{\"ids\":[\"\(one)\",{\"_id\":\"\(other)\"}],\"result\":\"ids\"}"
            let answer = try world.send(.post, "/api/tags/batch-delete", body)
            #expect(answer["count"] == 2)
            #expect(Set(answer["ids"]?.array?.compactMap(\.string) ?? []) == [one, other])
            #expect(try world.count("Tag", "TRUEPREDICATE") == 1)
            #expect(try world.send(.post, "/api/tags/batch-delete", "{\"ids\":[]}")["count"] == 0)
        }
    }

    @Test("a batch deletion deletes no object of another entity, whatever name it is given")
    func otherEntities() throws {
        try APIWorld.each { world throws in
            let group = try world.reference("Group", "Writers")
            let key = group.split(separator: "/")[1]
            #expect(try world.send(.post, "/api/users/batch-delete", "{\"ids\":[\"\(group)\"]}").status == 422)
            #expect(try world.send(.post, "/api/users/batch-delete", "{\"ids\":[\"posts/1\"]}").status == 422)
            for path in ["users", "Contact"] {
                let answer = try world.send(.post, "/api/users/batch-delete", "{\"ids\":[\"\(path)/\(key)\"]}")
                #expect(answer.status == 422, "\(answer.text)")
            }
            #expect(try world.count("Group", "TRUEPREDICATE") == 1)
            #expect(try world.send(.post, "/api/Contact/batch-delete", "{\"ids\":[\"Contact/\(key)\"]}")["count"] == 1)
        }
    }

    @Test("a batch deletion is refused if a delete rule denies it")
    func denied() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/users/batch-delete", "{\"where\":\"name == 'Cem'\"}")
            #expect(answer.status == 409)
            #expect(answer["code"] == "delete-denied")
            #expect(answer["errors"]?[0]?["code"] == "denied")
            let comment = try world.reference("Comment", "Well said.")
            #expect(answer["errors"]?[0]?["objects"] == [.string(comment)])
            #expect(try world.count("User", "name == 'Cem'") == 1)
        }
    }

    @Test("a batch deletion of all objects needs “all” and is limited by the maximum")
    func all() throws {
        try APIWorld.each { world throws in
            #expect(try world.send(.post, "/api/pages/batch-delete", "{}").status == 422)
            #expect(try world.send(.post, "/api/pages/batch-delete", "{\"all\":true,\"max\":1}").status == 409)
            #expect(try world.count("Page", "TRUEPREDICATE") > 1)
            #expect(
                try world.send(.post, "/api/pages/batch-delete", "{\"all\":true,\"result\":\"status\"}")["status"]
                    == true
            )
            #expect(try world.count("Page", "TRUEPREDICATE") == 0)
        }
    }
}

@Suite("Batches")
struct BatchOriginTests {
    @Test("batches and byte writes have the author that X-Author names")
    func author() throws {
        try APIWorld.each { world throws in
            let authors = Mutex<[String?]>([])
            let observation = world.coordinator.observe { notification in
                if case .didSave(let saved) = notification { authors.withLock { $0.append(saved.origin.author) } }
            }
            defer { world.coordinator.remove(observation) }
            let post = try world.reference("Post", "Faults")
            for (method, path, body) in [
                (HTTPMethod.post, "/api/tags", "{\"name\":\"a\"}"),
                (.post, "/api/tags/batch-insert", "[{\"name\":\"b\"}]"),
                (.post, "/api/posts/batch-update", "{\"all\":true,\"set\":{\"views\":1}}"),
                (.post, "/api/tags/batch-delete", "{\"where\":\"name == 'a'\"}"), (.put, "/api/\(post)/picture", "x"),
            ] {
                let answer = try world.send(method, path, body, fields: ["X-Author": "ada"])
                #expect((200..<300).contains(answer.status), "\(answer.text)")
            }
            #expect(authors.withLock { $0 } == Array(repeating: "ada", count: 5))
        }
    }

    @Test("each error of a batch has its row, property and code")
    func errors() throws {
        try APIWorld.each { world throws in
            let core = try world.reference("Tag", "core")
            let taken = try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"x\"},{\"name\":\"core\"}]")
            #expect(taken.status == 409)
            let error = try #require(taken["errors"]?[0])
            #expect(error["object"] == "row 2" && error["property"] == "name" && error["code"] == "unique")
            #expect(error["holder"]?.string == core)
            let all = try world.send(.post, "/api/tags/batch-update", "{\"all\":true,\"set\":{\"name\":\"y\"}}")
            #expect(all.status == 409)
            #expect(all["errors"]?[0]?["code"] == "unique")
            let gone = try world.send(.post, "/api/posts/batch-insert", "[{\"title\":\"x\",\"author\":\"users/999\"}]")
            #expect(gone["detail"] == "There is no object users/999.")
            #expect(
                gone["errors"]?[0]?.serialized()
                    == #"{"object":"row 1","property":"author","code":"reference","message":"There is no object users/999."}"#
            )
            let member = try world.send(.post, "/api/posts/batch-insert", #"[{"tags":["\#(core)","tags/999"]}]"#)
            #expect(member["errors"]?[0]?["message"] == "There is no object tags/999.")
            let row = try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"x\"},7]")
            #expect(row["errors"]?[0]?["object"] == "row 2")
            let set = try world.send(
                .post,
                "/api/posts/batch-update",
                "{\"all\":true,\"set\":{\"author\":\"users/999\"}}"
            )
            #expect(set.status == 422)
            #expect(
                set["errors"]?[0]?.serialized()
                    == #"{"object":"set","property":"author","code":"reference","message":"There is no object users/999.","#
                    + #""pointer":"/set/author"}"#
            )
        }
    }
}
