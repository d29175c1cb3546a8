// SPDX-License-Identifier: Apache-2.0

// Changes by other clients while an editing context is open.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Merging into editing contexts")
struct ContextMergingTests {
    @Test("saves and batches are visible at once, edits are kept, and deleted objects disappear")
    func merging() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let (faults, undo) = (try world.reference("Post", "Faults"), try world.reference("Post", "Undo"))
            for path in [context, child] { #expect(try world.get("\(path)/\(faults)")["title"] == "Faults") }
            _ = try world.send(.patch, "\(context)/\(undo)", #"{"title":"Mine"}"#)
            let batch = try world.send(
                .post,
                "/api/posts/batch-update",
                #"{"all":true,"set":{"views":4711}}"#
            )
            #expect(batch["merged"] == 2)
            for path in [context, child] {
                #expect(try world.get("\(path)/\(faults)")["views"] == 4711)
                #expect(try world.get("\(path)/\(undo)")["views"] == 4711)
                #expect(try world.get("\(path)/\(undo)")["title"] == "Mine")
            }
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            #expect(try world.get("\(child)/\(faults)")["title"] == "Theirs")
            _ = try world.send(.post, "/api/posts/batch-delete", "{\"ids\":[\"\(faults)\"]}")
            for path in [context, child] { #expect(try world.get("\(path)/\(faults)").status == 404) }
            let other = try world.openContext()
            _ = try world.send(.post, "\(other)/posts", #"{"title":"Elsewhere"}"#)
            _ = try world.send(.post, "\(other)/save")
            for path in [context, child] { #expect(try world.titles("\(path)/posts?title=Elsewhere") == ["Elsewhere"]) }
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/\(undo)")["title"] == "Mine")
        }
    }

    @Test("a batch counts the contexts that it is merged into, without those that keep their base and their children")
    func counting() throws {
        try APIWorld.each { world throws in
            _ = try world.openContext()
            _ = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            _ = try world.openContext(#"{"parent":"c2"}"#)
            _ = try world.openContext(#"{"parent":"c1"}"#)
            let batch = try world.send(.post, "/api/posts/batch-update", #"{"all":true,"set":{"views":4711}}"#)
            #expect(batch["merged"] == 2)
        }
    }

    @Test("a child's changes of an upserted object become changes of the stored object")
    func replaced() throws {
        for merges in [true, false] {
            for isRead in [true, false] {
                try APIWorld.each { world throws in
                    let made = try world.send(.post, "/api/users", #"{"name":"Ann","email":"ann@example.org"}"#)
                    let stored = try #require(made["_id"]?.string)
                    let parent = try world.openContext(#"{"mergePolicy":"object"}"#)
                    _ = try world.send(.post, "\(parent)/users", #"{"name":"Bea","email":"ann@example.org"}"#)
                    let child = try world.openContext(
                        "{\"parent\":\"c1\",\"automaticallyMergesChanges\":\(merges)}"
                    )
                    if isRead { #expect(try world.get("\(child)/\(stored)")["name"] == "Ann") }
                    _ = try world.send(.patch, "\(child)/users/t1", #"{"age":42}"#)
                    #expect(try world.send(.post, "\(parent)/save")["ids"]?["users/t1"]?.string == stored)
                    for name in ["users/t1", stored] {
                        let user = try world.get("\(child)/\(name)")
                        #expect(user["_id"]?.string == stored)
                        #expect(user["age"] == 42)
                        if merges { #expect(user["name"] == "Bea") }
                    }
                    #expect(try world.get("\(child)/users?email=ann@example.org&count=true")["total"] == 1)
                    #expect(try world.send(.post, "\(child)/save").status == 200)
                    #expect(try world.send(.post, "\(parent)/save").status == 200)
                    let user = try world.get("/api/\(stored)")
                    #expect(user["age"] == 42)
                    #expect(user["name"] == "Bea")
                }
            }
        }
    }

    @Test("a merge updates the base and marks conflicting edits, and the save writes the edit")
    func contested() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine","views":5}"#)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            let properties = try world.changes(context)["updated"]?[0]?["properties"]
            #expect(
                properties?["title"]
                    == ["base": "Faults", "stored": "Theirs", "new": "Mine", "conflict": true]
            )
            #expect(properties?["views"]?["new"] == 5)
            #expect(properties?["views"]?["conflict"] == nil)
            #expect(try world.get(context)["conflicts"] == 1)
            // Sending a value resolves the conflict.
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Ours"}"#)
            #expect(
                try world.changes(context)["updated"]?[0]?["properties"]?["title"] == ["old": "Theirs", "new": "Ours"]
            )
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/\(faults)")["title"] == "Ours")
        }
    }

    @Test("a context that keeps its base has conflicts at its save, resolved by a policy or by values")
    func conflicts() throws {
        try APIWorld.each { world throws in
            let faults = try world.reference("Post", "Faults")
            func draft(_ title: String) throws -> String {
                let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
                let current = try #require(try world.get("/api/\(faults)")["title"]?.string)
                #expect(try world.get("\(context)/\(faults)")["title"]?.string == current)
                _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"\#(title)"}"#)
                _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs of \#(title)"}"#)
                return context
            }
            let one = try draft("One")
            let refused = try world.send(.post, "\(one)/save")
            #expect(refused.status == 409)
            #expect(refused["code"] == "conflict")
            let error = try #require(refused["errors"]?[0])
            #expect(error["object"]?.string == faults)
            #expect(
                error["properties"]
                    == ["title": ["base": "Faults", "stored": "Theirs of One", "requested": "One"]]
            )
            let version = try #require(error["storedVersion"]?.int64)
            #expect(error["baseVersion"]?.int64 == version - 1)
            let chosen = try world.send(
                .patch,
                "\(one)/\(faults)",
                "{\"_version\":\(version),\"title\":\"Chosen\"}"
            )
            #expect(chosen.status == 200, "\(chosen.text)")
            #expect(try world.send(.post, "\(one)/save").status == 200)
            #expect(try world.get("/api/\(faults)")["title"] == "Chosen")
            for (policy, title) in [
                ("overwrite", "A"), ("object", "B"), ("store", "Theirs of C"), ("rollback", "Theirs of D"),
            ] {
                let context = try draft(String(title.suffix(1)))
                #expect(try world.send(.post, "\(context)/save").status == 409)
                let saved = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=\(policy)"])
                #expect(saved.status == 200)
                #expect(try world.get("/api/\(faults)")["title"]?.string == title)
            }
        }
    }

    @Test("a conflict with a deletion is resolved by deleting the object, or by recreating it with a new version")
    func deletedByAll() throws {
        try APIWorld.each { world throws in
            let made = try world.send(.post, "/api/posts", #"{"title":"new"}"#)
            let id = try #require(made["_id"]?.string)
            let tag = try #require(made.fields[.etag])
            let staying = try (0..<3).map { _ in
                let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
                #expect(try world.send(.patch, "\(context)/\(id)", #"{"views":1}"#).status == 200)
                return context
            }
            #expect(try world.send(.patch, "/api/\(id)", #"{"views":2}"#).status == 200)
            let second = try #require(try world.get("/api/\(id)").fields[.etag])
            #expect(try world.send(.delete, "/api/\(id)").status == 204)
            #expect(try world.send(.post, "\(staying[0])/save").status == 409)
            #expect(try world.send(.post, "\(staying[0])/validate")["errors"]?[0]?["code"] == "conflict")
            #expect(try world.send(.delete, "\(staying[0])/\(id)").status == 204)
            #expect(try world.send(.post, "\(staying[0])/save").status == 200)
            #expect(try world.get("/api/\(id)").status == 404)
            let overwrite: HeaderFields = [.prefer: "merge=overwrite"]
            #expect(try world.send(.post, "\(staying[1])/save", fields: overwrite).status == 200)
            for old in [tag, second] {
                #expect(try world.get("/api/\(id)", [.ifNoneMatch: old]).status == 200)
                #expect(try world.send(.patch, "/api/\(id)", "{}", fields: [.ifMatch: old]).status == 412)
            }
            #expect(try world.send(.patch, "/api/\(id)", #"{"views":3}"#).status == 200)
            #expect(try world.send(.post, "\(staying[2])/save").status == 409)
        }
    }

    @Test("a child follows what its parent keeps of deleted objects, and the parent's rollback and reset")
    func children() throws {
        try APIWorld.each { world throws in
            let (context, child) = (try world.openContext(), try world.openContext(#"{"parent":"c1"}"#))
            let (faults, anna) = (try world.reference("Post", "Faults"), try world.reference("User", "Anna"))
            // The parent keeps it, since it is edited there.
            #expect(try world.get("\(child)/\(faults)").status == 200)
            #expect(try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#).status == 200)
            #expect(try world.send(.delete, "/api/\(faults)").status == 204)
            for path in [context, child] {
                #expect(try world.get("\(path)/\(faults)")["title"] == "Mine")
                #expect(try world.titles("\(path)/posts?title=Mine&select=title") == ["Mine"])
            }
            #expect(try world.send(.post, "\(context)/rollback").status == 200)
            for path in [context, child] { #expect(try world.get("\(path)/\(faults)").status == 404) }
            // New in the parent, and edited in the child.
            #expect(try world.send(.post, "\(context)/tags", #"{"name":"new"}"#)["_id"] == "tags/t1")
            #expect(try world.send(.patch, "\(child)/tags/t1", #"{"name":"newer"}"#).status == 200)
            // Deleted in the parent, and then restored.
            let undo = try world.reference("Post", "Undo")
            #expect(try world.get("\(child)/\(undo)").status == 200)
            #expect(try world.send(.delete, "\(context)/\(undo)").status == 204)
            #expect(try world.get("\(child)/\(undo)").status == 404)
            #expect(try world.send(.post, "\(context)/reset").status == 200)
            #expect(try world.changes(child)["updated"]?[0]?["conflict"] == "deleted")
            #expect(try world.get("\(child)/\(undo)").status == 200)
            #expect(try world.titles("\(child)/posts?title=Undo&select=title") == ["Undo"])
            #expect(try world.get("\(child)/\(anna)").status == 200)
        }
    }

    @Test("an edited object keeps no reference to an object deleted with it")
    func deletedTogether() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let post = try #require(try world.send(.post, "/api/posts", #"{"title":"A"}"#)["_id"]?.string)
            let page = try world.send(.post, "/api/pages", "{\"text\":\"B\",\"post\":\"\(post)\"}")
            let path = "\(context)/\(try #require(page["_id"]?.string))"
            #expect(try world.send(.patch, path, #"{"text":"Mine"}"#).status == 200)
            // The page is deleted with its post.
            #expect(try world.send(.delete, "/api/\(post)").status == 204)
            let kept = try world.get(path)
            #expect(kept["text"] == "Mine")
            #expect(kept["post"] == .null)
        }
    }

    @Test("a context that keeps its base can read an object created after it was first requested")
    func askedInVain() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            let id = try #require(try world.send(.post, "/api/tags", #"{"name":"a"}"#)["_id"]?.string)
            let number = try #require(id.split(separator: "/").last.flatMap { Int($0) })
            for next in number + 1...number + 2 {
                #expect(try world.get("\(context)/tags/\(next)").status == 404)
                guard world.sqlite != nil else { continue }
                let made = try world.send(.post, "/api/tags", #"{"name":"b\#(next)"}"#)
                #expect(made["_id"]?.string == "tags/\(next)")
                #expect(try world.get("\(context)/tags/\(next)").status == 200)
            }
        }
    }

    @Test("a deletion by another client conflicts with an edit in any context")
    func deletedElsewhere() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#)
            #expect(try world.send(.delete, "/api/\(faults)").status == 204)
            #expect(try world.get("\(context)/\(faults)")["title"] == "Mine")
            #expect(try world.changes(context)["updated"]?[0]?["conflict"] == "deleted")
            let refused = try world.send(.post, "\(context)/save")
            #expect(refused.status == 409)
            #expect(refused["errors"]?[0]?["storedVersion"] == .null)
            let validated = try world.send(.post, "\(context)/validate")
            #expect(validated["valid"] == false)
            #expect(validated["errors"] == refused["errors"])
            let saved = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=store"])
            #expect(saved.status == 200)
            #expect(try world.get("\(context)/\(faults)").status == 404)
        }
    }

    @Test("saving a unique value that exists by now is refused with 409")
    func unique() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            _ = try world.send(.post, "\(context)/tags", #"{"name":"new"}"#)
            _ = try world.send(.post, "/api/tags", #"{"name":"new"}"#)
            let refused = try world.send(.post, "\(context)/save")
            #expect(refused.status == 409)
            #expect(refused["code"] == "unique")
            #expect(refused["errors"]?[0]?["object"] == "tags/t1")
            #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"]).status == 200)
            #expect(try world.titles("/api/tags?name=new") == ["new"])
        }
    }

    @Test("an edited object that was deleted can be edited further, given up or recreated")
    func editingDeleted() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (faults, undo) = (try world.reference("Post", "Faults"), try world.reference("Post", "Undo"))
            for post in [faults, undo] {
                _ = try world.send(.patch, "\(context)/\(post)", #"{"title":"Mine"}"#)
                #expect(try world.send(.delete, "/api/\(post)").status == 204)
            }
            let edited = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine still"}"#)
            #expect(edited.status == 200, "\(edited.text)")
            #expect(edited["title"] == "Mine still")
            let refused = try world.send(.post, "\(context)/save")
            #expect(refused.status == 409)
            #expect(refused["hint"]?.string?.contains("storedVersion") == false)
            #expect(refused["hint"]?.string?.contains("DELETE") == true)
            #expect(try world.send(.delete, "\(context)/\(undo)").status == 204)
            #expect(try world.get("\(context)/\(undo)").status == 404)
            #expect(try world.get(context)["conflicts"] == 1)
            #expect(try world.changes(context)["deleted"] == [])
            #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"]).status == 200)
            #expect(try world.titles("/api/posts?title=Mine still") == ["Mine still"])
            #expect(try world.get("/api/\(undo)").status == 404)
        }
    }

    @Test("deleting an edited object resolves the conflict with its deletion, and undo recreates it")
    func deletingDeleted() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#)
            #expect(try world.send(.delete, "/api/\(faults)").status == 204)
            #expect(try world.send(.delete, "\(context)/\(faults)").status == 204)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.send(.post, "\(context)/undo")["inserted"] == 1)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.titles("/api/posts?title=Mine") == ["Mine"])
        }
    }

    @Test("refresh merges into a context that keeps its base, and marks conflicting edits")
    func refreshing() throws {
        try APIWorld.each { world throws in
            let (faults, undo) = (try world.reference("Post", "Faults"), try world.reference("Post", "Undo"))
            for (body, mine) in [("{\"ids\":[\"\(faults)\",\"\(undo)\"]}", "Mine"), (nil, "Ours")] {
                let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
                let base = try #require(try world.get("\(context)/\(faults)")["title"])
                _ = try world.send(.patch, "\(context)/\(faults)", "{\"title\":\"\(mine)\",\"views\":5}")
                _ = try world.send(.patch, "/api/\(faults)", "{\"title\":\"Theirs, not \(mine)\"}")
                #expect(try world.get(context)["conflicts"] == 0)
                #expect(try world.send(.post, "\(context)/refresh", body).status == 200)
                #expect(try world.get(context)["conflicts"] == 1)
                #expect(
                    try world.changes(context)["updated"]?[0]?["properties"]?["title"]
                        == [
                            "base": base, "stored": .string("Theirs, not \(mine)"), "new": .string(mine),
                            "conflict": true,
                        ]
                )
                #expect(try world.send(.post, "\(context)/save").status == 200)
                #expect(try world.get("/api/\(faults)")["title"]?.string == mine)
            }
            let context = try world.openContext(#"{"automaticallyMergesChanges":false}"#)
            _ = try world.send(.patch, "\(context)/\(undo)", #"{"title":"Mine"}"#)
            _ = try world.send(.delete, "/api/\(undo)")
            #expect(try world.send(.post, "\(context)/refresh", "{\"ids\":[\"\(undo)\"]}").status == 200)
            #expect(try world.changes(context)["updated"]?[0]?["conflict"] == "deleted")
            #expect(try world.send(.post, "\(context)/save").status == 409)
        }
    }

    @Test(
        "the save's merge policy resolves conflicting edits",
        arguments: [
            ("error", "Mine", 5), ("object", "Mine", 5), ("overwrite", "Mine", 5), ("store", "Theirs", 5),
            ("rollback", "Theirs", 10),
        ]
    )
    func policies(policy: String, title: String, views: Int64) throws {
        try APIWorld.each { world throws in
            let faults = try world.reference("Post", "Faults")
            let settings = ["{\"mergePolicy\":\"\(policy)\"}", "{}"]
            for (setting, prefer) in zip(settings, [HeaderFields(), [.prefer: "merge=\(policy)"]]) {
                _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Faults","views":10}"#)
                let context = try world.openContext(setting)
                _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine","views":5}"#)
                _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
                #expect(try world.get(context)["conflicts"] == 1)
                #expect(try world.send(.post, "\(context)/save", fields: prefer).status == 200)
                let stored = try world.get("/api/\(faults)")
                #expect(stored["title"]?.string == title)
                #expect(stored["views"]?.int64 == views)
                #expect(try world.get("\(context)/\(faults)")["title"]?.string == title)
                #expect(try world.get(context)["hasChanges"] == false)
            }
        }
    }

    @Test(
        "an upsert in a context keeps values that weren't given, as without a context",
        arguments: ["overwrite", "object"]
    )
    func upsert(policy: String) throws {
        try APIWorld.each { world throws in
            let anna = try world.user("Anna")
            let prefer: HeaderFields = [.prefer: "merge=\(policy)"]
            let contexts = [try world.openContext("{\"mergePolicy\":\"\(policy)\"}"), try world.openContext()]
            for (path, name) in zip(contexts + ["/api"], ["One", "Two", "Three"]) {
                let body = "{\"name\":\"\(name)\",\"email\":\"anna@example.org\",\"note\":null}"
                let made = try world.send(.post, "\(path)/users", body, fields: path == "/api" ? prefer : [:])
                #expect(made.status == (path == "/api" ? 200 : 201), "\(made.text)")
                if path != "/api" {
                    let saved = try world.send(
                        .post,
                        "\(path)/save",
                        fields: path == contexts[0] ? HeaderFields() : prefer
                    )
                    #expect(saved.status == 200, "\(saved.text)")
                    #expect(saved["ids"]?["users/t1"]?.string == anna)
                }
                let stored = try world.get("/api/\(anna)")
                #expect(stored["name"]?.string == name)
                #expect(stored["age"] == 34)
                #expect(stored["address"]?["city"] == "Ulm")
            }
        }
    }

    @Test("a refused save with a policy leaves edits unchanged")
    func refusedPolicy() throws {
        try APIWorld.each { world throws in
            let faults = try world.reference("Post", "Faults")
            let context = try world.openContext()
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#)
            _ = try world.send(.post, "\(context)/posts", #"{"title":""}"#)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            let before = try world.changes(context)
            #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=store"]).status == 422)
            #expect(try world.changes(context) == before)
            #expect(try world.get(context)["conflicts"] == 1)
            #expect(try world.get(context)["undo"] == 2)
        }
    }

    @Test(
        "a new object with an existing unique value becomes a change of the stored object and gets its name",
        arguments: ["object", "overwrite", "store", "rollback"]
    )
    func upserting(policy: String) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let swift = try world.reference("Tag", "swift")
            _ = try world.send(.post, "\(context)/tags", #"[{"name":"swift"},{"name":"new"}]"#)
            #expect(try world.get("\(child)/tags/t1")["name"] == "swift")
            let saved = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=\(policy)"])
            #expect(saved.status == 200, "\(saved.text)")
            #expect(saved["ids"]?["tags/t1"]?.string == swift)
            #expect(saved["ids"]?.object?.names == ["tags/t1", "tags/t2"])
            for path in [context, child] {
                #expect(try world.get("\(path)/tags/t1")["_id"]?.string == swift)
                #expect(try world.send(.patch, "\(path)/tags/t1", #"{"name":"swift 6"}"#).status == 200)
                #expect(try world.get(path)["inserted"] == 0)
            }
            #expect(try world.send(.post, "\(child)/save").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/\(swift)")["name"] == "swift 6")
        }
    }

    @Test("an upserted object leaves nothing to undo")
    func undoingUpsert() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let swift = try world.reference("Tag", "swift")
            _ = try world.send(.post, "\(context)/tags", #"{"name":"swift"}"#)
            #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"]).status == 200)
            for step in ["undo", "redo"] {
                #expect(try world.send(.post, "\(context)/\(step)")["hasChanges"] == false)
                #expect(try world.changes(context) == ["inserted": [], "updated": [], "deleted": []])
                #expect(try world.get("\(context)/tags/t1")["_id"]?.string == swift)
            }
        }
    }

    @Test(
        "a child's edits are kept when its parent's save merges two objects into one",
        arguments: [false, true],
        [false, true]
    )
    func joining(editsNew: Bool, editsStored: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let grandchild = try world.openContext(#"{"parent":"c2"}"#)
            let anna = try world.reference("User", "Anna")
            let posts = try world.titles("/api/\(anna)/posts?sort=title")
            _ = try world.send(.post, "\(context)/users", #"{"name":"A","email":"anna@example.org"}"#)
            for path in [child, grandchild] {
                #expect(try world.get("\(path)/users/t1?include=posts,groups")["name"] == "A")
                #expect(try world.get("\(path)/\(anna)?include=posts,groups")["name"] == "Anna")
            }
            if editsNew {
                let group = try #require(try world.get("/api/Group")["items"]?.array?.first?["_id"]?.string)
                for (path, body) in [
                    ("users/t1", #"{"age":40}"#), ("users/t1", #"{"groups":{"add":["\#(group)"]}}"#),
                ] {
                    #expect(try world.send(.patch, "\(child)/\(path)", body).status == 200)
                }
                #expect(try world.send(.post, "\(child)/posts", #"{"title":"New","author":"users/t1"}"#).status == 201)
            }
            if editsStored {
                #expect(try world.send(.patch, "\(child)/\(anna)", #"{"note":"mine"}"#).status == 200)
            }
            let steps = try world.get(child)["undo"]
            let saved = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"])
            #expect(saved.status == 200 && saved["ids"]?["users/t1"]?.string == anna, "\(saved.text)")
            #expect(try world.get("/api/\(anna)")["name"] == "A")

            for path in [child, grandchild] {
                let shown = try world.get("\(path)/users/t1?include=groups")
                #expect(shown["_id"]?.string == anna && shown["name"] == "A", "\(shown.text)")
                #expect(shown["age"] == (editsNew ? 40 : 34) && shown["note"] == (editsStored ? "mine" : .null))
                #expect(shown["groups"]?.array?.count == 1)
                let expected = editsNew ? (posts + ["New"]).sorted { ($0 ?? "") < ($1 ?? "") } : posts
                #expect(try world.titles("\(path)/\(anna)/posts?sort=title") == expected)
                #expect(try world.get("\(path)/users?email=anna@example.org&result=count")["count"] == 1)
            }
            let status = try world.get(child)
            #expect(status["conflicts"] == 0 && status["undo"] == steps, "\(status.text)")
            let pending = try world.changes(child)["updated"]?.array ?? []
            #expect(pending.filter { $0["_id"]?.string?.hasPrefix("users") == true }.count <= 1, "\(pending)")
            #expect(try world.send(.post, "\(child)/save").status == 200)
            let done = try world.send(.post, "\(context)/save")
            #expect(done.status == 200, "\(done.text)")
            let stored = try world.get("/api/\(anna)")
            #expect(stored["age"] == (editsNew ? 40 : 34) && stored["note"] == (editsStored ? "mine" : .null))
            #expect(try world.get("/api/posts?author=\(anna)&result=count")["count"] == (editsNew ? 5 : 4))
        }
    }

    @Test("a child can undo its edits of a new object that was merged into a stored one")
    func undoingJoined() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let anna = try world.reference("User", "Anna")
            _ = try world.send(.post, "\(context)/users", #"{"name":"A","email":"anna@example.org","age":1}"#)
            _ = try world.send(.patch, "\(child)/\(anna)", #"{"note":"mine"}"#)
            _ = try world.send(.patch, "\(child)/users/t1", #"{"age":2}"#)
            #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"]).status == 200)
            for (action, age, note) in [
                ("undo", 1, JSONValue.string("mine")), ("undo", 1, .null), ("redo", 1, "mine"), ("redo", 2, "mine"),
            ] {
                #expect(try world.send(.post, "\(child)/\(action)").status == 200)
                let shown = try world.get("\(child)/\(anna)")
                #expect(shown["age"]?.int64 == Int64(age) && shown["note"] == note, "\(action): \(shown.text)")
            }
        }
    }

    @Test("a save that merges two new objects keeps a child's edits of both", arguments: [false, true])
    func joiningNew(isContested: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let stored = isContested ? "anna@example.org" : "both@example.org"
            _ = try world.send(
                .post,
                "\(context)/users",
                #"[{"name":"A","email":"\#(stored)"},{"name":"B","email":"\#(stored)"}]"#
            )
            _ = try world.send(.patch, "\(child)/users/t1", #"{"age":40,"name":"C"}"#)
            _ = try world.send(.patch, "\(child)/users/t2", #"{"note":"mine","name":"D"}"#)
            if isContested {
                for (number, name) in [(1, "E"), (2, "F")] {
                    _ = try world.send(.patch, "\(context)/users/t\(number)", #"{"name":"\#(name)"}"#)
                }
                #expect(try world.get(child)["conflicts"] == 2)
            }
            let saved = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=object"])
            #expect(saved.status == 200, "\(saved.text)")
            let user = try #require(saved["ids"]?["users/t1"]?.string)
            #expect(saved["ids"]?["users/t2"]?.string == user)
            let shown = try world.get("\(child)/\(user)")
            #expect(shown["age"] == 40 && shown["note"] == "mine" && shown["name"] == "D", "\(shown.text)")
            #expect(try world.changes(child)["updated"]?.array?.count == 1)
            #expect(try world.send(.post, "\(child)/save").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("/api/\(user)")["note"] == "mine")
            #expect(try world.get("/api/users?email=\(stored)&result=count")["count"] == 1)
        }
    }

    @Test("a dry run or refused request resolves no conflict and moves no base", arguments: [true, false])
    func tried(merges: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext("{\"automaticallyMergesChanges\":\(merges)}")
            let faults = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#)
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            let version = try #require(try world.get("/api/\(faults)")["_version"]?.int64)
            let before = try world.changes(context)
            for (query, body, status) in [
                ("?dryRun=true", #"{"title":"x","_version":\#(version)}"#, 200),
                ("?dryRun=true", #"{"title":"x"}"#, 200),
                ("", #"{"title":"x","_version":\#(version),"views":"many"}"#, 422),
                ("", #"{"title":"x","_version":\#(version),"author":"users/999"}"#, 422),
            ] {
                #expect(try world.send(.patch, "\(context)/\(faults)\(query)", body).status == status, "\(body)")
                #expect(try world.changes(context) == before, "\(query) \(body)")
            }
            let batch = #"{"all":true,"set":{"title":"x","author":"users/999"}}"#
            #expect(try world.send(.post, "\(context)/posts/batch-update", batch).status == 422)
            #expect(try world.changes(context) == before)
            if merges {
                #expect(try world.get(context)["conflicts"] == 1)
                #expect(try world.send(.post, "\(context)/save", fields: [.prefer: "merge=store"]).status == 200)
                #expect(try world.get("/api/\(faults)")["title"] == "Theirs")
            } else {
                #expect(try world.send(.post, "\(context)/save").status == 409)
                #expect(try world.changes(context) == before)
            }
        }
    }

    @Test(
        "a save that fails after a policy was applied changes nothing, including undo",
        arguments: ["store", "rollback", "object", "overwrite"],
        [true, false]
    )
    func failing(policy: String, merges: Bool) throws {
        try APIWorld.each { world throws in
            let context = try world.openContext("{\"automaticallyMergesChanges\":\(merges)}")
            let child = try world.openContext(#"{"parent":"c1"}"#)
            let (faults, saving) = (try world.reference("Post", "Faults"), try world.reference("Post", "Saving"))
            let undo = try world.reference("Post", "Undo")
            for post in [faults, saving, undo] { #expect(try world.get("\(child)/\(post)").status == 200) }
            _ = try world.send(.patch, "\(context)/\(faults)", #"{"title":"Mine"}"#)
            _ = try world.send(.patch, "\(context)/\(undo)", #"{"title":"Mine, too"}"#)
            // It loses its post, which is required, only when the deletion is merged.
            _ = try world.send(.post, "\(context)/comments", #"{"text":"New","post":"\#(saving)"}"#)
            if merges { _ = try world.send(.post, "\(context)/tags", "{}") }
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs"}"#)
            _ = try world.send(.patch, "/api/\(undo)", #"{"title":"Theirs, too"}"#)
            for post in [undo, saving] { #expect(try world.send(.delete, "/api/\(post)").status == 204) }
            let (before, status) = (try world.changes(context), try world.get(context))
            let shown = try [context, child].map { try world.get("\($0)/posts?sort=title&include=comments")["items"] }
            for _ in 0..<2 {
                let answer = try world.send(.post, "\(context)/save", fields: [.prefer: "merge=\(policy)"])
                #expect(answer.status == 422 || answer.status == 409, "\(answer.text)")
                #expect(try world.changes(context) == before)
                for key in ["undo", "redo", "conflicts"] {
                    #expect(try world.get(context)[key] == status[key], "\(key)")
                }
                for (path, shown) in zip([context, child], shown) {
                    #expect(try world.get("\(path)/posts?sort=title&include=comments")["items"] == shown)
                }
            }
            while try world.get(context)["undo"]?.int64 ?? 0 > 0 {
                #expect(try world.send(.post, "\(context)/undo").status == 200)
            }
            #expect(try world.send(.post, "\(context)/refresh").status == 200)
            #expect(try world.changes(context)["updated"] == [])
        }
    }

    @Test(
        "undoing a deletion restores objects that other clients have added since, without leftover changes",
        arguments: [1, 2]
    )
    func broughtToDeleted(depth: Int) throws {
        try APIWorld.each { world throws in
            let contexts = [try world.openContext()] + (try depth > 1 ? [world.openContext(#"{"parent":"c1"}"#)] : [])
            let context = contexts[depth - 1]
            let post = try world.reference("Post", "Contexts")
            #expect(try world.send(.delete, "\(context)/\(post)").status == 204)
            let above = depth > 1 ? contexts[0] : "/api"
            let made = try world.send(.post, "\(above)/comments", #"{"text":"New","post":"\#(post)"}"#)
            let comment = try #require(made["_id"]?.string)
            let gone = try #require(try world.changes(context)["deleted"]?.array?.compactMap(\.string))
            #expect(gone.contains(comment) && gone.contains(post))
            #expect(try world.send(.post, "\(context)/undo")["hasChanges"] == false)
            #expect(try world.changes(context) == ["inserted": [], "updated": [], "deleted": []])
            #expect(try world.get("\(context)/\(post)/comments?result=count")["count"] == 1)
            #expect(try world.send(.post, "\(context)/redo")["deleted"]?.int64 == Int64(gone.count))
            #expect(try world.send(.post, "\(context)/undo")["hasChanges"] == false)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            #expect(try world.get("\(above)/\(comment)")["post"]?.string == post)
        }
    }

    @Test("undoing a deletion keeps the changes that other clients have made to the object since")
    func editedWhileDeleted() throws {
        try APIWorld.each { world throws in
            let context = try world.openContext()
            let (faults, bea) = (try world.reference("Post", "Faults"), try world.reference("User", "Bea"))
            let (saving, undo) = (try world.reference("Post", "Saving"), try world.reference("Post", "Undo"))
            let made = try world.send(.post, "/api/pages", #"{"text":"one","post":"\#(saving)"}"#)
            let page = try #require(made["_id"]?.string)
            for deleted in [faults, page] {
                #expect(try world.send(.delete, "\(context)/\(deleted)").status == 204)
            }
            _ = try world.send(.patch, "/api/\(faults)", #"{"title":"Theirs","views":7,"author":"\#(bea)"}"#)
            _ = try world.send(.patch, "/api/\(page)", #"{"text":"theirs","post":"\#(undo)"}"#)
            while try world.get(context)["undo"]?.int64 ?? 0 > 0 {
                #expect(try world.send(.post, "\(context)/undo").status == 200)
            }
            let left = try world.changes(context)
            #expect(left == ["inserted": [], "updated": [], "deleted": []], "\(left)")
            let shown = try world.get("\(context)/\(faults)")
            #expect(shown["title"] == "Theirs" && shown["views"] == 7 && shown["author"]?.string == bea)
            #expect(try world.get("\(context)/\(page)")["post"]?.string == undo)
        }
    }
}
