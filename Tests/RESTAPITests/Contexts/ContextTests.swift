// SPDX-License-Identifier: Apache-2.0

// Editing contexts as a whole: opening, saving, undo and ending.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Editing contexts")
struct ContextTests {
    @Test("a context is opened with a name, a policy and a time to live, and listed")
    func opening() throws {
        try APIWorld.each { world throws in
            let body = #"{"name":"My draft","mergePolicy":"object","automaticallyMergesChanges":false}"#
            let answer = try world.send(.post, "/api/contexts", body)
            #expect(answer.status == 201)
            #expect(answer["context"] == "c1")
            #expect(answer["name"] == "My draft")
            #expect(answer["mergePolicy"] == "object")
            #expect(answer["automaticallyMergesChanges"] == false)
            #expect(answer["expires"]?.string?.hasSuffix("Z") == true)
            #expect(answer["hasChanges"] == false)
            let child = try world.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
            #expect(child["parent"] == "c1")
            #expect(child["mergePolicy"] == "error")
            #expect(child["automaticallyMergesChanges"] == true)
            #expect(try world.get("/api/contexts/c1")["children"] == ["c2"])
            #expect(try world.get("/api/contexts")["items"]?.array?.map { $0["context"] } == ["c1", "c2"])
        }
    }

    @Test(
        "a context can't be opened with unknown settings",
        arguments: [
            (#"{"mergePolicy":"overwritten"}"#, 422, "Did you mean “overwrite”?"),
            (#"{"automaticallyMergeChanges":true}"#, 422, "Did you mean “automaticallyMergesChanges”?"),
            (#"{"name":5}"#, 422, "a string"), (#"{"parent":"c9"}"#, 404, "no editing context"),
            ("[1]", 422, "An object"), ("{", 400, "JSON"),
        ]
    )
    func badOpening(body: String, status: Int, words: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/contexts", body)
            #expect(answer.status == status)
            #expect(answer.text.contains(words), "\(answer.text)")
        }
    }

    @Test("an unknown path below a context gets the nearest one as a hint")
    func misspelt() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            #expect(try world.send(.post, "\(context)/undoo")["hint"]?.string?.contains("undo") == true)
            #expect(try world.get("\(context)/chnges")["hint"]?.string?.contains("changes") == true)
            #expect(try world.get("\(context)/postt")["hint"]?.string?.contains("posts") == true)
        }
    }

    @Test("an ended context answers 410 and an unknown one 404, also for all paths below")
    func ending() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            #expect(try world.send(.delete, context).status == 204)
            for path in [context, child, "\(context)/posts", "\(child)/changes", "\(context)/posts/1"] {
                let answer = try world.get(path)
                #expect(answer.status == 410)
                #expect(answer["code"] == "gone")
            }
            for path in ["/api/contexts/c3", "/api/contexts/x", "/api/contexts/c0/posts", "/api/contexts/c01"] {
                #expect(try world.get(path).status == 404)
            }
            #expect(try world.send(.post, "/api/contexts", #"{"parent":"c1"}"#).status == 410)
            #expect(try world.get("/api/contexts")["items"] == [])
        }
    }

    @Test("an unused context ends after a time, and a used child keeps its parent open")
    func idling() throws {
        var options = APIOptions()
        let clock = Clock()
        options.now = { clock.now }
        try APIWorld.each(options: options) { world throws in
            let (context, child) = (try world.openContext(), try world.openContext(#"{"parent":"c1"}"#))
            for _ in 0..<3 {
                clock.advance(by: .seconds(1_700))
                #expect(try world.get("\(child)/posts").status == 200)
            }
            #expect(try world.get(context).status == 200)
            // Reading a context's state counts as use, listing all contexts doesn't.
            clock.advance(by: .seconds(1_700))
            #expect(try world.get(child).status == 200)
            clock.advance(by: .seconds(1_700))
            #expect(try world.get("/api/contexts")["items"]?.array?.count == 2)
            clock.advance(by: .seconds(101))
            #expect(try world.get(child).status == 410)
            #expect(try world.get(context).status == 410)
        }
    }

    @Test("the number of contexts and the memory of each are limited")
    func limits() throws {
        var options = APIOptions()
        (options.maximumContexts, options.contextMemoryLimit) = (1, 20_000)
        try APIWorld.each(options: options) { world throws in
            let context = try world.openContext()
            let refused = try world.send(.post, "/api/contexts")
            #expect(refused.status == 503)
            #expect(refused.fields[.retryAfter] != nil)
            let note = String(repeating: "x", count: 30_000)
            let answer = try world.send(.post, "\(context)/users", #"{"name":"Dora","note":"\#(note)"}"#)
            #expect(answer.status == 413)
            #expect(try world.changes(context)["inserted"] == [])
            #expect(try world.send(.delete, context).status == 204)
            #expect(try world.openContext() == "/api/contexts/c2")
        }
    }

    @Test("pending changes are visible only in their context until they are saved")
    func drafting() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            let made = try world.send(.post, "\(context)/posts", #"{"title":"New","author":{"name":"Dora"}}"#)
            #expect(made.status == 201)
            #expect(made["_id"] == "posts/t1")
            #expect(made.fields[.location] == "\(context)/posts/t1")
            #expect(made["author"]?["_id"] == "users/t2")
            #expect(try world.send(.patch, "\(context)/\(faults)", #"{"title":"Changed"}"#)["title"] == "Changed")
            #expect(try world.get("\(context)/posts/t1")["title"] == "New")
            #expect(try world.get("\(context)/users/t2/posts")["items"]?[0]?["_id"] == "posts/t1")
            #expect(try world.get("/api/\(faults)")["title"] == "Faults")
            #expect(try world.get("/api/posts/t1").status == 404)
            let changes = try world.changes(context)
            #expect(changes["inserted"]?.array?.map { $0["_id"] } == ["posts/t1", "users/t2"])
            #expect(changes["updated"]?[0]?["_id"]?.string == faults)
            #expect(changes["updated"]?[0]?["properties"] == ["title": ["old": "Faults", "new": "Changed"]])
            #expect(changes["deleted"] == [])
            let saved = try world.send(.post, "\(context)/save")
            #expect(saved.status == 200)
            let post = try #require(saved["ids"]?["posts/t1"]?.string)
            #expect(saved["ids"]?.object?.names == ["posts/t1", "users/t2"])
            #expect(try world.get("/api/\(post)?include=author")["author"]?["name"] == "Dora")
            #expect(try world.get("/api/\(faults)")["title"] == "Changed")
            // Temporary names remain valid.
            #expect(try world.get("\(context)/posts/t1")["_id"]?.string == post)
            #expect(try world.get("\(context)/posts?author=users/t2")["items"]?[0]?["_id"]?.string == post)
            #expect(try world.changes(context) == ["inserted": [], "updated": [], "deleted": []])
        }
    }

    @Test("a save with return=changes lists the changes that it has written")
    func savedChanges() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (undo, core) = (try world.post("Undo"), try world.tag("core"))
            #expect(try world.send(.post, "\(context)/tags", #"{"name":"new"}"#).status == 201)
            #expect(try world.send(.patch, "\(context)/\(undo)", #"{"views":1}"#).status == 200)
            #expect(try world.send(.delete, "\(context)/\(core)").status == 204)
            let fields: HeaderFields = [.prefer: "return=changes"]
            let saved = try world.send(.post, "\(context)/save", fields: fields)
            #expect(saved.status == 200)
            #expect(saved.fields["Preference-Applied"] == "return=changes")
            let new = try #require(saved["ids"]?["tags/t1"]?.string)
            let changes = try #require(saved["_changed"]?.array)
            func change(_ id: String) -> JSONValue? { changes.first { $0["_id"]?.string == id } }
            #expect(change(new)?["change"] == "inserted")
            #expect(change(new)?["_version"] == 1)
            #expect(change(undo)?["change"] == "updated")
            #expect(change(undo)?["_entity"] == "Post")
            #expect(change(core)?["change"] == "deleted")
            let again = try world.send(.post, "\(context)/save", fields: fields)
            #expect(again["_changed"] == [])
            #expect(try world.send(.post, "\(context)/save")["_changed"] == nil)
            let child = try world.openContext(#"{"parent":"c1"}"#)
            #expect(try world.send(.patch, "\(child)/\(undo)", #"{"views":2}"#).status == 200)
            #expect(try world.send(.post, "\(child)/save", fields: fields)["_changed"]?[0]?["_id"]?.string == undo)
        }
    }

    @Test("undo and redo work request by request, and rollback returns to the last save")
    func undo() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            let path = "\(context)/\(faults)"
            _ = try world.send(.patch, path, #"{"title":"One","views":1}"#)
            _ = try world.send(.patch, path, #"{"title":"Two","tags":[{"name":"new"}]}"#)
            #expect(try world.get(context)["undo"] == 2)
            let undone = try world.send(.post, "\(context)/undo")
            #expect(undone.status == 200)
            #expect(undone["undo"] == 1)
            #expect(undone["redo"] == 1)
            #expect(undone["inserted"] == 0)
            #expect(try world.get(path)["title"] == "One")
            #expect(try world.send(.post, "\(context)/redo")["inserted"] == 1)
            #expect(try world.get(path)["title"] == "Two")
            #expect(try world.get("\(context)/\(faults)/tags?name=new")["items"]?.array?.count == 1)
            // A failed request isn't a step.
            #expect(try world.send(.patch, path, #"{"title":"Three","author":"users/999"}"#).status == 422)
            #expect(try world.get(path)["title"] == "Two")
            #expect(try world.get(context)["undo"] == 2)
            #expect(try world.send(.post, "\(context)/rollback")["hasChanges"] == false)
            #expect(try world.get(path)["title"] == "Faults")
            #expect(try world.send(.post, "\(context)/undo").status == 200)
        }
    }

    @Test("pending changes may be invalid until the save, and validate lists the errors")
    func validation() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let cem = try world.reference("User", "Cem")
            #expect(try world.send(.post, "\(context)/comments", #"{"text":"Alone"}"#).status == 201)
            #expect(try world.send(.post, "\(context)/posts", #"{"title":"","views":-1}"#).status == 201)
            let answer = try world.send(.post, "\(context)/validate")
            #expect(answer.status == 200)
            #expect(answer["valid"] == false)
            let errors = try #require(answer["errors"]?.array)
            #expect(
                errors.map {
                    "\($0["object"]?.string ?? "") \($0["property"]?.string ?? "") \($0["code"]?.string ?? "")"
                }
                    == ["comments/t1 post required", "posts/t2 title too-short", "posts/t2 views too-small"]
            )
            let refused = try world.send(.post, "\(context)/save")
            #expect(refused.status == 422)
            #expect(refused["code"] == "validation")
            #expect(refused["errors"]?.array?.count == 3)
            #expect(try world.send(.post, "\(context)/rollback").status == 200)
            #expect(try world.send(.post, "\(context)/validate").json == ["valid": true, "errors": []])
            // Deny rules apply at the save, since the denying objects may also be deleted.
            #expect(try world.send(.delete, "\(context)/\(cem)").status == 204)
            let denied = try world.send(.post, "\(context)/save")
            #expect(denied.status == 409)
            #expect(denied["code"] == "delete-denied")
            #expect(denied["errors"]?[0]?["object"]?.string == cem)
            #expect(denied["errors"]?[0]?["objects"]?.array?.isEmpty == false)
        }
    }

    @Test("a child saves into its parent, and new objects get permanent names when the root is saved")
    func children() throws {
        try APIWorld.each { world throws in
            let root = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let grandchild = try world.openContext(#"{"parent":"c2"}"#)
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(root)/\(faults)", #"{"title":"Root"}"#)
            #expect(try world.get("\(grandchild)/\(faults)")["title"] == "Root")
            _ = try world.send(.patch, "\(grandchild)/\(faults)", #"{"title":"Deep"}"#)
            #expect(try world.send(.post, "\(grandchild)/posts", #"{"title":"New"}"#)["_id"] == "posts/t1")
            #expect(try world.titles("\(child)/posts?title=New") == [])
            #expect(try world.send(.post, "\(grandchild)/save").json == ["ids": [:]])
            #expect(try world.titles("\(child)/posts?title=New") == ["New"])
            #expect(try world.get("\(root)/\(faults)")["title"] == "Root")
            #expect(try world.send(.post, "\(child)/save").status == 200)
            #expect(try world.get("\(root)/\(faults)")["title"] == "Deep")
            #expect(try world.get("/api/\(faults)")["title"] == "Faults")
            let saved = try world.send(.post, "\(root)/save")
            let post = try #require(saved["ids"]?["posts/t1"]?.string)
            for context in [root, child, grandchild] {
                #expect(try world.get("\(context)/posts/t1")["_id"]?.string == post)
                #expect(try world.titles("\(context)/posts?title=New") == ["New"])
                #expect(try world.get(context)["hasChanges"] == false)
            }
            #expect(try world.get("/api/\(faults)")["title"] == "Deep")
        }
    }

    @Test("reset discards all changes, and refresh reads objects again")
    func refreshing() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            let faults = try world.reference("Post", "Faults")
            let path = "\(context)/\(faults)"
            _ = try world.get(path)
            _ = try world.send(.patch, path, #"{"views":77}"#)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            #expect(try world.get(path)["title"] == "Faults")
            let body = "{\"ids\":[\"\(faults)\"]}"
            #expect(try world.send(.post, "\(context)/refresh", body).status == 200)
            #expect(try world.get(path)["title"] == "Theirs")
            #expect(try world.get(path)["views"] == 77)
            let dropping = "{\"ids\":[\"\(faults)\"],\"mergeChanges\":false}"
            #expect(try world.send(.post, "\(context)/refresh", dropping)["hasChanges"] == false)
            #expect(try world.get(path)["views"] != 77)
            _ = try world.send(.patch, path, #"{"views":78}"#)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Again"}"#)
            #expect(try world.send(.post, "\(context)/refresh").status == 200)
            #expect(try world.get(path)["title"] == "Again")
            #expect(try world.get(path)["views"] == 78)
            #expect(try world.send(.post, "\(context)/reset")["hasChanges"] == false)
            #expect(try world.get(path)["views"] != 78)
            for body in [#"{"ids":"posts/1"}"#, #"{"ids":["posts"]}"#, #"{"id":[]}"#] {
                #expect(try world.send(.post, "\(context)/refresh", body).status == 422)
            }
            _ = try world.send(.patch, path, #"{"views":79}"#)
            let dangling = "{\"ids\":[\"\(faults)\",\"tags/999\",\"posts/x\"],\"mergeChanges\":false}"
            let refused = try world.send(.post, "\(context)/refresh", dangling)
            #expect(refused.status == 422)
            #expect(refused["errors"]?.array?.map { $0["pointer"] } == ["/ids/1", "/ids/2"], "\(refused.text)")
            #expect(refused["errors"]?[0]?["message"] == "There is no object tags/999.")
            #expect(refused["errors"]?[0]?["code"] == "reference")
            #expect(try world.get(path)["views"] == 79)
        }
    }

    @Test("a wrong method is answered with the allowed ones")
    func methods() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            for (method, path, allowed) in [
                (HTTPMethod.put, "/api/contexts", "GET, HEAD, POST, OPTIONS"),
                (.patch, context, "GET, HEAD, DELETE, OPTIONS"), (.post, "\(context)/changes", "GET, HEAD, OPTIONS"),
                (.get, "\(context)/save", "POST, OPTIONS"), (.get, "\(context)/posts/batch-insert", "POST, OPTIONS"),
                (.put, "\(context)/posts", "GET, HEAD, POST, OPTIONS"),
            ] {
                let answer = try world.send(method, path, "{}")
                #expect(answer.status == 405)
                #expect(answer.fields[.allow] == allowed)
            }
        }
    }

    @Test("validate checks unique values as the save does, and changes nothing")
    func validatingUnique() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (swift, data) = (try world.reference("Tag", "swift"), try world.reference("Tag", "data"))
            _ = try world.send(.post, "\(context)/tags", #"{"name":"swift"}"#)
            func codes() throws -> [String?]? {
                let answer = try world.send(.post, "\(context)/validate")
                #expect(answer.status == 200)
                #expect(answer["valid"]?.bool == answer["errors"]?.array?.isEmpty)
                return answer["errors"]?.array?.map { $0["code"]?.string }
            }
            let before = try world.changes(context)
            #expect(try codes() == ["unique"])
            #expect(try world.changes(context) == before)
            #expect(try world.get(context)["undo"] == 1)
            let errors = try world.send(.post, "\(context)/validate")["errors"]
            #expect(try world.send(.post, "\(context)/save")["errors"] == errors)
            #expect(errors?[0]?["object"] == "tags/t1")
            #expect(errors?[0]?["holder"]?.string == swift)
            // Also if the holder itself is edited.
            _ = try world.send(.patch, "\(context)/\(swift)", #"{"posts":[]}"#)
            let edited = try world.send(.post, "\(context)/validate")["errors"]
            #expect(edited?[0]?["object"] == "tags/t1", "\(String(describing: edited))")
            #expect(edited?[0]?["holder"]?.string == swift)
            _ = try world.send(.post, "\(context)/undo")
            // The holder of the value may be deleted.
            _ = try world.send(.delete, "\(context)/\(swift)")
            #expect(try codes() == [])
            _ = try world.send(.patch, "\(context)/\(data)", #"{"name":"swift"}"#)
            #expect(try codes() == ["unique"])
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
        }
    }

    @Test("changes include only what a save would write, with the versions they are based on")
    func differences() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (faults, anna) = (try world.reference("Post", "Faults"), try world.reference("User", "Anna"))
            let swift = try world.reference("Tag", "swift")
            let key = try #require(swift.split(separator: "/").last)
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Faults"}"#)
            #expect(try world.send(.put, "\(context)/\(faults)/tags/\(key)").status < 300)
            #expect(try world.get(context)["updated"] == 2)
            #expect(try world.send(.delete, "\(context)/\(faults)/tags/\(key)").status < 300)
            #expect(try world.changes(context) == ["inserted": [], "updated": [], "deleted": []])
            let status = try world.get(context)
            #expect(status["updated"] == 0)
            #expect(status["hasChanges"] == false)
            #expect(try world.send(.post, "\(context)/redo")["hasChanges"] == false)
            _ = try world.send(.delete, "\(context)/\(faults)")
            let updated = try #require(try world.changes(context)["updated"]?.array)
            #expect(updated.contains { $0["_id"]?.string == anna })
            for object in updated {
                let id = try #require(object["_id"]?.string)
                #expect(object["_version"] == (try world.get("/api/\(id)")["_version"]))
            }
        }
    }

    @Test(
        "a path that doesn't exist below a context gets a hint where to find it",
        arguments: [
            ("queries", "GET /api/queries"), ("model", "/api/model"), ("stats", "/api/stats"),
            ("history", "/api/history"), ("contexts", "“parent”"),
        ]
    )
    func elsewhere(path: String, hint: String) throws {
        try APIWorld.each { world throws in
            let answer = try world.get("\(try world.openContext())/\(path)")
            #expect(answer.status == 404)
            #expect(answer["detail"]?.string == "“\(path)” isn't available in an editing context.")
            #expect(answer["hint"]?.string?.contains(hint) == true)
        }
    }

    @Test("an invalid reference in a request is reported with its pointer")
    func messages() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let refresh = try world.send(.post, "\(context)/refresh", #"{"ids":["tags/1",1]}"#)
            #expect(refresh.status == 422)
            #expect(refresh["errors"]?.array?.map { $0["pointer"] } == ["/ids/1"], "\(refresh.text)")
        }
    }

    @Test("a context's name has at most 200 characters")
    func nameLength() throws {
        try APIWorld.each { world throws in
            let name = String(repeating: "😀", count: 100)
            #expect(try world.send(.post, "/api/contexts", "{\"name\":\"\(name)\"}")["name"]?.string == name)
            let refused = try world.send(.post, "/api/contexts", "{\"name\":\"\(name)!\"}")
            #expect(refused.status == 422)
            #expect(refused["detail"] == "“name” has more than 200 characters.")
            #expect(refused["errors"]?[0]?["pointer"] == "/name")
            #expect(refused["errors"]?[0]?["code"] == "too-long")
            let schemas = try world.get("/openapi.json")["components"]?["schemas"]
            #expect(schemas?["ContextSettings"]?["properties"]?["name"]?["maxLength"] == 200)
        }
    }

    @Test("an edit of an object that the parent deleted is a conflict, reported by validate and resolved at the save")
    func deletedInParent() throws {
        try APIWorld.each { world throws in
            let parent = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let faults = try world.reference("Post", "Faults")
            #expect(try world.send(.patch, "\(child)/\(faults)", #"{"title":"Mine"}"#).status == 200)
            #expect(try world.send(.post, "\(child)/validate")["valid"] == true)
            #expect(try world.send(.delete, "\(parent)/\(faults)").status == 204)
            let verdict = try world.send(.post, "\(child)/validate")
            #expect(verdict["valid"] == false)
            #expect(verdict["errors"]?.array?.isEmpty == false, "\(verdict.text)")
            #expect(try world.send(.post, "\(child)/save").status == 409)
            #expect(try world.send(.post, "\(child)/save", fields: [.prefer: "merge=object"]).status == 200)
            #expect(try world.get("\(parent)/\(faults)")["title"] == "Mine")
        }
    }

    @Test("all errors of a body are reported at once, each with its position")
    func places() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            func errors(_ path: String, _ body: String) throws -> [String] {
                let answer = try world.send(.post, path, body)
                #expect(answer.status == 422)
                return (answer["errors"]?.array ?? []).map { error in
                    let place = [error["line"], error["column"]].map { "\($0?.int64 ?? 0)" }.joined(separator: ":")
                    return "\(error["pointer"]?.string ?? "–") \(place) \(error["code"]?.string ?? "")"
                }
            }
            let body = """
                {
                  "name": 5,
                  "mergePolicy": "overwritten",
                  "colour": true
                }
                """
            #expect(
                try errors("/api/contexts", body) == [
                    "/name 2:11 type", "/mergePolicy 3:18 type", "/colour 4:13 unknown",
                ]
            )
            #expect(
                try errors("\(context)/refresh", #"{"ids":[1,"tags/1","x"],"mergeChanges":"no"}"#) == [
                    "/ids/0 1:9 type", "/ids/2 1:20 reference", "/mergeChanges 1:40 type",
                ]
            )
            #expect(try errors("\(context)/undo", #"{"steps":2}"#) == ["/steps 1:10 unknown"])
            #expect(try errors("\(context)/save", "[]") == ["– 1:1 type"])
        }
    }

    @Test("requesting an object as another entity doesn't affect the object", arguments: 0..<4)
    func mistakenEntity(way: Int) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let anna = try world.reference("User", "Anna")
            let wrong = "Group/\(anna.dropFirst("users/".count))"
            for path in [context, child] {
                switch way {
                case 0: #expect(try world.get("\(path)/\(wrong)").status == 404)
                case 1: #expect(try world.send(.patch, "\(path)/\(wrong)", #"{"name":"A"}"#).status == 404)
                case 2: #expect(try world.send(.post, "\(path)/refresh", #"{"ids":["\#(wrong)"]}"#).status >= 400)
                default:
                    let body = #"{"name":"New","groups":["\#(wrong)"]}"#
                    #expect(try world.send(.post, "\(path)/users", body).status == 422)
                }
            }
            for path in [context, child] {
                #expect(try world.get("\(path)/\(anna)")["name"] == "Anna")
                #expect(try world.get("\(path)/\(anna)/groups")["items"]?.array?.count == 1)
            }
            let group = try #require(try world.get("/api/Group")["items"]?.array?.first?["_id"]?.string)
            #expect(try world.send(.delete, "\(context)/\(group)").status == 204)
            #expect(try world.get("\(child)/\(anna)/groups")["items"] == [])
            #expect(try world.get("\(child)/\(wrong)").status == 404)
            #expect(try world.send(.patch, "/api/\(anna)", #"{"note":"theirs"}"#).status == 200)
            #expect(try world.get("\(child)/\(anna)")["note"] == "theirs")
            #expect(try world.send(.post, "\(context)/undo").status == 200)
            #expect(try world.get("\(child)/\(anna)/groups")["items"]?.array?.count == 1)
        }
    }
}
