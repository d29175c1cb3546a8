// SPDX-License-Identifier: Apache-2.0

// Rows of batch inserts.

import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Batch insert")
struct BatchInsertTests {
    private static let lines: HeaderFields = [.contentType: "application/x-ndjson"]

    @Test("the rows of a list can be inserted again, with new values from the store")
    func pipedBack() throws {
        try APIWorld.each { world throws in
            let shown = try world.get("/api/posts?sort=title", [.accept: "application/x-ndjson"])
            let rows = String(decoding: shown.bytes, as: UTF8.self)
            #expect(rows.contains("\"_version\":") && rows.contains("\"foldedTitle\":"))
            let fields: HeaderFields = [.contentType: "application/x-ndjson"]
            let answer = try world.send(.post, "/api/posts/batch-insert?result=ids", rows, fields: fields)
            #expect(answer["count"] == 6, "\(answer.text)")
            #expect(try world.get("/api/posts?result=count")["count"] == 12)
            #expect(try world.get("/api/posts?result=count&title=Undo")["count"] == 2)
            let first = try #require(answer["ids"]?[0]?.string)
            #expect(try world.get("/api/\(first)")["_version"] == 1)
            // Generated clients send lines as octets.
            let octets: HeaderFields = [.contentType: "application/octet-stream"]
            #expect(try world.send(.post, "/api/posts/batch-insert", rows, fields: octets)["count"] == 6)
        }
    }

    @Test("with keepIds, rows keep unused _id numbers, with a version above their own")
    func keptIDs() throws {
        try APIWorld.each { world throws in
            let taken = try world.tag("core")
            let rows = """
                [{"_id":"tags/900","_version":4,"name":"a"},{"_id":"\(taken)","_version":4,"name":"b"},
                 {"_id":"tags/850","name":"c"},{"name":"d"},{"_id":"users/950","name":"e"},{"_id":"tags/900","name":"f"}]
                """
            let answer = try world.send(.post, "/api/tags/batch-insert?keepIds=true&result=ids", rows)
            #expect(answer.status == 200, "\(answer.text)")
            let ids = try #require(answer["ids"]?.array).compactMap(\.string)
            #expect(ids.count == 6 && Set(ids).count == 6)
            #expect(ids[0] == "tags/900" && ids[2] == "tags/850")
            #expect(ids[1] != taken && ids[4] != "tags/950" && ids[5] != "tags/900")
            for (id, (name, version)) in zip(ids, [("a", 5), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)]) {
                let tag = try world.get("/api/\(id)")
                #expect(tag["name"]?.string == name)
                #expect(tag["_version"]?.int64 == Int64(version), "\(name)")
            }
            let next = try #require(try world.send(.post, "/api/tags", #"{"name":"g"}"#)["_id"]?.string)
            #expect(try #require(Int(next.dropFirst(5))) > 900)
            #expect(try world.send(.delete, "/api/tags/850").status == 204)
            let again = try world.send(
                .post,
                "/api/tags/batch-insert?keepIds=true&result=ids",
                #"[{"_id":"tags/850","name":"h"},{"_id":"tags/851","name":"i"}]"#
            )
            #expect(again["ids"]?[0]?.string != "tags/850")
            #expect(again["ids"]?[1]?.string == "tags/851")
            let other = try world.send(.post, "/api/tags/batch-insert?result=ids", #"[{"_id":"tags/852","name":"j"}]"#)
            #expect(other["ids"]?[0]?.string != "tags/852")
        }
    }

    @Test("rows that can't keep their numbers get numbers that no later row asks for")
    func keptBeforeGiven() throws {
        try APIWorld.each { world throws in
            var count = 0
            func insert(_ ids: [String?]) throws -> [String] {
                let rows = ids.map { id in
                    count += 1
                    return "{\(id.map { "\"_id\":\"tags/\($0)\"," } ?? "")\"name\":\"row \(count)\"}"
                }
                let body = "[\(rows.joined(separator: ","))]"
                let answer = try world.send(.post, "/api/tags/batch-insert?keepIds=true&result=ids", body)
                return try #require(answer["ids"]?.array, "\(answer.text)").compactMap {
                    $0.string.map { String($0.dropFirst(5)) }
                }
            }
            #expect(try insert(["900"]) == ["900"])
            #expect(try insert(["900", "901", "902"]) == ["903", "901", "902"])
            #expect(try insert(["2001", "2001", "2002"]) == ["2001", "2003", "2002"])
            #expect(try insert([nil, "2004", nil]) == ["2005", "2004", "2006"])
            #expect(try insert(["1999", "1998", "3000", "2500"]) == ["1999", "1998", "3000", "2500"])
            // Rows are read in blocks of 500, since their number isn't limited.
            let many = ["3000"] + (4001...4499).map(String.init) + ["4499", "4500", "4501"]
            #expect(try insert(many) == ["4500"] + many[1..<500] + ["4502", "4503", "4501"])
        }
    }

    @Test(
        "a conflict between two rows of a batch names no holder, since neither is stored",
        arguments: ["", "?dryRun=true"]
    )
    func unstoredHolders(query: String) throws {
        try APIWorld.each { world throws in
            for (rows, holder) in [
                (#"[{"name":"a"},{"name":"a"}]"#, JSONValue.null),
                (#"[{"name":"a"},{"name":"core"}]"#, .string(try world.tag("core"))),
            ] {
                let answer = try world.send(.post, "/api/tags/batch-insert\(query)", rows)
                #expect(answer.status == 409, "\(answer.text)")
                #expect(answer["errors"]?[0]?["object"] == "row 2", "\(answer.text)")
                #expect(answer["errors"]?[0]?["holder"] == holder, "\(answer.text)")
            }
        }
    }

    @Test("a dry run of a batch reports what it would change, and changes nothing")
    func dryRuns() throws {
        try APIWorld.each { world throws in
            let before = try world.get("/api/posts?sort=_id").text
            let users = try world.get("/api/users?sort=_id").text
            let tags = "[{\"name\":\"a\"},{\"name\":\"b\"}]"
            let insert = try world.send(.post, "/api/tags/batch-insert?dryRun=true&result=ids", tags)
            #expect(insert.text == "{\"count\":2,\"ids\":[\"tags/t1\",\"tags/t2\"],\"merged\":0}")
            let upsert = try world.send(
                .post,
                "/api/tags/batch-insert?dryRun=true&result=ids",
                "[{\"name\":\"core\"},{\"name\":\"b\"}]",
                fields: [.prefer: "merge=object"]
            )
            #expect(upsert["ids"] == [.string(try world.tag("core")), "tags/t1"])
            #expect(try world.send(.post, "/api/tags/batch-insert?dryRun=true", "[{\"name\":\"core\"}]").status == 409)
            let chunks = "[{\"name\":\"a\"},{\"name\":\"a\"}]"
            #expect(try world.send(.post, "/api/tags/batch-insert?dryRun=true&chunk=1", chunks).status == 409)
            #expect(try world.get("/api/tags?result=count")["count"] == 3)
            let update = "{\"where\":\"views > 10\",\"set\":{\"views\":0},\"dryRun\":true,\"result\":\"ids\"}"
            let updated = try world.send(.post, "/api/posts/batch-update", update)
            #expect(updated["count"] == 4)
            #expect(updated["ids"]?.array?.count == 4)
            let expression = "{\"all\":true,\"set\":{\"title\":{\"expression\":\"uppercase:(title)\"}}}"
            #expect(try world.send(.post, "/api/posts/batch-update?dryRun=true", expression)["count"] == 6)
            let invalid = "{\"all\":true,\"set\":{\"views\":-1},\"dryRun\":true}"
            #expect(try world.send(.post, "/api/posts/batch-update", invalid).status == 422)
            let delete = try world.send(
                .post,
                "/api/posts/batch-delete",
                "{\"all\":true,\"dryRun\":true,\"result\":\"ids\"}"
            )
            #expect(delete["count"]?.int64 ?? 0 > 6, "What cascades is told as well.")
            let denied = "{\"where\":\"name == 'Cem'\",\"dryRun\":true}"
            #expect(try world.send(.post, "/api/users/batch-delete", denied).status == 409)
            #expect(try world.send(.post, "/api/users/batch-delete", "{\"all\":true,\"dryRun\":1}").status == 422)
            #expect(try world.get("/api/posts?sort=_id").text == before)
            #expect(try world.get("/api/users?sort=_id").text == users)
            let history = try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"a\"}]")
            #expect(history["count"] == 1)
        }
    }

    @Test("a batch insert accepts an array or lines, in pieces of any size", arguments: [1, 7, 100_000])
    func layouts(size: Int) throws {
        try APIWorld.each { world throws in
            let rows = (1...20).map { "{\"title\":\"Row \($0)\",\"views\":\($0)}" }
            let array = Array("[\(rows.joined(separator: ",\n"))]".utf8)
            let text = Array((rows.joined(separator: "\n") + "\n").utf8)
            let json: HeaderFields = [.contentType: "application/json"]
            for (bytes, fields) in [(array, HeaderFields()), (array, json), (text, Self.lines)] {
                let answer = try world.send(
                    .post,
                    "/api/posts/batch-insert",
                    body: .stream(PiecewiseBody(bytes, size: size)),
                    fields: fields
                )
                #expect(answer.status == 200)
                #expect(answer.text == "{\"count\":20,\"merged\":0}")
            }
            #expect(try world.count("Post", "title BEGINSWITH 'Row '") == 60)
            #expect(try world.count("Post", "title == 'Row 7' AND views == 7") == 3)
        }
    }

    @Test("a reference that no store can have is refused as invalid")
    func impossibleReferences() throws {
        try APIWorld.each { world throws in
            let row = "[{\"title\":\"New\",\"author\":\"users/no number\"}]"
            let answer = try world.send(.post, "/api/posts/batch-insert", row)
            #expect(answer.status == 422)
            #expect(answer["code"] == "validation")
            #expect(answer["row"] == 1)
        }
    }

    @Test("a batch insert accepts references, and arrays of references for many-to-many relationships")
    func relationships() throws {
        try APIWorld.each { world throws in
            let (anna, core, data) = (
                try world.reference("User", "Anna"), try world.reference("Tag", "core"),
                try world.reference("Tag", "data")
            )
            let row = """
                [{"title":"New","author":"\(anna)","tags":["\(core)",{"_id":"\(data)"}],"price":"1.10",\
                "createdAt":"2026-11-21T10:30:00+01:00","extra":{"a":[1]},"__hidden":"x","_entity":"Post"}]
                """
            let answer = try world.send(.post, "/api/posts/batch-insert?result=ids", row)
            #expect(answer.status == 200)
            let id = try #require(answer["ids"]?[0]?.string)
            #expect(answer["count"] == 1)
            let post = try world.get("/api/\(id)")
            #expect(post["author"]?.string == anna)
            #expect(post["price"] == "1.1" || post["price"] == "1.10")
            #expect(post["createdAt"] == "2026-11-21T09:30:00Z")
            #expect(post["extra"] == ["a": [1]])
            #expect(post["__hidden"] == "x")
            #expect(post["_version"] == 1)
            #expect(
                try world.count("Post", "title == 'New' AND ANY tags.name == 'core' AND ANY tags.name == 'data'") == 1
            )
        }
    }

    @Test("a batch insert returns the count, the references or a status")
    func results() throws {
        try APIWorld.each { world throws in
            let rows = "[{\"name\":\"a\"},{\"name\":\"b\"}]"
            #expect(try world.send(.post, "/api/tags/batch-insert?result=count", rows)["count"] == 2)
            let status = try world.send(.post, "/api/tags/batch-insert?result=status", "[{\"name\":\"c\"}]")
            #expect(status.text == "{\"status\":true,\"merged\":0}")
            let ids = try world.send(.post, "/api/tags/batch-insert?result=ids", "[{\"name\":\"d\"}]")
            #expect(try world.get("/api/" + (ids["ids"]?[0]?.string ?? ""))["name"] == "d")
            #expect(try world.send(.post, "/api/tags/batch-insert", "[]").text == "{\"count\":0,\"merged\":0}")
            let wrong = try world.send(.post, "/api/tags/batch-insert?result=id", rows)
            #expect(wrong.status == 400)
            #expect(wrong["hint"]?.string?.contains("ids") == true)
        }
    }

    @Test("a batch insert saves all rows or none, and reports the line and row of an error")
    func allOrNothing() throws {
        try APIWorld.each { world throws in
            let before = try world.count("Post", "TRUEPREDICATE")
            let text = "{\"title\":\"1\"}\n\n{\"title\":\"2\",\"views\":-1}\n{\"title\":\"3\"}\n"
            let answer = try world.send(
                .post,
                "/api/posts/batch-insert",
                body: .bytes(Array(text.utf8)),
                fields: Self.lines
            )
            #expect(answer.status == 422)
            #expect(answer["code"] == "validation")
            #expect(answer["line"] == 3)
            #expect(answer["row"] == 2)
            #expect(answer["inserted"] == 0)
            #expect(try world.count("Post", "TRUEPREDICATE") == before)
        }
    }

    @Test("chunks saved before a failing one are kept")
    func chunks() throws {
        try APIWorld.each { world throws in
            let before = try world.count("Post", "TRUEPREDICATE")
            let rows = (1...25).map { "{\"title\":\"\($0)\",\"views\":\($0 == 25 ? -1 : 1)}" }
            let answer = try world.send(
                .post,
                "/api/posts/batch-insert?chunk=10",
                body: .bytes(Array("[\n\(rows.joined(separator: ",\n"))\n]".utf8))
            )
            #expect(answer.status == 422)
            #expect(answer["inserted"] == 20)
            #expect(answer["row"] == 25)
            #expect(answer["line"] == 26)
            #expect(try world.count("Post", "TRUEPREDICATE") == before + 20)
        }
    }

    static let wrong: [(row: String, property: String, code: String, message: String)] = [
        ("{\"titel\":\"x\"}", "titel", "unknown", "Post has no property “titel”. Did you mean “title”?"),
        ("{\"views\":\"x\"}", "views", "type", "views takes an integer, not “x”."),
        ("{\"commentCount\":1}", "commentCount", "read-only", "commentCount is derived, and can't be set."),
        ("{\"others\":[]}", "others", "read-only", "others is a fetched property, and can't be set."),
        ("{\"author\":7}", "author", "reference", "A reference such as \"users/1\" is expected, not 7."),
        ("{\"author\":\"$a\"}", "author", "reference", "“$a” isn't a reference such as \"users/1\"."),
        ("{\"author\":\"posts/1\"}", "author", "reference", "“posts/1” is a Post, but a User is expected."),
        ("{\"tags\":\"tags/1\"}", "tags", "type", "tags takes an array of references, not “tags/1”."),
        ("{\"_entity\":\"User\"}", "_entity", "identity", "The _entity of a row must be Post."),
    ]

    @Test("invalid values are refused as in other writes, with all errors of a row", arguments: wrong)
    func refusals(sample: (row: String, property: String, code: String, message: String)) throws {
        try APIWorld.each { world throws in
            let rows = "[{\"title\":\"fine\"},\n\(sample.row)]"
            let answer = try world.send(.post, "/api/posts/batch-insert", rows)
            #expect(answer.status == 422)
            #expect(answer["errors"]?.array?.count == 1)
            let error = try #require(answer["errors"]?[0])
            #expect(error["property"]?.string == sample.property)
            #expect(error["code"]?.string == sample.code)
            #expect(error["message"]?.string == sample.message)
            #expect(answer["line"] == 2)
            #expect(answer["row"] == 2)
            #expect(try world.count("Post", "title == 'fine'") == 0)
        }
    }

    @Test("a reference to a missing object is refused")
    func dangling() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(
                .post,
                "/api/posts/batch-insert",
                "[{\"title\":\"x\",\"author\":\"users/999\"}]"
            )
            #expect(answer.status == 422)
            #expect(answer["row"] == 1)
            #expect(try world.count("Post", "title == 'x'") == 0)
        }
    }

    @Test("malformed JSON is reported with line and column")
    func malformed() throws {
        try APIWorld.each { world throws in
            let answer = try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"a\"},\n{\"name\":]")
            #expect(answer.status == 400)
            #expect(answer["code"] == "malformed")
            #expect(answer["line"] == 2)
            #expect(answer["column"] == 9)
            #expect(answer["inserted"] == 0)
            #expect(try world.send(.post, "/api/tags/batch-insert", "{\"name\":\"a\"}").status == 400)
            #expect(try world.send(.post, "/api/tags/batch-insert", "[1]").status == 422)
            let broken = HTTPRequestBody.stream(
                PiecewiseBody(Array("[{\"name\":\"z\"},".utf8), size: 3, breaksOff: true)
            )
            #expect(world.breakOff(.post, "/api/tags/batch-insert", broken))
            #expect(try world.count("Tag", "name == 'a' OR name == 'z'") == 0)
        }
    }

    @Test("a batch insert beyond the maximum is refused")
    func maximum() throws {
        try APIWorld.each { world throws in
            let rows = "[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]"
            let answer = try world.send(.post, "/api/tags/batch-insert?max=2", rows)
            #expect(answer.status == 409)
            #expect(answer["code"] == "max-affected")
            #expect(try world.count("Tag", "name == 'a'") == 0)
            #expect(try world.send(.post, "/api/tags/batch-insert?max=3", rows).status == 200)
        }
    }

    @Test(
        "with a merge policy a batch insert updates existing rows, and keeps the values that aren't given",
        arguments: ["object", "overwrite"]
    )
    func merging(policy: String) throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let rows =
                "[{\"name\":\"Other\",\"email\":\"anna@example.org\"},{\"name\":\"New\",\"email\":\"n@example.org\"}]"
            let denied = try world.send(.post, "/api/users/batch-insert", rows)
            #expect(denied.status == 409)
            let rolled = try world.send(.post, "/api/users/batch-insert", rows, fields: [.prefer: "merge=rollback"])
            #expect(rolled["count"] == 1)
            #expect(try world.get("/api/\(anna)")["name"] == "Anna")
            let merged = try world.send(.post, "/api/users/batch-insert", rows, fields: [.prefer: "merge=\(policy)"])
            #expect(merged["count"] == 2)
            #expect(try world.get("/api/\(anna)")["name"] == "Other")
            #expect(try world.get("/api/\(anna)")["age"] == 34)
        }
    }

    @Test("abstract entities, unknown media types and unknown parameters are refused")
    func requests() throws {
        try APIWorld.each { world throws in
            #expect(try world.send(.post, "/api/Contact/batch-insert", "[{\"name\":\"x\"}]").status == 422)
            let form = try world.send(
                .post,
                "/api/tags/batch-insert",
                "name=x",
                fields: [.contentType: "application/x-www-form-urlencoded"]
            )
            #expect(form.status == 415)
            #expect(form["hint"]?.string?.contains("curl") == true)
            let csv = try world.send(.post, "/api/tags/batch-insert", "name\nx", fields: [.contentType: "text/csv"])
            #expect(csv.status == 415 && csv["detail"]?.string?.hasSuffix("application/x-ndjson.") == true)
            #expect(csv["hint"]?.string?.contains("outcrop import") == true)
            #expect(try world.send(.post, "/api/tags/batch-insert?chunk=0", "[]").status == 400)
            #expect(
                try world.send(.post, "/api/tags/batch-insert?chunks=1", "[]")["hint"]?.string?.contains("chunk")
                    == true
            )
            #expect(try world.send(.get, "/api/tags/batch-insert").status == 405)
        }
    }

    @Test("lines that were joined into one get the hint at curl's options")
    func joinedLines() throws {
        try APIWorld.each { world throws in
            let joined = try world.send(
                .post,
                "/api/tags/batch-insert",
                #"{"name":"x"}{"name":"y"}"#,
                fields: Self.lines
            )
            #expect(joined.status == 400 && joined["hint"]?.string?.contains("--data-binary") == true, "\(joined.text)")
            let later = try world.send(.post, "/api/tags/batch-insert", "{\"name\":\"x\"}\n{]", fields: Self.lines)
            #expect(later.status == 400 && later["hint"] == nil)
        }
    }

    @Test("a body of any length is read while it arrives")
    func streaming() throws {
        try APIWorld.each { world throws in
            let count = 20_000
            let sent = Mutex(0)
            let body = PiecewiseBody {
                sent.withLock { sent in
                    guard sent < count else { return nil }
                    sent += 100
                    return Array((sent - 99...sent).map { "{\"text\":\"\($0)\"}\n" }.joined().utf8)
                }
            }
            let answer = try world.send(
                .post,
                "/api/pages/batch-insert?chunk=1000",
                body: .stream(body),
                fields: Self.lines
            )
            #expect(answer["count"] == 20_000)
        }
    }

    @Test("a batch insert is merged into live contexts")
    func liveContexts() async throws {
        try APIWorld.each { world throws in
            let context = world.coordinator.liveContext()
            let answer = try world.send(.post, "/api/tags/batch-insert", "[{\"name\":\"x\"}]")
            #expect(answer["merged"] == 1)
            withExtendedLifetime(context) {}
        }
    }
}
