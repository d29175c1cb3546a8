// SPDX-License-Identifier: Apache-2.0

// Batches and groups within an editing context.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Batches in editing contexts")
struct DraftBatchTests {
    @Test("a dry run of a batch in a context counts its objects and changes nothing")
    func dryRun() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let update = #"{"where":"views > 10","set":{"views":0},"dryRun":true}"#
            #expect(try world.send(.post, "\(context)/posts/batch-update", update)["count"] == 4)
            let insert = try world.send(.post, "\(context)/tags/batch-insert?dryRun=true", #"[{"name":"x"}]"#)
            #expect(insert["count"] == 1)
            let status = try world.get(context)
            #expect(status["hasChanges"] == false)
            #expect(status["undo"] == 0)
        }
    }

    @Test("a batch update in a context is one undo step and stores nothing until the save")
    func updating() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (bea, undo) = (try world.reference("User", "Bea"), try world.reference("Post", "Undo"))
            let new = try world.send(.post, "\(context)/posts", #"{"title":"New","views":10,"author":"\#(bea)"}"#)
            let reference = try #require(new["_id"]?.string)
            _ = try world.send(.delete, "\(context)/\(undo)")
            let stored = try world.get("/api/posts?sort=title")["items"]
            let found = try world.titles("\(context)/posts?where=views >= 10&sort=title")
            let answer = try world.send(
                .post,
                "\(context)/posts/batch-update",
                #"{"where":"views >= %@","args":[10],"result":"ids","set":{"views":{"expression":"views * 2"},"#
                    + #""title":{"expression":"uppercase:(title)"},"author":"\#(bea)","published":true}}"#
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["count"]?.int64 == Int64(found.count) && answer["merged"] == 0)
            let ids = try #require(answer["ids"]?.array).compactMap(\.string)
            #expect(ids.contains(reference) && ids.count == found.count && !ids.contains(undo))
            for id in ids {
                let post = try world.get("\(context)/\(id)")
                #expect(post["author"]?.string == bea && post["published"] == true)
            }
            #expect(
                try world.titles("\(context)/posts?where=views >= 20&sort=title") == found.map { $0?.uppercased() }
            )
            #expect(try world.get("\(context)/\(reference)")["views"] == 20)
            #expect(try world.get("/api/posts?sort=title")["items"] == stored)

            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.titles("\(context)/posts?where=views >= 10&sort=title") == found)
            #expect(try world.send(.post, "\(context)/redo").status == 200)
            let saved = try world.send(.post, "\(context)/save")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try world.titles("/api/posts?where=views >= 20&sort=title") == found.map { $0?.uppercased() })
        }
    }

    @Test("a batch insert in a context creates objects from JSON or lines, with references to new objects")
    func inserting() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let user = try #require(try world.send(.post, "\(context)/users", #"{"name":"Nils"}"#)["_id"]?.string)
            let swift = try world.reference("Tag", "swift")
            let rows = #"[{"title":"One","author":"\#(user)","tags":["\#(swift)"]},{"title":"Two"}]"#
            let answer = try world.send(.post, "\(context)/posts/batch-insert?result=ids&chunk=1", rows)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["count"] == 2 && answer["merged"] == 0)
            let first = try #require(answer["ids"]?.array?.first?.string)
            #expect(first.hasPrefix("posts/t"))
            let one = try world.get("\(context)/\(first)?include=tags")
            #expect(one["author"]?.string == user && one["tags"]?.array?.first?["_id"]?.string == swift)
            let lines = try world.send(
                .post,
                "\(context)/tags/batch-insert",
                "{\"name\":\"a\"}\n{\"name\":\"b\"}\n",
                fields: [.contentType: "application/x-ndjson"]
            )
            #expect(lines["count"] == 2, "\(lines.text)")
            #expect(try world.get("/api/tags?name=a&result=count")["count"] == 0)
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.get("\(context)/tags?name=a&result=count")["count"] == 0)
            let saved = try world.send(.post, "\(context)/save")
            #expect(saved["ids"]?.object?.count == 3, "\(saved.text)")
            #expect(try world.get("/api/posts?author.name=Nils&result=count")["count"] == 1)
        }
    }

    @Test("a batch deletion in a context finds objects by condition, references or all, and applies delete rules")
    func deleting() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (anna, faults) = (try world.reference("User", "Anna"), try world.reference("Post", "Faults"))
            let new = try #require(try world.send(.post, "\(context)/posts", #"{"title":"New"}"#)["_id"]?.string)
            let named = try world.send(
                .post,
                "\(context)/posts/batch-delete",
                #"{"ids":["\#(faults)","\#(new)"],"result":"ids"}"#
            )
            #expect(named.status == 200, "\(named.text)")
            let gone = Set(named["ids"]?.array?.compactMap(\.string) ?? [])
            #expect(gone.isSuperset(of: [faults, new]) && Int64(gone.count) == named["count"]?.int64)
            #expect(try world.get("\(context)/\(faults)").status == 404)
            #expect(try world.get("/api/\(faults)").status == 200)
            let missing = try world.send(.post, "\(context)/posts/batch-delete", #"{"ids":["\#(faults)"]}"#)
            #expect(missing.status == 422, "\(missing.text)")
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.get("\(context)/\(new)").status == 200)

            let all = try world.send(.post, "\(context)/posts/batch-delete", #"{"all":true}"#)
            #expect(all.status == 200)
            #expect(try world.get("\(context)/posts?result=count")["count"] == 0)
            #expect(try world.get("\(context)/\(anna)/posts")["items"] == [])
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/posts?result=count")["count"] == 0)
        }
    }

    @Test("a batch in a context with an invalid row or value, or too many objects, changes nothing")
    func refusing() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let mistakes = [
                ("posts/batch-insert", #"[{"title":"One"},{"title":1}]"#, 422, "row 2"),
                ("posts/batch-insert", #"[{"title":"One"},{"author":"users/999"}]"#, 422, "row 2"),
                ("posts/batch-insert", #"[{"title":"One"},{"author":"tags/1"}]"#, 422, "row 2"),
                ("posts/batch-insert", #"[{"author":"users/999"}]"#, 422, "There is no object users/999."),
                (
                    "posts/batch-update", #"{"all":true,"set":{"author":"users/999"}}"#, 422,
                    "There is no object users/999."
                ),
                ("posts/batch-insert?max=1", #"[{"title":"One"},{"title":"Two"}]"#, 409, "max-affected"),
                ("posts/batch-insert", #"[{"title":"One"}"#, 400, "line"),
                ("posts/batch-update", #"{"all":true,"set":{"views":1},"max":2}"#, 409, "max-affected"),
                ("posts/batch-update", #"{"set":{"views":1}}"#, 422, "all"),
                ("posts/batch-update", #"{"all":true,"set":{"views":{"expression":"title"}}}"#, 422, "views"),
                ("posts/batch-update", #"{"all":true,"set":{"author":"users/t99"}}"#, 422, "t99"),
                ("posts/batch-update", #"{"all":true,"set":{"tags":null}}"#, 422, "to-many"),
                ("posts/batch-delete", #"{"all":true,"max":1}"#, 409, "max-affected"),
                ("posts/batch-delete", #"{"ids":["posts/t99"]}"#, 422, "posts/t99"),
            ]
            for (path, body, status, text) in mistakes {
                let answer = try world.send(.post, "\(context)/\(path)", body)
                #expect(answer.status == status && answer.text.contains(text), "\(path) \(body): \(answer.text)")
                #expect(try world.changes(context)["inserted"] == [] && world.changes(context)["updated"] == [])
                #expect(try world.changes(context)["deleted"] == [])
                #expect(try world.get(context)["undo"] == 0)
            }
        }
    }

    @Test("a refused deletion or change of a whole entity gets a hint to the batch routes")
    func leading() throws {
        try APIWorld.each { world throws in
            for base in try ["/api", world.openContext()] {
                for (method, target, more) in [
                    (
                        HTTPMethod.delete, "posts?where=views > 1",
                        " To delete many objects, use POST \(base)/posts/batch-delete."
                    ),
                    (.delete, "posts/", " To delete many objects, use POST \(base)/posts/batch-delete."),
                    (.patch, "posts", " To change many objects, use POST \(base)/posts/batch-update."),
                    (.put, "posts", ""),
                ] {
                    let answer = try world.send(method, "\(base)/\(target)")
                    #expect(answer.status == 405)
                    #expect(answer["hint"]?.string == "Allowed: GET, HEAD, POST, OPTIONS.\(more)")
                }
            }
        }
    }

    @Test("a batch in a context is validated at the save")
    func judging() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let invalid = try world.send(.post, "\(context)/posts/batch-update", #"{"all":true,"set":{"title":null}}"#)
            #expect(invalid.status == 200, "\(invalid.text)")
            #expect(try world.send(.post, "\(context)/validate")["valid"] == false)
            #expect(try world.send(.post, "\(context)/save").status == 422)
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            let taken = try world.send(.post, "\(context)/tags/batch-insert", #"[{"name":"swift"}]"#)
            #expect(taken.status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 409)
        }
    }

    @Test("a batch in a context is limited by the context's memory", arguments: ["update", "delete"])
    func room(kind: String) throws {
        var options = APIOptions()
        options.contextMemoryLimit = 500
        try APIWorld.each(options: options) { world throws in
            let context = try world.openContext()
            let set = kind == "update" ? #","set":{"views":1}"# : ""
            let answer = try world.send(.post, "\(context)/posts/batch-\(kind)", #"{"all":true\#(set)}"#)
            #expect(answer.status == 413, "\(answer.text)")
            #expect(answer["hint"]?.string?.contains("directly to the store") == true)
            #expect(try world.get(context)["hasChanges"] == false)
        }
    }

    @Test("a batch in a context with a key is done once")
    func repeating() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            for _ in 0..<2 {
                let answer = try world.send(
                    .post,
                    "\(context)/tags/batch-insert?result=ids",
                    #"[{"name":"once"}]"#,
                    fields: [.idempotencyKey: "a"]
                )
                #expect(answer["ids"] == ["tags/t1"], "\(answer.text)")
            }
            #expect(try world.get("\(context)/tags?name=once&result=count")["count"] == 1)
        }
    }

    @Test("groups in a context include pending changes, unless includePending is false")
    func groups() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let query = "posts?result=dictionary&group=author.name&aggregate=n:count(_id)&sort=author.name"
            let stored = try world.get("/api/\(query)")["items"]
            let anna = try world.reference("User", "Anna")
            _ = try world.send(.patch, "\(context)/\(anna)", #"{"name":"Zoe"}"#)
            _ = try world.send(.post, "\(context)/posts", #"{"title":"New","author":"\#(anna)"}"#)
            for reader in [context, child] {
                let items = try #require(try world.get("\(reader)/\(query)")["items"]?.array)
                #expect(items.last == ["author.name": "Zoe", "n": 5], "\(items)")
                #expect(!items.contains { $0["author.name"] == "Anna" })
                let rows = try world.get(
                    "\(reader)/posts?result=dictionary&select=author.name&distinct=true&count=true"
                )
                #expect(rows["total"]?.int64 == Int64(items.count), "\(rows.text)")
            }
            #expect(try world.get("\(context)/\(query)&includePending=false")["items"] == stored)
            #expect(try world.get("/api/\(query)")["items"] == stored)
        }
    }
}
