// SPDX-License-Identifier: Apache-2.0

// Deleting objects, and dry runs of deletions.

import HTTPMessage
import JSON
import Testing

@Suite("Deleting objects")
struct DeletionTests {
    @Test("a deletion returns 204 and applies delete rules")
    func delete() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let answer = try world.send(.delete, "/api/\(post)")
            #expect(answer.status == 204)
            #expect(answer.bytes.isEmpty)
            #expect(try world.get("/api/\(post)").status == 404)
            #expect(try world.count("Page") == 4)
            #expect(try world.send(.delete, "/api/\(post)").status == 404)
        }
    }

    @Test("a deletion returns the former object or all changes on request")
    func preferences() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            let changes = try world.send(.delete, "/api/\(post)", fields: [.prefer: "return=changes"])
            #expect(changes.status == 200)
            let changed = try #require(changes["_changed"]?.array)
            #expect(changed.filter { $0["change"] == "deleted" }.map { $0["_entity"] } == ["Page", "Page"])
            #expect(
                changed.filter { $0["change"] == "updated" }.compactMap { $0["_entity"]?.string }.sorted() == [
                    "Tag", "Tag", "User",
                ]
            )
            #expect(changed.allSatisfy { ($0["_version"]?.int64 ?? 0) > 0 })
            let tag = try world.reference("Tag", "core")
            let shown = try world.get("/api/\(tag)").text
            let former = try world.send(.delete, "/api/\(tag)", fields: [.prefer: "return=representation"])
            #expect(former.status == 200)
            #expect(former.text == shown)
        }
    }

    @Test("a merge policy decides whether an object of another version is deleted")
    func policies() throws {
        try APIWorld.each { world throws in
            let post = try world.reference("Post", "Saving")
            _ = try world.send(.patch, "/api/\(post)", "{\"views\":1}")
            func delete(_ policy: String) throws -> Answer {
                try world.send(.delete, "/api/\(post)", fields: [.ifMatch: "\"1\"", .prefer: "merge=\(policy)"])
            }
            #expect(try delete("error").status == 409)
            let dropped = try delete("rollback")
            #expect(dropped.status == 200)
            #expect(dropped["views"] == 1)
            #expect(try delete("overwrite").status == 204)
            #expect(try world.get("/api/\(post)").status == 404)
        }
    }

    @Test("a denied deletion is 409 with up to 20 objects that deny it")
    func denied() throws {
        try APIWorld.each { world throws in
            let cem = try world.reference("User", "Cem")
            let comment = try world.reference("Comment", "Well said.")
            for run in ["", "?dryRun=true"] {
                let answer = try world.send(.delete, "/api/\(cem)\(run)")
                #expect(answer.status == 409)
                #expect(answer["code"] == "delete-denied")
                let error = try #require(answer["errors"]?[0])
                #expect(error["object"]?.string == cem)
                #expect(error["property"] == "comments")
                #expect(error["objects"] == [.string(comment)])
            }
            let post = try world.reference("Post", "Faults")
            let comments = (0..<30).map { "{\"text\":\"\($0)\",\"author\":\"\(cem)\",\"post\":\"\(post)\"}" }
            #expect(try world.send(.post, "/api/comments", "[\(comments.joined(separator: ","))]").status == 201)
            #expect(try world.send(.delete, "/api/\(cem)")["errors"]?[0]?["objects"]?.array?.count == 20)
        }
    }

    @Test("a dry run of a deletion lists all affected objects and deletes nothing")
    func closure() throws {
        try APIWorld.each { world throws in
            let bea = try world.reference("User", "Bea")
            let answer = try world.send(.delete, "/api/\(bea)?dryRun=true")
            #expect(answer.status == 200)
            let deleted = try #require(answer["deleted"]?.array).compactMap(\.string)
            #expect(deleted.first == bea)
            let posts = try ["Merging", "Élan"].map { try world.reference("Post", $0) }
            #expect(Set(deleted).isSuperset(of: posts))
            #expect(deleted.count == 6)
            let group = try world.reference("Group", "Writers")
            let nullified = try #require(answer["nullified"]?.array)
            #expect(nullified.contains(["_id": .string(group), "property": "members"]))
            #expect(try world.get("/api/\(bea)").status == 200)
            #expect(try world.count("Post") == 6)
            #expect(try world.send(.delete, "/api/users/999?dryRun=true").status == 404)
        }
    }
}
