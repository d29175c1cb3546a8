// SPDX-License-Identifier: Apache-2.0

// The entity routes in an editing context.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Entity routes in editing contexts")
struct DraftTests {
    @Test("filters, sorting and paging combine pending and stored objects")
    func fetching() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            for title in ["Aaa", "Mmm", "Zzz"] {
                let body = #"{"title":"\#(title)","views":1000}"#
                #expect(try world.send(.post, "\(context)/posts", body).status == 201)
            }
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"views":2000}"#)
            let stored = try world.titles("/api/posts?sort=title")
            #expect(
                try world.titles("\(context)/posts?where=views >= 1000&sort=-views,title").prefix(4)
                    == ["Faults", "Aaa", "Mmm", "Zzz"]
            )
            let all = try world.titles("\(context)/posts?sort=title&limit=100")
            #expect(all.count == stored.count + 3)
            var paged: [String?] = []
            var next: String? = "\(context)/posts?sort=title&limit=2&count=true"
            while let target = next {
                let page = try world.get(target)
                #expect(page["total"]?.int64 == Int64(all.count))
                paged += try #require(page["items"]?.array).map { $0["title"]?.string }
                next = page["next"]?.string
                if let next { #expect(next.hasPrefix(context)) }
            }
            #expect(paged == all)
            var byNumber: [String?] = []
            next = "\(context)/posts?limit=2"
            while let target = next {
                let page = try world.get(target)
                byNumber += try #require(page["items"]?.array).map { $0["title"]?.string }
                next = page["next"]?.string
            }
            #expect(Set(byNumber) == Set(all))
            #expect(byNumber.count == all.count)
            #expect(try world.titles("\(context)/posts?sort=title&includePending=false") == stored)
            #expect(try world.get("\(context)/posts?result=count")["count"]?.int64 == Int64(all.count))
            #expect(try world.get("\(context)/posts?result=ids&where=views = 1000")["items"]?.array?.count == 3)
            let body = #"{"where":"title == %@","args":["Mmm"],"include":"author"}"#
            #expect(try world.send(.post, "\(context)/posts/fetch", body)["items"]?.array?.count == 1)
            #expect(try world.titles("\(context)/queries/popular?VIEWS=2000") == ["Faults"])
        }
    }

    @Test("relationships can be changed from both sides, also for new objects")
    func relationships() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let anna = try world.reference("User", "Anna")
            #expect(try world.send(.post, "\(context)/posts", #"{"title":"New"}"#)["_id"] == "posts/t1")
            #expect(try world.send(.put, "\(context)/posts/t1/author", "{\"_id\":\"\(anna)\"}").status == 200)
            #expect(try world.get("\(context)/posts/t1/author")["name"] == "Anna")
            let page = try world.send(.post, "\(context)/posts/t1/pages", #"{"text":"One"}"#)
            #expect(page.status == 201)
            #expect(page["_id"] == "pages/t2")
            #expect(try world.send(.post, "\(context)/posts/t1/pages", #"{"text":"Two"}"#).status == 201)
            #expect(try world.send(.put, "\(context)/posts/t1/pages/t3?at=0").status == 200)
            #expect(
                try world.get("\(context)/posts/t1/pages?select=text")["items"]?.array?.map { $0["text"] } == [
                    "Two", "One",
                ]
            )
            #expect(try world.send(.delete, "\(context)/posts/t1/pages/t2").status == 200)
            #expect(try world.get("\(context)/posts/t1/pages")["items"]?.array?.count == 1)
            #expect(try world.get("\(context)/\(anna)/posts?title=New")["items"]?[0]?["_id"] == "posts/t1")
            let author = "\(context)/posts?where=author == %25@&arg=\(anna)&title=New"
            #expect(try world.titles(author) == ["New"])
            let body =
                #"{"operations":[{"update":"posts/t1","values":{"views":5}},{"insert":"tags","id":"$t","values":{"name":"x","posts":["posts/t1"]}},{"delete":"pages/t2"}]}"#
            let transaction = try world.send(.post, "\(context)/transaction", body)
            #expect(transaction.status == 200)
            #expect(transaction["ids"] == ["$t": "tags/t4"])
            #expect(try world.get("\(context)/tags/t4/posts")["items"]?[0]?["views"] == 5)
            #expect(try world.get("\(context)/pages/t2").status == 404)
            let changes = try world.changes(context)
            let user = changes["updated"]?.array?.first { $0["_id"]?.string == anna }
            #expect(user?["properties"]?["posts"]?["added"] == ["posts/t1"])
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.titles("/api/\(anna)/posts?title=New") == ["New"])
        }
    }

    @Test("a deletion applies delete rules, and undo reverts it")
    func deleting() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            let dry = try world.send(.delete, "\(context)/\(faults)?dryRun=true")
            #expect(dry.status == 200)
            #expect(dry["deleted"]?[0]?.string == faults)
            #expect(try world.get(context)["hasChanges"] == false)
            #expect(try world.get("\(context)/\(faults)").status == 200)
            #expect(try world.send(.delete, "\(context)/\(faults)").status == 204)
            #expect(try world.get("\(context)/\(faults)").status == 404)
            #expect(try world.changes(context)["deleted"]?[0]?.string == faults)
            #expect(try world.changes(context)["deleted"] == dry["deleted"])
            #expect(try world.send(.patch, "\(context)/\(faults)", #"{"title":"x"}"#).status == 404)
            #expect(try world.get("/api/\(faults)").status == 200)
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.get("\(context)/\(faults)").status == 200)
            #expect(try world.send(.post, "\(context)/redo").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/\(faults)").status == 404)
        }
    }

    @Test("transient properties are available in contexts only")
    func transients() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let made = try world.send(.post, "\(context)/posts", #"{"draft":"a thought"}"#)
            #expect(made.status == 201)
            #expect(made["draft"] == "a thought")
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("\(context)/posts/t1")["draft"] == "a thought")
            #expect(try world.send(.post, "/api/posts", #"{"draft":"a thought"}"#).status == 422)
        }
    }

    @Test("a dry run in a context changes nothing")
    func dryRuns() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let answer = try world.send(.post, "\(context)/posts?dryRun=true", #"{"title":"New"}"#)
            #expect(answer.status == 201)
            #expect(answer["title"] == "New")
            #expect(try world.get(context)["hasChanges"] == false)
            #expect(try world.get(context)["undo"] == 0)
        }
    }

    @Test("return=changes lists the other changed objects")
    func sideEffects() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let anna = try world.reference("User", "Anna")
            let answer = try world.send(
                .post,
                "\(context)/posts",
                "{\"title\":\"New\",\"author\":\"\(anna)\"}",
                fields: [.prefer: "return=changes"]
            )
            #expect(answer["_changed"]?[0]?["_id"]?.string == anna)
            let minimal = try world.send(
                .post,
                "\(context)/tags",
                #"{"name":"a"}"#,
                fields: [.prefer: "return=minimal"]
            )
            #expect(minimal.status == 201)
            #expect(minimal.bytes.isEmpty)
        }
    }

    @Test("return=changes lists each changed object once")
    func changesOfSeveralWrites() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let core = try world.reference("Tag", "core")
            let updates = try ["Contexts", "Merging"].map { title in
                try #"{"update":"\#(world.reference("Post", title))","values":{"tags":{"add":["\#(core)"]}}}"#
            }
            let answer = try world.send(
                .post,
                "\(context)/transaction",
                #"{"operations":[\#(updates.joined(separator: ",")),{"insert":"Tag","values":{"name":"new"}}]}"#,
                fields: [.prefer: "return=changes"]
            )
            let changed = answer["_changed"]?.array?.compactMap { $0["_id"]?.string }
            #expect(changed?.filter { $0 == core }.count == 1, "\(answer.text)")
            #expect(changed?.count == Set(changed ?? []).count)
        }
    }

    @Test("a context holds pending bytes")
    func bytes() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("Post", "Faults"))/picture"
            #expect(try world.send(.put, path, body: .bytes([1, 2, 3, 4])).status == 204)
            #expect(try world.get(path).bytes == [1, 2, 3, 4])
            #expect(try world.get(path, [.range: "bytes=1-2"]).bytes == [2, 3])
            let plain = path.replacing(context, with: "/api")
            #expect(try world.get(plain).bytes != [1, 2, 3, 4])
            let object = try world.get(String(path.dropLast("/picture".count)))
            #expect(object["picture"]?["href"]?.string == path)
            #expect(object["picture"]?["bytes"] == 4)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get(plain).bytes == [1, 2, 3, 4])
            #expect(try world.send(.delete, path).status == 204)
            #expect(try world.get(path).status == 404)
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.get(path).status == 200)
        }
    }

    @Test("replaced bytes are shown by their size, and only the current ones have a path")
    func formerBytes() throws {
        try APIWorld.each { world throws in
            let object = try world.reference("Post", "Faults")
            #expect(try world.send(.put, "/api/\(object)/picture", body: .bytes([1, 2])).status == 204)
            let staying = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            let context = try world.openContext()
            func picture(_ context: String) throws -> JSONValue? {
                try world.changes(context)["updated"]?[0]?["properties"]?["picture"]
            }
            for path in [staying, context] {
                #expect(try world.send(.put, "\(path)/\(object)/picture", body: .bytes([1, 2, 3])).status == 204)
                let new: JSONValue = ["href": .string("\(path)/\(object)/picture"), "bytes": 3]
                #expect(try picture(path) == ["old": ["bytes": 2], "new": new])
            }
            #expect(try world.send(.put, "/api/\(object)/picture", body: .bytes([4])).status == 204)
            let mine: JSONValue = ["href": .string("\(context)/\(object)/picture"), "bytes": 3]
            #expect(
                try picture(context) == ["base": ["bytes": 2], "stored": ["bytes": 1], "new": mine, "conflict": true]
            )
            let refused = try world.send(.post, "\(staying)/save")
            let requested: JSONValue = ["href": .string("\(staying)/\(object)/picture"), "bytes": 3]
            #expect(
                refused["errors"]?[0]?["properties"]?["picture"]
                    == ["base": ["bytes": 2], "stored": ["bytes": 1], "requested": requested]
            )
            #expect(try world.send(.delete, "\(context)/\(object)/picture").status == 204)
            #expect(try picture(context) == ["old": ["bytes": 1], "new": .null])
        }
    }

    @Test("hints in a context name the context's own paths")
    func hints() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            func check(_ method: HTTPMethod, _ base: String, _ path: String, _ body: String?, _ hint: String) throws {
                let answer = try world.send(method, "\(base)/\(path)", body)
                let told = try #require(answer["hint"]?.string, "\(path) \(answer.text)")
                #expect(told.hasSuffix(hint.replacing("BASE", with: base)), "\(path) \(told)")
            }
            for base in [context, "/api"] {
                for (method, path, body, hint) in [
                    (
                        .get, "posts/t1/title", nil,
                        "GET BASE/posts/t1 has its value; with ?select=title it returns only that. PATCH changes it."
                    ),
                    (
                        .get, "Contact/t1/email", nil,
                        "GET BASE/users/t1 has its value; with ?select=email it returns only that. PATCH changes it."
                    ),
                    (.get, "Contact?email=x", nil, "Its subentity User has this property; use BASE/users."),
                    (.get, "posts?include=others", nil, "Use GET BASE/posts/…/others."),
                    (.post, "Contact", "{}", "POST to BASE/users or BASE/Group."),
                    (.get, "posts/watch", nil, "GET BASE/posts/live watches objects."),
                    (.get, "posts/1/live", nil, "GET BASE/posts/live watches objects."),
                    (.get, "posts/count", nil, "GET BASE/posts?result=count counts objects."),
                    (.post, "posts/import", "[]", "POST BASE/posts/batch-insert inserts many objects."),
                    (.get, "drafts", nil, "Drafts are editing contexts: POST /api/contexts opens one."),
                    (.get, "swagger.json", nil, "GET /openapi.json describes the API."),
                    (.delete, "posts", nil, "To delete many objects, use POST BASE/posts/batch-delete."),
                ] as [(HTTPMethod, String, String?, String)] {
                    try check(method, base, path, body, hint)
                }
            }
            try check(
                .get,
                context,
                "transaction/1",
                nil,
                "POST BASE/transaction performs several operations in the context."
            )
            try check(.post, context, "commit", nil, "POST BASE/save saves the context.")
            try check(.post, context, "publish", nil, "POST BASE/save saves the context.")
            for path in ["docs", "api-docs", "swagger", "swagger.json"] {
                #expect(try world.get("/\(path)")["hint"] == "GET /openapi.json describes the API.")
            }
            let queries = "GET /api/queries lists them; each can be run in the context, at BASE/queries/NAME."
            try check(.get, context, "queries", nil, queries)
        }
        var options = APIOptions()
        options.maximumIncludedObjects = 1
        try APIWorld.each(options: options) { world throws in
            let context = try world.openContext()
            let hint = try world.get("\(context)/posts?include=author")["hint"]?.string
            #expect(hint?.hasSuffix("or the relationship's own pages, at \(context)/…/author.") == true)
        }
    }

    @Test("a tag in a context changes with the object")
    func tags() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("Post", "Faults"))"
            let tag = try #require(try world.get(path).fields[.etag])
            let outside = try #require(try world.get(path.replacing(context, with: "/api")).fields[.etag])
            #expect(try world.get(path, [.ifNoneMatch: tag]).status == 304)
            #expect(try world.send(.patch, path, "{}", fields: [.ifMatch: outside]).status == 200)
            #expect(try world.send(.patch, path, #"{"title":"x"}"#, fields: [.ifMatch: tag]).status == 200)
            #expect(try world.get(path, [.ifNoneMatch: tag]).status == 200)
            // The object differs now from its state outside the context.
            #expect(try world.send(.patch, path, #"{"title":"y"}"#, fields: [.ifMatch: outside]).status == 412)
            #expect(try world.send(.patch, path, #"{"title":"y"}"#, fields: [.ifMatch: "\"99\""]).status == 412)
        }
    }

    @Test("a change with If-Match needs the current tag of the object or of a selection")
    func staleTags() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("Post", "Faults"))"
            let tag = try #require(try world.get(path).fields[.etag])
            let part = try #require(try world.get("\(path)?select=title").fields[.etag])
            let changed = try world.send(.patch, path, #"{"title":"x"}"#, fields: [.ifMatch: part])
            #expect(changed.status == 200)
            let newer = try #require(changed.fields[.etag])
            #expect(try world.get(path).fields[.etag] == newer)
            for old in [tag, part] {
                let refused = try world.send(.patch, path, #"{"title":"y"}"#, fields: [.ifMatch: old])
                #expect(refused.status == 412)
                #expect(refused.fields[.etag] == newer)
                #expect(refused["current"]?["title"] == "x")
                #expect(try world.send(.delete, path, fields: [.ifMatch: old]).status == 412)
            }
            #expect(try world.send(.patch, path, #"{"title":"z"}"#, fields: [.ifMatch: newer]).status == 200)
            let made = try world.send(.post, "\(context)/posts", "{}")
            let first = try #require(made.fields[.etag])
            #expect(try world.send(.patch, "\(context)/posts/t2", "{}").status == 404)
            let own = "\(context)/posts/t1"
            #expect(try world.send(.patch, own, #"{"views":1}"#, fields: [.ifMatch: first]).status == 200)
            #expect(try world.send(.patch, own, #"{"views":2}"#, fields: [.ifMatch: first]).status == 412)
        }
    }

    @Test("pending bytes have tags for conditional changes")
    func tagsOfBytes() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let object = "\(context)/\(try world.reference("Post", "Faults"))"
            let path = "\(object)/picture"
            let made = try world.send(.put, path, body: .bytes([1, 2]))
            let tag = try #require(made.fields[.etag])
            #expect(try world.get(path).fields[.etag] == tag)
            #expect(try world.get(path, [.ifNoneMatch: tag]).status == 304)
            let changed = try world.send(.put, path, body: .bytes([3, 4]), fields: [.ifMatch: tag])
            #expect(changed.status == 204)
            #expect(try world.send(.put, path, body: .bytes([5, 6]), fields: [.ifMatch: tag]).status == 412)
            let whole = try #require(try world.get(object).fields[.etag])
            #expect(try world.send(.delete, path, fields: [.ifMatch: whole]).status == 204)
        }
    }

    @Test("bytes are accepted as they are shown, with their path inside or outside the context")
    func shownBytes() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let path = "\(context)/\(try world.reference("Post", "Faults"))"
            _ = try world.send(.put, "\(path)/picture", body: .bytes([1, 2]))
            for href in ["\(path)/picture", "\(path)/picture".replacing(context, with: "/api")] {
                let body = "{\"title\":\"x\",\"picture\":{\"href\":\"\(href)\",\"bytes\":2}}"
                let answer = try world.send(.patch, path, body)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try world.get("\(path)/picture").bytes == [1, 2])
            }
            let other = "\(path)/picture".replacing(context, with: "/api/contexts/c2")
            #expect(try world.send(.patch, path, "{\"picture\":{\"href\":\"\(other)\",\"bytes\":2}}").status == 422)
        }
    }

    @Test("adding an existing member or removing a missing one is no change", arguments: [true, false])
    func noChange(isRead: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (saving, core) = (try world.reference("Post", "Saving"), try world.reference("Tag", "core"))
            let swift = try world.reference("Tag", "swift")
            if isRead { _ = try world.get("\(context)/\(saving)/tags") }
            let path = "\(context)/\(saving)"
            #expect(try world.send(.post, "\(path)/tags", #"["\#(core)"]"#).status == 200)
            #expect(try world.send(.put, "\(path)/tags/\(core.dropFirst("tags/".count))").status == 200)
            let edit = #"{"tags":{"add":["\#(core)"],"remove":["\#(swift)"]}}"#
            #expect(try world.send(.patch, path, edit).status == 200)
            let (status, pending) = (try world.get(context), try world.changes(context))
            #expect(status["hasChanges"] == false && status["undo"] == 0, "\(pending)")
            #expect(
                try world.send(.patch, path, #"{"tags":{"add":["\#(swift)"],"remove":["\#(core)"]}}"#).status == 200
            )
            #expect(try world.send(.patch, path, #"{"tags":{"add":["\#(core)"]}}"#).status == 200)
            #expect(try world.send(.patch, path, #"{"tags":{"remove":["\#(swift)"]}}"#).status == 200)
            #expect(try world.get(context)["hasChanges"] == false)
        }
    }
}
