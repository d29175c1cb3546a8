// SPDX-License-Identifier: Apache-2.0

// Lists as NDJSON and CSV, of any length.

import CSV
import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import Predicates
import SQLiteDriver
import SQLiteStore
import Testing

@testable import RESTAPI

@Suite("Streamed lists")
struct StreamTests {
    private static let lines: HeaderFields = [.accept: "application/x-ndjson"]
    private static let csv: HeaderFields = [.accept: "text/csv"]

    /// More than two pages of posts.
    private static func fillMany(_ coordinator: PersistentStoreCoordinator) throws {
        try Blog.fill(coordinator)
        try coordinator.withContext { context in
            for number in 0..<150 {
                let post = try context.insert("Post")
                try post.setValue(.string("Post \(number)"), forKey: "title")
                try post.setValue(.integer(Int64(number % 7)), forKey: "views")
                try post.setValue(.data(Data([UInt8(number)])), forKey: "picture")
            }
            try context.save()
        }
    }

    @Test("CSV keeps the reference of an included object")
    func includedReferences() throws {
        try APIWorld.each { world throws in
            let fields: HeaderFields = [.accept: "text/csv"]
            let author = try #require(try world.get("/api/\(try world.post("Undo"))")["author"]?.string)
            let path = "/api/posts?title=Undo&select=title,author.name"
            let included = try world.get("\(path)&include=author", fields).text.split(separator: "\r\n")
            #expect(included.first == "_id,_entity,_version,title,author,author.name")
            #expect(included.last?.hasSuffix("Undo,\(author),Anna") == true)
            let selected = try world.get(path, fields).text.split(separator: "\r\n")
            #expect(selected.first == "_id,_entity,_version,title,author.name")
            let whole = try world.get("/api/posts?title=Undo&include=author", fields).text.split(separator: "\r\n")
            #expect(whole.first?.contains(",author,author.name,") == true)
        }
    }

    @Test("NDJSON has every object once, over any number of pages")
    func allLines() throws {
        try APIWorld.each(filling: Self.fillMany) { world throws in
            for query in ["", "?sort=-views,title", "?where=views >= 0&sort=views"] {
                let answer = try world.get("/api/posts\(query)", Self.lines)
                #expect(answer.status == 200)
                #expect(answer.fields[.contentType] == "application/x-ndjson")
                #expect(answer.fields["Vary"] == "Accept, Accept-Encoding")
                let objects = try Self.objects(answer)
                #expect(objects.count == 156)
                let paged = try world.pages("/api/posts\(query.isEmpty ? "?" : query + "&")limit=60")
                #expect(
                    objects.compactMap { $0["title"]?.string }.joined(separator: " ") == paged.joined(separator: " ")
                )
            }
            let ids = try world.get("/api/posts?result=ids&limit=120&offset=3", Self.lines).text
            let all = try world.get("/api/posts?result=ids&limit=200")["items"]?.array?.compactMap(\.string) ?? []
            #expect(ids == all[3..<123].map { "\"\($0)\"\n" }.joined())
            #expect(try world.get("/api/posts?limit=0", Self.lines).text == "")
        }
    }

    @Test("the limit of a streamed list can exceed the maximum of a page")
    func limits() throws {
        try APIWorld.each(filling: Self.fillMany) { world throws in
            let counts = try [1, 50, 51, 100, 149, 156, 5_000].map {
                try Self.objects(world.get("/api/posts?limit=\($0)", Self.lines)).count
            }
            #expect(counts == [1, 50, 51, 100, 149, 156, 156])
            #expect(try world.get("/api/posts?limit=5000").status == 400)
        }
    }

    @Test("streamed values are read back exactly, including bytes and dates")
    func portableValues() throws {
        let moments = [
            0.1 + 0.2, 817_000_000.123_456_7, -0.5, 1e-18, 800_000_000.25, -63_114_076_800, 252_423_993_599.5,
        ]
        try APIWorld.each { world throws in
            try world.coordinator.withContext { context in
                for moment in moments {
                    let post = try context.insert("Post")
                    try post.setValue("dated", forKey: "title")
                    try post.setValue(.date(Date(timeIntervalSinceReferenceDate: moment)), forKey: "createdAt")
                    try post.setValue(.data(Data([0, 255])), forKey: "picture")
                }
                try context.save()
            }
            let objects = try Self.objects(world.get("/api/posts?title=dated", Self.lines))
            let read = objects.compactMap { $0["createdAt"]?.string.flatMap(Date.init(rfc3339:)) }
            #expect(read.map(\.timeIntervalSinceReferenceDate) == moments)
            #expect(objects.allSatisfy { $0["picture"]?.string == "AP8=" })
        }
    }

    @Test("CSV has key paths as header, composites and related objects in columns, and lists as JSON")
    func columns() throws {
        try APIWorld.each { world throws in
            let answer = try world.get("/api/users?name=Anna&name=Bea&sort=name", Self.csv)
            #expect(answer.fields[.contentType] == "text/csv; charset=utf-8")
            let anna = try world.user("Anna")
            let bea = try world.user("Bea")
            #expect(
                answer.text
                    == """
                    _id,_entity,_version,name,note,email,age,address.street,address.city,address.zip\r
                    \(anna),User,1,Anna,,anna@example.org,34,Hill 1,Ulm,89073\r
                    \(bea),User,1,Bea,,bea@example.org,28,,,\r

                    """.replacing("User,1,Anna", with: "User,\(try Self.version(world, anna)),Anna")
                    .replacing("User,1,Bea", with: "User,\(try Self.version(world, bea)),Bea")
            )
            let posts = try world.get("/api/posts?title=Undo&select=title,author,author.name,tags", Self.csv)
            let rows = try Self.rows(posts)
            #expect(rows[0] == ["_id", "_entity", "_version", "title", "author", "author.name", "tags"])
            let tags = try ["core", "data", "swift"].map { "\"\(try world.tag($0))\"" }.joined(separator: ",")
            #expect(rows[1].dropFirst(3) == ["Undo", anna, "Anna", "[\(tags)]"])
            for (select, columns) in [
                ("author.name", ["author.name"]), ("author.name,author", ["author", "author.name"]),
                ("author.name&include=author", ["author", "author.name"]), ("author", ["author"]),
            ] {
                let rows = try Self.rows(world.get("/api/posts?title=Undo&select=\(select)", Self.csv))
                #expect(Array(rows[0].dropFirst(3)) == columns, "\(select)")
                #expect(Array(rows[1].dropFirst(3)) == columns.map { $0 == "author" ? anna : "Anna" }, "\(select)")
            }
            #expect(
                try Self.rows(world.get("/api/posts?result=ids&title=Undo", Self.csv)) == [
                    ["_id"], [world.post("Undo")],
                ]
            )
        }
    }

    @Test("CSV distinguishes empty texts from missing ones, and an empty list has the header")
    func emptyCells() throws {
        try APIWorld.each { world throws in
            _ = try world.send(.patch, "/api/\(try world.post("Undo"))", "{\"_hidden\":null}")
            _ = try world.send(.patch, "/api/\(try world.post("Undo"))", "{\"__hidden\":\"\"}")
            let text = try world.get("/api/posts?title=Undo&select=__hidden,price", Self.csv).text
            #expect(text.hasSuffix(",\"\",\r\n"))
            #expect(try world.get("/api/tags?name=none", Self.csv).text == "_id,_entity,_version,name\r\n")
        }
    }

    @Test("relationships, named queries, fetch bodies and tables can be streamed")
    func otherLists() throws {
        try APIWorld.each { world throws in
            let saving = try world.post("Saving")
            let pages = try Self.objects(world.get("/api/\(saving)/pages", Self.lines))
            #expect(pages.compactMap { $0["text"]?.string } == ["one", "two"])
            #expect(try Self.objects(world.get("/api/\(saving)/tags?sort=-name", Self.lines)).count == 2)
            #expect(try Self.objects(world.get("/api/\(saving)/others", Self.lines)).count == 3)
            #expect(try Self.objects(world.get("/api/queries/popular?VIEWS=30", Self.lines)).count == 3)
            let body = try world.send(.post, "/api/posts/fetch", "{\"where\":\"views > 20\"}", fields: Self.lines)
            #expect(try Self.objects(body).count == 3)
            let table = "/api/posts?result=dictionary&group=author.name&aggregate=n:count(_id)&sort=author.name"
            #expect(try world.get(table, Self.csv).text == "author.name,n\r\nAnna,4\r\nBea,2\r\n")
            #expect(
                try world.get(table, Self.lines).text
                    == "{\"author.name\":\"Anna\",\"n\":4}\n{\"author.name\":\"Bea\",\"n\":2}\n"
            )
            let plain = try Self.rows(world.get("/api/posts?result=dictionary&select=title,author&limit=4", Self.csv))
            #expect(plain.count == 5)
            #expect(plain[1] == ["Contexts", try world.user("Anna")])
        }
    }

    @Test("responses that aren't lists have no streamed format")
    func refusals() throws {
        try APIWorld.each { world throws in
            for target in [
                "/api/posts?result=count", "/api/posts?count=true", "/api/posts?explain=true",
                "/api/\(try world.post("Undo"))", "/api",
            ] {
                let answer = try world.get(target, Self.lines)
                #expect(answer.status == 406, "\(target)")
            }
            #expect(
                try world.get("/api/posts", [.accept: "text/html"]).problem.contains("application/x-ndjson, text/csv")
            )
            #expect(try world.get("/api/posts/99999/tags", Self.lines).status == 404)
            #expect(try world.get("/api/posts?where=nothing = 1", Self.csv).status == 400)
            #expect(try world.send(.post, "/api/tags", "{\"name\":\"x\"}", fields: Self.csv).status == 406)
            #expect(try world.get("/api/posts", [.accept: "text/csv;q=0.5, application/json"])["items"] != nil)
        }
    }

    @Test("a stream shows one state of the stores while other clients save")
    func oneState() throws {
        try APIWorld.each(filling: Self.fillMany) { world throws in
            let writer = InterferingWriter { piece in
                guard piece == 1 else { return }
                try world.coordinator.withContext { context in
                    let request = FetchRequest<ManagedObject>(
                        "Post",
                        predicate: try ObjectPredicate("title == 'Post 149'")
                    )
                    try #require(context.fetch(request).first).setValue("changed", forKey: "title")
                    try context.insert("Post").setValue("new", forKey: "title")
                    try context.save()
                }
            }
            try Self.stream("/api/posts", of: world, into: writer)
            #expect(writer.pieces == 3)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            #expect(text.contains("\"Post 149\"") && !text.contains("\"changed\"") && !text.contains("\"new\""))
        }
    }

    @Test("a slow stream releases its state after a time and continues after its last row")
    func slowReader() throws {
        var options = APIOptions()
        options.streamStateTime = .milliseconds(20)
        try APIWorld.each(options: options, filling: Self.fillMany) { world throws in
            guard let path = world.sqlite?.path else { return }
            let writer = InterferingWriter { piece in
                guard piece == 1 else { return }
                try world.coordinator.withContext { context in
                    for title in ["Post 1", "Post 149"] {
                        let isNamed = try ObjectPredicate("title == %@", title)
                        let request = FetchRequest<ManagedObject>("Post", predicate: isNamed)
                        let post = try #require(context.fetch(request).first)
                        try post.setValue(.string("\(title) changed"), forKey: "title")
                    }
                    try context.insert("Post").setValue("new", forKey: "title")
                    try context.save()
                }
                while try !world.emptiesLog(path) { usleep(5_000) }
            }
            try Self.stream("/api/posts", of: world, into: writer)
            let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n")
            let objects = try lines.map { try JSONValue(parsing: String($0)) }
            #expect(Set(objects.compactMap { $0["_id"]?.string }).count == objects.count)
            let titles = objects.compactMap { $0["title"]?.string }
            // Objects inserted meanwhile are included if their key is greater.
            #expect(titles.count { $0 != "new" } == 156)
            #expect(titles.contains("Post 149 changed"))
            #expect(titles.contains("Post 1") && !titles.contains("Post 1 changed"))
        }
    }

    @Test("rows too large to be in memory together are read one by one, of an entity and of a relationship")
    func longRows() throws {
        var options = APIOptions()
        options.readLimit = 10_000
        let fill = { (coordinator: PersistentStoreCoordinator) in
            try coordinator.withContext { context in
                let post = try context.insert("Post")
                for number in 0..<5 {
                    let text = "\(number)" + String(repeating: "x", count: 20_000)
                    let page = try context.insert("Page")
                    try page.setValue(.string(text), forKey: "text")
                    try page.setObject(post, forKey: "post")
                }
                try context.save()
            }
        }
        try APIWorld.each(options: options, filling: fill) { world throws in
            let post = try #require(try world.get("/api/posts")["items"]?.array?.first?["_id"]?.string)
            for path in ["/api/pages", "/api/pages?sort=-text", "/api/\(post)/pages"] {
                let texts = try Self.objects(world.get(path, Self.lines)).compactMap { $0["text"]?.string?.first }
                #expect(texts.sorted() == Array("01234"), "\(path)")
                // One object at a time is what a client can ask for at least.
                var (next, count): (String?, Int) = (path + (path.contains("?") ? "&limit=1" : "?limit=1"), 0)
                while let target = next, count < 10 {
                    let answer = try world.get(target)
                    #expect(answer.status == 200, "\(target): \(answer.text.prefix(200))")
                    count += answer["items"]?.array?.count ?? 0
                    next = answer["next"]?.string
                }
                #expect(count == 5, "\(path)")
            }
        }
    }

    @Test("rows of a table count towards the memory limit")
    func longRowsOfTable() throws {
        var options = APIOptions()
        options.readLimit = 5_000
        try APIWorld.each(options: options, filling: Self.fillMany) { world throws in
            guard world.sqlite != nil else { return }
            let table = "/api/posts?result=dictionary&select=title,views,createdAt"
            #expect(try world.get(table + "&limit=100").status == 413)
            #expect(try world.get(table + "&limit=10").status == 200)
            let answer = try world.get(table, Self.lines)
            #expect(try Self.objects(answer).count == 156)
        }
    }

    @Test("a slow stream of a table continues by key after its state has expired")
    func slowReaderOfTable() throws {
        var options = APIOptions()
        options.streamStateTime = .nanoseconds(1)
        try APIWorld.each(options: options, filling: Self.fillMany) { world throws in
            let objects = InterferingWriter { _ in }
            try Self.stream("/api/posts", of: world, into: objects)
            let table = InterferingWriter { _ in }
            try Self.stream("/api/posts?result=dictionary&select=title", of: world, into: table)
            let lines = [objects, table].map { String(decoding: $0.bytes, as: UTF8.self).split(separator: "\n").count }
            #expect(lines[0] == lines[1] && lines[0] > 100)
        }
    }

    private static func stream(_ target: String, of world: APIWorld, into writer: InterferingWriter) throws {
        let response = world.api.respond(to: HTTPRequest(.get, target, fields: lines))
        guard case .stream(nil, let write) = response.body else {
            Issue.record("The answer is no stream.")
            return
        }
        try write(writer)
    }

    private static func version(_ world: APIWorld, _ reference: String) throws -> String {
        try #require(try world.get("/api/\(reference)")["_version"]?.serialized())
    }

    private static func objects(_ answer: Answer) throws -> [JSONValue] {
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    private static func rows(_ answer: Answer) throws -> [[String]] {
        try #require(answer.status == 200, "\(answer.text)")
        var bytes: [UInt8]? = answer.bytes
        var reader = CSVReader {
            defer { bytes = nil }
            return bytes
        }
        var rows: [[String]] = []
        while let row = try reader.next() { rows.append(row.map(\.text)) }
        return rows
    }
}
