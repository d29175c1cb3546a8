// SPDX-License-Identifier: Apache-2.0

// Several operations in one save.

import HTTPMessage
import JSON
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("a transaction inserts, updates and deletes in one save, and returns IDs and an item per operation")
    func operations() throws {
        try APIWorld.each { world throws in
            let (anna, core) = (try world.reference("User", "Anna"), try world.reference("Tag", "core"))
            let body = """
                {"operations":[{"update":"\(anna)","version":1,"values":{"age":35,"posts":{"add":["$p"]}}},
                 {"insert":"Post","id":"$p","values":{"title":"T","tags":[{"_id":"$t","name":"tt"}]}},
                 {"delete":"\(core)"},{"insert":"tags","values":{"name":"u"}}]}
                """
            let answer = try world.send(.post, "/api/transaction", body)
            #expect(answer.status == 200)
            let ids = try #require(answer["ids"]?.object)
            #expect(ids.names == ["$p", "$t"])
            let items = try #require(answer["items"]?.array)
            #expect(items.map { $0["_entity"] } == ["User", "Post", nil, "Tag"])
            #expect(items[2] == .null)
            #expect(items[0]["age"] == 35)
            #expect(items[1]["author"]?.string == anna)
            #expect(try world.get("/api/\(core)").status == 404)
        }
    }

    @Test("inserted objects keep requested numbers that have never been used")
    func keptIDs() throws {
        try APIWorld.each { world throws in
            let body = """
                {"operations":[
                 {"insert":"Tag","id":"$a","keep":{"_id":"tags/700","_version":3},"values":{"name":"a"}},
                 {"insert":"Tag","id":"$b","keep":{"_id":"\(try world.reference("Tag", "core"))"},"values":{"name":"b"}},
                 {"insert":"Post","id":"$p","keep":{"_id":"posts/650"},"values":{"title":"p","tags":["$a","$b"]}}]}
                """
            let answer = try world.send(.post, "/api/transaction", body)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["ids"]?["$a"] == "tags/700")
            #expect(answer["items"]?[0]?["_version"] == 4)
            #expect(answer["items"]?[1]?["_version"] == 1)
            #expect(answer["ids"]?["$p"] == "posts/650")
            #expect(try world.get("/api/posts/650/tags?result=count")["count"] == 2)
            let wrong = #"{"operations":[{"insert":"Tag","keep":"tags/5","values":{"name":"c"}}]}"#
            #expect(try world.send(.post, "/api/transaction", wrong).status == 422)
            let context = try #require(try world.send(.post, "/api/contexts")["context"]?.string)
            let draft = "/api/contexts/\(context)"
            let kept = #"{"operations":[{"insert":"Tag","keep":{"_id":"tags/5"},"values":{"name":"d"}}]}"#
            #expect(try world.send(.post, "\(draft)/transaction", kept).status == 422)
            #expect(try world.send(.post, "\(draft)/tags/batch-insert?keepIds=true", "[]").status == 400)
        }
    }

    @Test("return=minimal returns the references of temporary names only")
    func minimal() throws {
        try APIWorld.each { world throws in
            let prefer: HeaderFields = [.prefer: "return=minimal"]
            let named =
                #"{"operations":[{"insert":"Tag","id":"$t","values":{"name":"a"}},{"insert":"Tag","values":{"name":"b"}}]}"#
            let tried = try world.send(.post, "/api/transaction?dryRun=true", named, fields: prefer)
            #expect(tried.status == 204)
            let fields: HeaderFields = [.prefer: "return=minimal", "Idempotency-Key": "key"]
            for _ in 1...2 {
                let answer = try world.send(.post, "/api/transaction", named, fields: fields)
                #expect(answer.status == 200)
                #expect(answer.json?.object?.names == ["ids"])
                let tag = try #require(answer["ids"]?["$t"]?.string)
                #expect(try world.get("/api/\(tag)")["name"] == "a")
            }
            let unnamed = #"{"operations":[{"insert":"Tag","values":{"name":"c"}}]}"#
            #expect(try world.send(.post, "/api/transaction", unnamed, fields: prefer).status == 204)
        }
    }

    @Test("a transaction is all or nothing, and two objects can swap unique values")
    func swap() throws {
        try APIWorld.each { world throws in
            let (core, data) = (try world.reference("Tag", "core"), try world.reference("Tag", "data"))
            let swap = """
                {"operations":[{"update":"\(core)","values":{"name":"data"}},{"update":"\(data)","values":{"name":"core"}}]}
                """
            #expect(try world.send(.post, "/api/transaction", swap).status == 200)
            #expect(try world.get("/api/\(core)")["name"] == "data")
            let half = """
                {"operations":[{"delete":"\(core)"},{"update":"\(data)","values":{"name":"swift"}}]}
                """
            #expect(try world.send(.post, "/api/transaction", half).status == 409)
            #expect(try world.get("/api/\(core)").status == 200)
            #expect(try world.send(.post, "/api/transaction?dryRun=true", swap).status == 200)
            #expect(try world.get("/api/\(core)")["name"] == "data")
        }
    }

    @Test("a transaction with a stale version is refused with 409")
    func stale() throws {
        try APIWorld.each { world throws in
            let core = try world.reference("Tag", "core")
            for operation in [
                "{\"update\":\"\(core)\",\"version\":9,\"values\":{}}", "{\"delete\":\"\(core)\",\"version\":9}",
            ] {
                let answer = try world.send(.post, "/api/transaction", "{\"operations\":[\(operation)]}")
                #expect(answer.status == 409)
                #expect(answer["errors"]?[0]?["object"]?.string == core)
                #expect(answer["errors"]?[0]?["baseVersion"] == 9)
            }
        }
    }

    @Test("a denied deletion is reported with its operation")
    func denied() throws {
        try APIWorld.each { world throws in
            let cem = try world.reference("User", "Cem")
            let anna = try world.reference("User", "Anna")
            let comments = "{\"update\":\"\(anna)\",\"values\":{\"comments\":{\"add\":[]},\"age\":9}}"
            let body =
                "{\"operations\":[\(comments),{\"insert\":\"Tag\",\"values\":{\"name\":\"x\"}},{\"delete\":\"\(cem)\"}]}"
            let answer = try world.send(.post, "/api/transaction", body)
            #expect(answer.status == 409)
            #expect(answer["code"] == "delete-denied")
            #expect(answer["errors"]?[0]?["pointer"] == "/operations/2")
        }
    }

    @Test("operations on an object that the transaction deletes are refused, in any order")
    func lost() throws {
        try APIWorld.each { world throws in
            let (anna, bea) = (try world.reference("User", "Anna"), try world.reference("User", "Bea"))
            let post = try world.reference("Post", "Faults")
            let author = try #require(try world.get("/api/\(post)")["author"]?.string)
            #expect(author == anna || author == bea)
            let update = "{\"update\":\"\(post)\",\"values\":{\"views\":77}}"
            let insert = "{\"insert\":\"Page\",\"values\":{\"text\":\"new\",\"post\":\"\(post)\"}}"
            for (operations, pointer, message) in [
                ([update, "{\"delete\":\"\(post)\"}"], "0", "\(post) is changed here, but deleted by /operations/1."),
                (["{\"delete\":\"\(post)\"}", update], "1", "\(post) is changed here, but deleted by /operations/0."),
                (
                    [update, "{\"delete\":\"\(author)\"}"], "0",
                    "\(post) is changed here, but deleted along with another object."
                ),
            ] {
                let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
                for query in ["", "?dryRun=true"] {
                    let answer = try world.send(.post, "/api/transaction\(query)", body)
                    #expect(answer.status == 422)
                    #expect(answer.messages == [message])
                    #expect(answer["errors"]?[0]?["pointer"]?.string == "/operations/\(pointer)/values")
                }
                #expect(try world.get("/api/\(post)")["views"] != 77)
            }
            // The object is moved in time to be kept.
            let other = author == anna ? bea : anna
            let moved = "{\"update\":\"\(post)\",\"values\":{\"author\":\"\(other)\"}}"
            let body = "{\"operations\":[\(moved),\(insert),{\"delete\":\"\(author)\"}]}"
            #expect(try world.send(.post, "/api/transaction?dryRun=true", body).messages == [])
        }
    }

    @Test("contradictory operations are refused, in any order")
    func contradictions() throws {
        try APIWorld.each { world throws in
            let (anna, bea) = (try world.reference("User", "Anna"), try world.reference("User", "Bea"))
            let post = try world.reference("Post", "Faults")
            let (core, data) = (try world.reference("Tag", "core"), try world.reference("Tag", "data"))
            func update(_ object: String, _ values: String) -> String {
                "{\"update\":\"\(object)\",\"values\":{\(values)}}"
            }
            let before = try world.get("/api/\(post)")
            for (one, other) in [
                (update(post, "\"title\":\"a\""), update(post, "\"title\":\"b\"")),
                (update(post, "\"views\":1"), update(post, "\"views\":{\"$inc\":1}")),
                (update(post, "\"author\":\"\(anna)\""), update(post, "\"author\":\"\(bea)\"")),
                (update(post, "\"author\":\"\(anna)\""), update(bea, "\"posts\":{\"add\":[\"\(post)\"]}")),
                (update(post, "\"author\":\"\(anna)\""), update(anna, "\"posts\":{\"remove\":[\"\(post)\"]}")),
                (update(anna, "\"posts\":{\"add\":[\"\(post)\"]}"), update(bea, "\"posts\":[\"\(post)\"]")),
                (
                    update(post, "\"tags\":{\"add\":[\"\(core)\"]}"),
                    update(core, "\"posts\":{\"remove\":[\"\(post)\"]}")
                ),
                (update(post, "\"tags\":[\"\(core)\"]"), update(post, "\"tags\":{\"add\":[\"\(data)\"]}")),
                (update(anna, "\"address\":{\"city\":\"a\"}"), update(anna, "\"address\":{\"city\":\"b\"}")),
                (update(anna, "\"address\":null"), update(anna, "\"address\":{\"city\":\"b\"}")),
                (update(post, "\"author\":null"), update(anna, "\"posts\":{\"add\":[\"\(post)\"]}")),
                ("{\"delete\":\"\(core)\"}", update(post, "\"tags\":{\"add\":[\"\(core)\"]}")),
            ] {
                for operations in [[one, other], [other, one]] {
                    let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
                    for query in ["", "?dryRun=true"] {
                        let answer = try world.send(.post, "/api/transaction\(query)", body)
                        #expect(answer.status == 422, "\(body)")
                    }
                }
            }
            #expect(try world.get("/api/\(post)").text == before.text)
            for (one, other) in [
                (update(post, "\"title\":\"a\""), update(post, "\"title\":\"a\"")),
                (update(post, "\"views\":{\"$inc\":1}"), update(post, "\"views\":{\"$inc\":2}")),
                (update(post, "\"author\":\"\(bea)\""), update(anna, "\"posts\":{\"remove\":[\"\(post)\"]}")),
                (update(post, "\"author\":\"\(bea)\""), update(bea, "\"posts\":{\"add\":[\"\(post)\"]}")),
                (update(post, "\"tags\":{\"add\":[\"\(core)\"]}"), update(post, "\"tags\":{\"add\":[\"\(data)\"]}")),
                (update(anna, "\"address\":{\"city\":\"a\"}"), update(anna, "\"address\":{\"street\":\"b\"}")),
            ] {
                for operations in [[one, other], [other, one]] {
                    let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
                    #expect(try world.send(.post, "/api/transaction?dryRun=true", body).status == 200, "\(body)")
                }
            }
        }
    }

    @Test("references to stores that aren't open are refused")
    func foreignStore() throws {
        try APIWorld.each { world throws in
            let uri = "x-coredata://A0A0A0A0-0000-4000-8000-000000000000/Tag/p1"
            for body in [
                "{\"operations\":[{\"delete\":\"\(uri)\"}]}",
                "{\"operations\":[{\"insert\":\"Post\",\"values\":{\"tags\":[\"\(uri)\"]}}]}",
            ] {
                let answer = try world.send(.post, "/api/transaction", body)
                #expect(answer.status == 422)
                #expect(answer.messages[0].contains("A0A0A0A0-0000-4000-8000-000000000000, which this server"))
            }
            for (route, body) in [
                ("batch-delete", "{\"ids\":[\"\(uri)\"]}"),
                ("batch-insert", "[{\"name\":\"x\",\"posts\":[\"\(uri)\"]}]"),
            ] {
                let answer = try world.send(.post, "/api/tags/\(route)", body)
                #expect(answer.status == 422)
                #expect(answer.messages[0].contains("A0A0A0A0-0000-4000-8000-000000000000"), "\(answer.text)")
            }
        }
    }

    @Test("malformed operations and missing objects are refused, with all errors")
    func findings() throws {
        try APIWorld.each { world throws in
            let core = try world.reference("Tag", "core")
            let body = """
                {"operations":[{"insert":"Pst"},{"update":"tags/999","values":{"name":1}},{"delete":"x"},{"upsert":"Post"},
                 {"insert":"Post","update":"posts/1"},5,{"insert":"Post","values":[],"ids":"$a"},{"delete":"\(core)","version":"x"}],
                 "option":1}
                """
            let answer = try world.send(.post, "/api/transaction", body)
            #expect(answer.status == 422)
            #expect(
                answer.codes == [
                    "unknown", "unknown", "type", "reference", "unknown", "type", "type", "type", "unknown", "type",
                    "type", "reference",
                ]
            )
            #expect(
                answer.messages[1].hasSuffix("Did you mean “posts”?")
                    || answer.messages[1].hasSuffix("Did you mean “Post”?")
            )
            #expect(try world.send(.post, "/api/transaction", "{}").status == 422)
            let missing = try world.send(.post, "/api/transaction", "{\"operations\":[{\"delete\":\"tags/999\"}]}")
            #expect(missing.status == 422)
            #expect(missing.messages == ["There is no object tags/999."])
            let empty = try world.send(.post, "/api/transaction", "{\"operations\":[]}")
            #expect(empty.text == "{\"ids\":{},\"items\":[]}")
        }
    }
}
