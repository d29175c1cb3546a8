// SPDX-License-Identifier: Apache-2.0

// The version that a change is based on, and newer rows.

import HTTPMessage
import JSON
import SQLiteDriver
import SQLiteStore
import Testing

@testable import RESTAPI

@Suite("Conditional writes")
struct ConditionTests {
    @Test("If-Match accepts the current version, and else the response is 412 with the current object")
    func ifMatch() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            for (tag, version) in [("\"1\"", 2), ("*", 3), ("\"1\", \"3\"", 4), ("\"4-abc\"", 5)] {
                let answer = try world.send(.patch, "/api/\(post)", "{\"views\":\(version)}", fields: [.ifMatch: tag])
                #expect(answer.status == 200)
                #expect(answer["_version"]?.int64 == Int64(version))
            }
            for (method, body) in [(HTTPMethod.patch, "{\"views\":1}"), (.put, "{\"title\":\"T\"}"), (.delete, nil)] {
                for tag in ["\"4\"", "W/\"5\"", "\"x\""] {
                    let answer = try world.send(method, "/api/\(post)", body, fields: [.ifMatch: tag])
                    #expect(answer.status == 412)
                    #expect(answer["code"] == "precondition")
                    #expect(answer["current"]?["_version"] == 5)
                    #expect(answer["current"]?["views"] == 5)
                }
            }
            #expect(try world.send(.put, "/api/\(post)/author", "null", fields: [.ifMatch: "\"4\""]).status == 412)
            #expect(try world.send(.put, "/api/\(post)", "{}", fields: [.ifNoneMatch: "*"]).status == 412)
            #expect(try world.send(.patch, "/api/posts/999", "{}", fields: [.ifMatch: "\"4\""]).status == 404)
            #expect(try world.send(.patch, "/api/\(post)", "{}", fields: [.ifMatch: "4"]).status == 400)
        }
    }

    @Test("a failed precondition is reported only if the request would otherwise succeed")
    func order() throws {
        try APIWorld.each { world throws in
            let stale: HeaderFields = [.ifMatch: "\"9\""]
            let tag = try world.reference("Tag", "core")
            #expect(try world.send(.patch, "/api/\(tag)", "{\"name\":\"core\"}", fields: stale).status == 412)
            #expect(try world.send(.patch, "/api/\(tag)", "{\"name\":null}", fields: stale).status == 422)
            #expect(try world.send(.patch, "/api/\(tag)", "{\"name\":5}", fields: stale).status == 422)
            #expect(try world.send(.patch, "/api/\(tag)", "{\"name\":\"data\"}", fields: stale).status == 409)
            let cem = try world.reference("User", "Cem")
            let denied = try world.send(.delete, "/api/\(cem)", fields: stale)
            #expect(denied.status == 409)
            #expect(denied["code"] == "delete-denied")
            #expect(try world.get("/api/\(tag)")["_version"] == 1)
        }
    }

    @Test("a write without a version is refused with 428 where preconditions are required")
    func required() throws {
        var options = APIOptions()
        options.requiresPreconditions = true
        try APIWorld.each(options: options) { world throws in
            let post = try world.reference("Post", "Faults")
            let answer = try world.send(.patch, "/api/\(post)", "{\"views\":1}")
            #expect(answer.status == 428)
            #expect(answer["code"] == "precondition-required")
            #expect(try world.send(.delete, "/api/\(post)").status == 428)
            #expect(try world.send(.patch, "/api/\(post)", "{\"views\":1,\"_version\":1}").status == 200)
            #expect(try world.send(.delete, "/api/\(post)", fields: [.ifMatch: "\"2\""]).status == 204)
            #expect(try world.send(.post, "/api/tags", "{\"name\":\"x\"}").status == 201)
            #expect(try world.send(.patch, "/api/posts/999", "{\"views\":1}").status == 404)
            #expect(try world.send(.put, "/api/posts/999/picture", "1").status == 404)
            let undone = try world.reference("Post", "Undo")
            #expect(try world.send(.patch, "/api/\(undone)", "{\"views\":-1}").status == 422)
            #expect(try world.send(.patch, "/api/\(undone)", "{\"viws\":1}").status == 422)
            let anna = try world.reference("User", "Anna")
            let update = "{\"operations\":[{\"update\":\"\(anna)\",\"values\":{\"age\":1}}]}"
            #expect(try world.send(.post, "/api/transaction", update).status == 428)
            let deletion = "{\"operations\":[{\"delete\":\"\(anna)\"}]}"
            #expect(try world.send(.post, "/api/transaction", deletion).status == 428)
            let nested = try world.send(.post, "/api/posts", "{\"author\":{\"_id\":\"\(anna)\",\"age\":1}}")
            #expect(nested.status == 428)
            #expect(nested["detail"]?.string?.contains(anna) == true)
            let named = "{\"author\":{\"_id\":\"\(anna)\",\"_version\":1,\"age\":1}}"
            #expect(try world.send(.post, "/api/posts", named).status == 201)
            let undo = try world.reference("Post", "Undo")
            #expect(try world.send(.post, "/api/\(undo)/pages", "{\"text\":\"x\"}").status == 201)
        }
    }

    @Test("a stale _version is a conflict, reported with both values of each property")
    func conflict() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            let anna = try world.reference("User", "Anna")
            _ = try world.send(.patch, "/api/\(post)", "{\"title\":\"Newer\"}")
            let body = "{\"_version\":1,\"title\":\"Mine\",\"author\":null,\"views\":{\"$inc\":1}}"
            let answer = try world.send(.patch, "/api/\(post)", body)
            #expect(answer.status == 409)
            #expect(answer["code"] == "conflict")
            let error = try #require(answer["errors"]?[0])
            #expect(error["object"]?.string == post)
            #expect(error["code"] == "conflict")
            #expect(error["baseVersion"] == 1)
            #expect(error["storedVersion"] == 2)
            // Others have changed only the title.
            #expect(error["properties"] == ["title": ["stored": "Newer", "requested": "Mine"]])
            #expect(error["message"]?.string?.hasSuffix("Others have changed title since.") == true)
            let apart = try world.send(.patch, "/api/\(post)", "{\"_version\":1,\"views\":3}")
            #expect(apart.status == 409)
            #expect(apart["errors"]?[0]?["properties"] == [:])
            #expect(try world.send(.patch, "/api/\(post)", "{\"_version\":2,\"title\":\"Mine\"}").status == 200)
            let unknown = try world.send(.patch, "/api/\(post)", "{\"_version\":99,\"title\":\"Mine\"}")
            #expect(unknown.status == 409)
            #expect(unknown["errors"]?[0]?["properties"]?["title"]?["requested"] == "Mine")
            #expect(unknown["errors"]?[0]?["message"]?.string?.contains("history doesn't reach back") == true)
            let nested = try world.send(
                .patch,
                "/api/\(post)",
                "{\"_version\":1,\"author\":{\"_id\":\"\(anna)\",\"_version\":7,\"age\":1}}"
            )
            #expect(nested["errors"]?.array?.count == 2)
        }
    }

    @Test("a request may be based on a version by another process that the server hasn't read yet")
    func otherProcess() throws {
        try APIWorld.each { world throws in
            guard let store = world.sqlite else { return }
            let post = try world.reference("Post", "Faults")
            func changeElsewhere() throws {
                #expect(try world.get("/api/\(post)").status == 200)
                let other = try Connection(path: store.path)
                try other.execute("UPDATE ZPOST SET ZVIEWS = 77, Z_OPT = Z_OPT + 1 WHERE ZTITLE = 'Faults'")
            }
            try changeElsewhere()
            let fields: HeaderFields = [.ifMatch: "\"2\""]
            let patched = try world.send(.patch, "/api/\(post)", "{\"published\":true}", fields: fields)
            #expect(patched.status == 200)
            #expect(patched["views"] == 77 && patched["_version"] == 3)
            try changeElsewhere()
            #expect(try world.send(.patch, "/api/\(post)", "{\"_version\":4,\"views\":2}")["_version"] == 5)
            try changeElsewhere()
            let rollback: HeaderFields = [.prefer: "merge=rollback"]
            let kept = try world.send(.patch, "/api/\(post)", "{\"_version\":6,\"views\":3}", fields: rollback)
            #expect(kept["views"] == 3 && kept["_version"] == 7)
            let context = try world.openContext()
            #expect(try world.get("\(context)/\(post)")["_version"] == 7)
            try changeElsewhere()
            #expect(try world.send(.patch, "\(context)/\(post)", "{\"_version\":8,\"views\":4}").status == 200)
            #expect(try world.send(.post, "\(context)/save").status == 200)
            try changeElsewhere()
            #expect(try world.send(.delete, "/api/\(post)", fields: [.ifMatch: "\"10\""]).status == 204)
        }
    }

    @Test("the preferred merge policy resolves a conflict with a newer row")
    func policies() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            _ = try world.send(.patch, "/api/\(post)", "{\"title\":\"Newer\"}")
            let body = "{\"_version\":1,\"title\":\"Mine\"}"
            func send(_ policy: String, _ base: HeaderFields = HeaderFields()) throws -> Answer {
                var fields = base
                fields[.prefer] = "merge=\(policy)"
                return try world.send(
                    .patch,
                    "/api/\(post)",
                    base.contains(.ifMatch) ? "{\"title\":\"Mine\"}" : body,
                    fields: fields
                )
            }
            for base in [HeaderFields(), [.ifMatch: "\"1\""]] {
                #expect(try send("error", base).status == 409)
                let dropped = try send("rollback", base)
                #expect(dropped.status == 200)
                #expect(dropped["title"] == "Newer")
                #expect(dropped.fields[.preferenceApplied] == "merge=rollback")
            }
            let won = try send("overwrite", [.ifMatch: "\"1\""])
            #expect(won.status == 200)
            #expect(won["title"] == "Mine")
            #expect(try send("nonsense").status == 400)
        }
    }

    @Test("with merge=store or object, what only one side has changed since the base is kept")
    func threeWay() throws {
        try APIWorld.each { world throws in
            for (policy, title) in [("store", "Theirs"), ("object", "Mine")] {
                let post = try world.reference("Post", policy == "store" ? "Faults" : "Undo")
                let anna = try world.reference("User", "Anna")
                _ = try world.send(.patch, "/api/\(post)", "{\"title\":\"Theirs\",\"rating\":1}")
                // Doesn't change the row, and isn't counted as a version.
                _ = try world.send(.patch, "/api/\(post)", "{\"tags\":[]}")
                _ = try world.send(.patch, "/api/\(post)", "{\"published\":true}")
                let version = try #require(try world.get("/api/\(post)")["_version"]?.int64)
                let fields: HeaderFields = [.prefer: "merge=\(policy)", .ifMatch: "\"1\""]
                let body = "{\"title\":\"Mine\",\"views\":77,\"author\":\"\(anna)\"}"
                let answer = try world.send(.patch, "/api/\(post)", body, fields: fields)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(answer["title"]?.string == title)
                #expect(answer["views"] == 77)
                #expect(answer["rating"] == 1)
                #expect(answer["published"] == true)
                #expect(answer["_version"]?.int64 == version + 1)
                // Replacing keeps what others have changed, too.
                let replaced = try world.send(.put, "/api/\(post)", "{\"title\":\"Put\"}", fields: fields)
                #expect(replaced["title"]?.string == (policy == "store" ? "Theirs" : "Put"))
                #expect(replaced["views"]?.int64 == (policy == "store" ? 77 : 0))
                let deletion = try world.send(.delete, "/api/\(post)", fields: fields)
                #expect(deletion.status == (policy == "store" ? 200 : 204), "\(deletion.text)")
            }
        }
    }

    @Test("a duplicate unique value is refused with 409, its constraint and the holder")
    func unique() throws {
        try APIWorld.each { world throws in
            let core = try world.reference("Tag", "core")
            let answer = try world.send(.post, "/api/tags", "{\"name\":\"core\"}")
            #expect(answer.status == 409)
            #expect(answer["code"] == "unique")
            let error = try #require(answer["errors"]?[0])
            #expect(error["object"] == "tags")
            #expect(error["property"] == "name")
            #expect(error["constraint"] == ["name"])
            #expect(error["holder"]?.string == core)
            let data = try world.reference("Tag", "data")
            let patched = try world.send(.patch, "/api/\(data)", "{\"name\":\"core\"}")
            #expect(patched.status == 409)
            #expect(patched["errors"]?[0]?["object"]?.string == data)
            // Overwriting from a change of an existing object would delete the holder.
            #expect(answer["hint"] == "“Prefer: merge=overwrite” updates the existing object instead.")
            #expect(
                patched["hint"]?.string
                    == "Choose another value, or change \(core) first. “Prefer: merge=overwrite” would "
                    + "delete \(core)."
            )
            let replaced = try world.send(.put, "/api/\(data)", "{\"name\":\"core\"}")
            #expect(replaced["hint"] == patched["hint"])
            let both = try world.send(.post, "/api/tags", "[{\"name\":\"a\"},{\"name\":\"a\"}]")
            #expect(both.status == 409)
            #expect(both["errors"]?.array?.map { $0["holder"] } == ["/1", "/0"])
            #expect(try world.count("Tag") == 3)
        }
    }

    @Test(
        "with object or overwrite, a duplicate unique value makes the creation an upsert",
        arguments: ["object", "overwrite"]
    )
    func upsert(_ policy: String) throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let fields: HeaderFields = [.prefer: "merge=\(policy)"]
            let body = "{\"name\":\"Anne\",\"email\":\"anna@example.org\",\"posts\":{\"add\":[{\"title\":\"More\"}]}}"
            for run in ["?dryRun=true", ""] {
                let answer = try world.send(.post, "/api/users\(run)", body, fields: fields)
                #expect(answer.status == 200)
                #expect(answer["_id"]?.string == anna)
                #expect(answer["name"] == "Anne")
                #expect(answer["age"] == 34)
            }
            #expect(try world.names("User", "Anne", "posts", "title").contains("More"))
            let several = try world.send(.post, "/api/tags", "[{\"name\":\"core\"},{\"name\":\"new\"}]", fields: fields)
            #expect(several.status == 200)
            #expect(several["items"]?.array?.map { $0["name"] } == ["core", "new"])
            #expect(try world.count("Tag") == 4)
            #expect(try world.send(.post, "/api/tags", "[{\"name\":\"n2\"}]", fields: fields).status == 201)
            let twice = try world.send(.post, "/api/tags", "[{\"name\":\"t\"},{\"name\":\"t\"}]", fields: fields)
            #expect(twice.status == 200)
            #expect(twice["items"]?[0]?["_id"] == twice["items"]?[1]?["_id"])
        }
    }

    @Test("an upsert writes given values, even null and defaults, directly and in a context")
    func givenDefaults() throws {
        try APIWorld.each { world throws in
            let fields: HeaderFields = [.prefer: "merge=object"]
            let anna = try world.reference("User", "Anna")
            let answer = try world.send(
                .post,
                "/api/users",
                #"{"name":"Anna","email":"anna@example.org","age":null}"#,
                fields: fields
            )
            #expect(answer.status == 200)
            #expect(answer["_id"]?.string == anna)
            #expect(answer["age"] == .some(.null))
            let context = try world.openContext()
            let body = #"{"name":"Bea","email":"bea@example.org","age":null}"#
            #expect(try world.send(.post, "\(context)/users", body).status == 201)
            #expect(try world.send(.post, "\(context)/save", fields: fields).status == 200)
            let bea = try world.get("/api/\(try world.reference("User", "Bea"))")
            #expect(bea["age"] == .some(.null))
            #expect(try world.count("User") == 3)
        }
    }

    @Test(
        "with store or rollback, a duplicate unique value returns the stored object",
        arguments: ["store", "rollback"]
    )
    func stored(_ policy: String) throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let body =
                "{\"name\":\"Anne\",\"email\":\"anna@example.org\",\"note\":\"x\",\"posts\":[{\"title\":\"More\"}]}"
            let before = try world.get("/api/\(anna)").text
            let answer = try world.send(.post, "/api/users", body, fields: [.prefer: "merge=\(policy)"])
            #expect(answer.status == 200)
            #expect(answer.text == before)
            #expect(try world.count("Post") == 6)
        }
    }

    @Test("with a merge policy, a change to a duplicate unique value behaves as in Core Data")
    func takenByChange() throws {
        try APIWorld.each { world throws in
            let data = try world.reference("Tag", "data")
            for policy in ["store", "rollback"] {
                let answer = try world.send(
                    .patch,
                    "/api/\(data)",
                    "{\"name\":\"core\"}",
                    fields: [.prefer: "merge=\(policy)"]
                )
                #expect(answer.status == 200)
                #expect(answer["name"] == "data")
                #expect(try world.count("Tag") == 3)
            }
            for run in ["?dryRun=true", ""] {
                let answer = try world.send(
                    .patch,
                    "/api/\(data)\(run)",
                    "{\"name\":\"core\"}",
                    fields: [.prefer: "merge=overwrite"]
                )
                #expect(answer.status == 200)
                #expect(answer["name"] == "core")
            }
            #expect(try world.count("Tag") == 2)
        }
    }

    @Test("return=minimal gives 204 and the new ETag")
    func minimal() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Faults")
            for (method, body) in [(HTTPMethod.patch, "{\"views\":1}"), (.put, "{}")] {
                let answer = try world.send(method, "/api/\(post)", body, fields: [.prefer: "return=minimal"])
                #expect(answer.status == 204)
                #expect(answer.bytes.isEmpty)
                #expect(answer.fields[.etag]?.hasPrefix(method == .patch ? "\"2-" : "\"3-") == true)
                #expect(try answer.fields[.etag] == world.get("/api/\(post)").fields[.etag])
            }
            let bytes = "{\"operations\":[]}"
            #expect(try world.send(.post, "/api/transaction", bytes, fields: [.prefer: "return=minimal"]).status == 204)
        }
    }

    @Test("a write that exceeds the deadline is refused with 503, and nothing is saved")
    func deadline() throws {
        var options = APIOptions()
        options.deadline = .zero
        try APIWorld.each(options: options) { world throws in
            let answer = try world.send(.post, "/api/tags", "{\"name\":\"x\"}")
            #expect(answer.status == 503)
            #expect(answer["code"] == "deadline")
            #expect(answer.fields[.retryAfter] != nil)
            #expect(try world.count("Tag") == 3)
        }
    }
}
