// SPDX-License-Identifier: Apache-2.0

// Importing objects into stores and exporting them.

import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Import and export")
struct TransferTests {
    /// A shop, with relationships of every kind.
    private static let shop = #"""
        {"entities": {
          "Party": {"abstract": true, "attributes": {"name": "String"}, "relationships": {
            "friends": {"toMany": "Party", "inverse": "friends"}}},
          "Person": {"parent": "Party", "attributes": {"email": "String?", "born": "Date?", "photo": "Binary?"},
            "relationships": {"orders": {"toMany": "Order", "inverse": "buyer", "deleteRule": "cascade"}},
            "unique": ["email"]},
          "Order": {"attributes": {"number": "Int64", "total": "Decimal?", "paid": {"type": "Bool", "default": false},
            "note": "String?"},
            "relationships": {"buyer": {"to": "Person", "inverse": "orders"},
              "items": {"toMany": "Item", "inverse": "order", "ordered": true, "deleteRule": "cascade"},
              "previous": {"to": "Order?", "inverse": "next"}, "next": {"to": "Order?", "inverse": "previous"}},
            "unique": ["number"]},
          "Item": {"attributes": {"text": "String", "price": "Double?"}, "relationships": {"order": "Order?.items"}}
        }}
        """#

    private static func inFolder(_ body: (_ folder: String, _ model: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(shop, to: folder + "/Shop.json")
            try body(folder, folder + "/Shop.json")
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    private static func rows(_ store: String, _ entity: String, _ columns: String, sort: String) -> String {
        outcrop("store", "query", store, entity, "--select", columns, "--sort", sort, "--csv").output
    }

    @Test("a many-to-many relationship is exported from one side, after its destinations, and imported on both sides")
    func pairs() throws {
        let model = #"""
            {"entities": {
              "Club": {"attributes": {"name": "String"}, "relationships": {
                "fans": {"toMany": "Person", "inverse": "clubs"}, "links": {"toMany": "Person", "inverse": "links"},
                "guests": {"toMany": "Person", "inverse": "visits"}}},
              "Person": {"attributes": {"name": "String"}, "relationships": {
                "clubs": {"toMany": "Club", "inverse": "fans"}, "links": {"toMany": "Club", "inverse": "links"},
                "visits": {"toMany": "Club", "inverse": "guests", "ordered": true},
                "friends": {"toMany": "Person", "inverse": "friends"}, "home": "Town?.people"}},
              "Town": {"attributes": {"name": "String"}, "relationships": {
                "people": {"toMany": "Person", "inverse": "home"}}}
            }}
            """#
        let graph = #"""
            {"_id":"a","_entity":"Person","name":"Ada","clubs":["r"],"visits":["r","c"],"friends":["b"],"home":"t"}
            {"_id":"b","_entity":"Person","name":"Bea","clubs":["r","c"],"links":["c"]}
            {"_id":"c","_entity":"Club","name":"Chess"}
            {"_id":"r","_entity":"Club","name":"Rowing"}
            {"_id":"t","_entity":"Town","name":"Ulm"}
            """#
        try Checkout.withFolder { folder in
            let path = folder + "/Model.json"
            try Files.write(model, to: path)
            try Files.write(graph, to: folder + "/0.ndjson")
            for (file, store) in [("0", "1"), ("1", "2")] {
                let (input, store) = ("\(folder)/\(file).ndjson", "\(folder)/\(store).sqlite")
                #expect(outcrop("import", store, input, "--model", path).status == .fine)
                let clubs = Self.rows(store, "Club", "name,fans.@count,guests.@count,links.@count", sort: "name")
                #expect(clubs.hasSuffix("Chess,1,1,1\nRowing,2,1,0\n"), "\(clubs)")
                let persons = Self.rows(store, "Person", "name,clubs.@count,visits.@count,friends.@count", sort: "name")
                #expect(persons.hasSuffix("Ada,1,2,1\nBea,2,0,1\n"), "\(persons)")
                let lines = try outcrop("export", store).output.split(separator: "\n").map {
                    try #require(try JSONValue(parsing: String($0)).object)
                }
                let told = lines.map { line in line.names.filter { line[$0]?.array != nil }.joined(separator: " ") }
                #expect(told == ["", "", "", "clubs friends links visits", "clubs friends links visits"])
                #expect(lines.map { $0["_entity"]?.string } == ["Club", "Club", "Town", "Person", "Person"])
                let ada = try #require(lines.first { $0["name"]?.string == "Ada" })
                let names = try #require(ada["visits"]?.array).map { id in
                    lines.first { $0["_id"] == id }?["name"]?.string
                }
                #expect(names == ["Rowing", "Chess"])
                try Files.write(outcrop("export", store).output, to: folder + "/1.ndjson")
            }
        }
    }

    @Test("an exported graph is equal to the graph imported from it", arguments: [1, 7, 5_000])
    func demoGraph(chunk: Int) throws {
        try Checkout.withFolder { folder in
            let made = outcrop(
                "demo-data",
                folder + "/a.sqlite",
                "--model",
                Files.demo,
                "--count",
                chunk == 1 ? "80" : "600"
            )
            #expect(made.errors == "")
            #expect(outcrop("export", folder + "/a.sqlite", "-o", folder + "/a.ndjson").errors == "")
            let result = outcrop(
                "import",
                folder + "/b.sqlite",
                folder + "/a.ndjson",
                "--model",
                Files.demo,
                "--chunk",
                "\(chunk)"
            )
            #expect(result.errors == "" && result.status == .fine, "\(result.output)")
            #expect(outcrop("export", folder + "/b.sqlite", "-o", folder + "/b.ndjson").errors == "")
            let (one, other) = try (Self.text(folder + "/a.ndjson"), Self.text(folder + "/b.ndjson"))
            #expect(try ExportedGraph(one) == ExportedGraph(other))
            #expect(outcrop("store", "check", "--strict", folder + "/b.sqlite").status == .fine)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("import") }
            #expect(left.isEmpty)
        }
    }

    @Test("references may precede or follow their destinations, even required ones")
    func forwardReferences() throws {
        try Self.inFolder { folder, model in
            let lines = """
                {"_id":"o1","_entity":"Order","number":1,"buyer":"p1","next":"o2","items":["i2","i1"],"total":"12.50"}
                {"_id":"i1","_entity":"Item","text":"one","price":0.1}
                {"_id":"o2","_entity":"Order","number":2,"buyer":{"email":"b@example.org"}}
                {"_id":"i2","_entity":"Item","text":"two"}
                {"_id":"p1","_entity":"Person","name":"Ada","email":"a@example.org","born":"1815-12-10T00:00:00Z","friends":["p2"]}
                {"_id":"p2","_entity":"Person","name":"Bea","email":"b@example.org","photo":"AP8="}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            for chunk in ["1", "2", "100"] {
                let store = folder + "/shop\(chunk).sqlite"
                let result = outcrop("import", store, folder + "/in.ndjson", "--model", model, "--chunk", chunk)
                #expect(result.output.hasPrefix("Imported 6 objects"), "\(result)")
                let orders = Self.rows(
                    store,
                    "Order",
                    "number,buyer.name,next.number,items.@count,total",
                    sort: "number"
                )
                #expect(orders == "number,buyer.name,next.number,items.@count,total\n1,Ada,2,2,12.5\n2,Bea,,0,\n")
                let graph = outcrop("export", store).output
                #expect(try ExportedGraph(graph).objects.count == 6)
                #expect(graph.contains("\"items\":[\""))
                let texts = outcrop("store", "query", store, "Item", "--where", "order.number == 1", "--csv").output
                #expect(texts.contains("one") && texts.contains("two"))
            }
            // The order of items is that of the line.
            let ordered = outcrop(
                "export",
                folder + "/shop1.sqlite",
                "--entity",
                "Order",
                "--select",
                "number,items.text"
            )
            #expect(ordered.output.contains("\"text\":\"two\"},{"), "\(ordered.output)")
        }
    }

    @Test("a spreadsheet's table can have a byte order mark, CRLF, quotes, and empty and missing cells")
    func spreadsheet() throws {
        try Self.inFolder { folder, model in
            try Files.write(
                "\u{FEFF}name;email;born\r\n\"Ada; the \"\"first\"\"\";a@example.org;1815-12-10\r\n",
                to: folder + "/p.csv"
            )
            let people = outcrop(
                "import",
                folder + "/s.sqlite",
                folder + "/p.csv",
                "--entity",
                "Person",
                "--model",
                model
            )
            #expect(
                people.output == "Imported 1 object into \(folder)/s.sqlite.\n" || people.status == .fine,
                "\(people)"
            )
            let orders =
                "No.;Buyer;total;paid;note;Remark\r\n1;a@example.org;\"12,50\";yes;\"two\r\nlines\";x\r\n2;a@example.org;;;\"\"\r\n3;a@example.org\r\n"
            try Files.write(orders, to: folder + "/o.csv")
            let result = outcrop(
                "import",
                folder + "/s.sqlite",
                folder + "/o.csv",
                "--entity",
                "Order",
                "--map",
                "No.=number",
                "--map",
                "Buyer=buyer.email",
                "--map",
                "Remark="
            )
            #expect(result.status == .fine, "\(result)")
            let lines = outcrop(
                "export",
                folder + "/s.sqlite",
                "--entity",
                "Order",
                "--select",
                "number,total,paid,note,buyer.name"
            )
            let objects = try lines.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(objects.map { $0["total"]?.string } == ["12.5", nil, nil])
            #expect(objects.map { $0["paid"]?.bool } == [true, false, false])
            #expect(objects.map { $0["note"]?.string } == ["two\r\nlines", "", nil])
            #expect(objects.allSatisfy { $0["buyer"]?["name"]?.string == "Ada; the \"first\"" })
            let unknown = outcrop("import", folder + "/s.sqlite", folder + "/o.csv", "--entity", "Order")
            #expect(unknown.errors.contains("has no property “No”") && unknown.errors.contains("--map 'No.=KEYPATH'"))
            for (path, words) in [
                ("buyer.emial", "has no property “emial”"), ("number.part", "Order.number has no property “part”"),
            ] {
                let arguments = ["--entity", "Order", "--map", "No.=\(path)", "--map", "Buyer=", "--map", "Remark="]
                let wrong = Program.run(["import", folder + "/s.sqlite", folder + "/o.csv"] + arguments, on: .plain)
                #expect(wrong.status != .fine && wrong.errors.contains(words), "\(wrong)")
                #expect(wrong.errors.split(separator: "\n").count <= 2, "\(wrong)")
            }
        }
    }

    @Test("a dry run reports every bad line and changes nothing")
    func dryRun() throws {
        try Self.inFolder { folder, model in
            let lines = """
                {"_entity":"Person","_id":"p","name":"Ada","email":"a@example.org"}
                {"_entity":"Order","number":"x","buyer":"p"}
                {"_entity":"Order","number":1,"buyer":"p","wrong":1}
                {"_entity":"Order",
                {"_entity":"Order","number":2}
                {"_entity":"Order","number":3,"buyer":"later"}
                {"_entity":"Order","number":3,"buyer":"p"}
                {"_entity":"Nothing"}
                {"_entity":"Person","_id":"later","name":"Bea","email":"a@example.org"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            let arguments = [
                "import", folder + "/s.sqlite", folder + "/in.ndjson", "--model", model, "--dry-run", "--json",
            ]
            let result = Program.run(arguments, on: .plain)
            #expect(result.status == .problems)
            let bad = result.json?["badLines"]?.array ?? []
            #expect(Set(bad.compactMap { $0["line"]?.int64 }) == [2, 3, 4, 5, 7, 8, 9], "\(result.output)")
            #expect(bad.first { $0["line"]?.int64 == 2 }?["property"]?.string == "number")
            #expect(bad.first { $0["line"]?.int64 == 2 }?["code"]?.string == "type")
            #expect(!FileManager.default.fileExists(atPath: folder + "/s.sqlite"))
            let stopped = outcrop("import", folder + "/s.sqlite", folder + "/in.ndjson", "--model", model)
            #expect(stopped.status == .problems)
            #expect(stopped.output.contains("/in.ndjson:4: "), "\(stopped)")
        }
    }

    @Test("rows with existing unique values change the objects with --upsert, and are refused without")
    func upsert() throws {
        try Self.inFolder { folder, model in
            try Files.write("{\"name\":\"Ada\",\"email\":\"a@example.org\"}\n", to: folder + "/one.ndjson")
            try Files.write("{\"name\":\"Ada L.\",\"email\":\"a@example.org\"}\n", to: folder + "/two.ndjson")
            let store = folder + "/s.sqlite"
            #expect(
                outcrop("import", store, folder + "/one.ndjson", "--entity", "Person", "--model", model).status == .fine
            )
            let refused = outcrop("import", store, folder + "/two.ndjson", "--entity", "Person")
            #expect(refused.output.contains("two.ndjson:1: email: "), "\(refused)")
            #expect(outcrop("import", store, folder + "/two.ndjson", "--entity", "Person", "--upsert").status == .fine)
            #expect(Self.rows(store, "Person", "name,email", sort: "name") == "name,email\nAda L.,a@example.org\n")
        }
    }

    @Test("an XML store can be imported into and exported from")
    func xmlStore() throws {
        try Self.inFolder { folder, model in
            let lines = """
                {"_id":"o1","_entity":"Order","number":1,"buyer":"p1","items":["i1"]}
                {"_id":"p1","_entity":"Person","name":"Ada"}
                {"_id":"i1","_entity":"Item","text":"one"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            let store = "xml:\(folder)/s.xml"
            #expect(outcrop("import", store, folder + "/in.ndjson", "--model", model).status == .fine)
            let result = outcrop("export", store, "--model", model)
            #expect(try ExportedGraph(result.output).objects.count == 3, "\(result)")
        }
    }

    @Test("an import that is killed repeatedly has every object once in the end", arguments: [false, true])
    func kills(isGraph: Bool) throws {
        let binary = try #require(ServerProcess.binary)
        try Self.inFolder { folder, model in
            let count = 3_000
            var lines = ""
            for number in 0..<count {
                lines +=
                    isGraph
                    ? "{\"_id\":\"o\(number)\",\"_entity\":\"Order\",\"number\":\(number),\"buyer\":\"p\",\"next\":\"o\(number + 1)\"}\n"
                    : "{\"text\":\"item \(number)\",\"price\":\(number)}\n"
            }
            if isGraph {
                lines +=
                    "{\"_id\":\"o\(count)\",\"_entity\":\"Order\",\"number\":\(count),\"buyer\":\"p\"}\n{\"_id\":\"p\",\"_entity\":\"Person\",\"name\":\"Ada\"}\n"
            }
            try Files.write(lines, to: folder + "/in.ndjson")
            let store = folder + "/s.sqlite"
            var arguments = ["import", store, folder + "/in.ndjson", "--model", model, "--chunk", "50"]
            if !isGraph { arguments += ["--entity", "Item"] }
            var random = SeededGenerator(seed: isGraph ? 1 : 2)
            let table: SQL =
                isGraph
                ? "SELECT count(*), count(DISTINCT ZNUMBER) FROM ZORDER"
                : "SELECT count(*), count(DISTINCT ZTEXT) FROM ZITEM"
            func found() throws -> [Int64]? {
                try Connection(path: store).first(table) { [$0.int64(0), $0.int64(1)] }
            }
            // An import killed after its completion would begin again.
            func isDone() -> Bool {
                let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                guard !files.contains(where: { $0.contains("-import-") }) else { return false }
                return (try? found())??.first ?? 0 > 0
            }
            for _ in 0..<12 where !isDone() {
                let process = try KilledProcess(binary.path, arguments)
                try process.kill(after: .random(in: 30_000...400_000, using: &random))
            }
            let wasKilledLast = isDone()
            if !wasKilledLast {
                let last = Program.run(arguments, on: .plain)
                #expect(last.status == .fine, "\(last)")
            }
            let expected = Int64(isGraph ? count + 1 : count)
            #expect(try found() == [expected, expected])
            let connection = try Connection(path: store)
            // A kill between the last two steps leaves answers behind, which mean nothing any more.
            if !wasKilledLast { #expect(try !connection.tableExists("OUTCROPNOTE")) }
            if isGraph {
                let linked = try connection.first("SELECT count(*) FROM ZORDER WHERE ZNEXT IS NOT NULL") { $0.int64(0) }
                #expect(linked == Int64(count))
            }
            #expect(outcrop("store", "check", "--strict", store).status == .fine)
        }
    }

    @Test("a server can be exported from and imported into like a store")
    func server() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address()
            let exported = outcrop("export", address, "-o", folder + "/a.ndjson")
            #expect(exported.errors == "", "\(address)")
            let local = outcrop(
                "import",
                folder + "/b.sqlite",
                folder + "/a.ndjson",
                "--model",
                Files.root + "/Config/Demo.json"
            )
            #expect(local.status == .fine, "\(local)")
            #expect(
                try ExportedGraph(Self.text(folder + "/a.ndjson"))
                    == ExportedGraph(outcrop("export", folder + "/b.sqlite").output)
            )
            let lines =
                "{\"_id\":\"a\",\"_entity\":\"Tag\",\"name\":\"imported a\",\"parent\":\"b\"}\n{\"_id\":\"b\",\"_entity\":\"Tag\",\"name\":\"imported b\"}\n"
            try Files.write(lines.replacing(",\"parent\":\"b\"", with: ""), to: folder + "/tags.ndjson")
            let sent = outcrop("import", address, folder + "/tags.ndjson", "--chunk", "1")
            #expect(sent.output == "Imported 2 objects into \(address)." || sent.status == .fine, "\(sent)")
            try Files.write("name\nplain a\nplain b\n", to: folder + "/tags.csv")
            #expect(outcrop("import", address, folder + "/tags.csv", "--entity", "Tag").status == .fine)
            let csv = outcrop(
                "export",
                address,
                "--entity",
                "Tag",
                "--where",
                "name BEGINSWITH 'plain'",
                "--select",
                "name",
                "--format",
                "csv"
            )
            #expect(csv.output.split(whereSeparator: \.isNewline).count == 3, "\(csv)")
            #expect(outcrop("export", "http://127.0.0.1:1").errors.contains("The request to the server failed"))
        }
    }

    @Test("demo data are the same for the same seed, with the requested numbers of objects")
    func demoData() throws {
        try Checkout.withFolder { folder in
            for (name, seed) in [("a", "3"), ("b", "3"), ("c", "4")] {
                let made = outcrop(
                    "demo-data",
                    "\(folder)/\(name).sqlite",
                    "--model",
                    Files.demo,
                    "--seed",
                    seed,
                    "--count",
                    "1500",
                    "--entity",
                    "Tag=37",
                    "--json"
                )
                #expect(made.json?["entities"]?["Tag"]?.int64 == 37, "\(made)")
            }
            let exports = ["a", "b", "c"].map { outcrop("export", "\(folder)/\($0).sqlite").output }
            #expect(exports[0] == exports[1] && exports[0] != exports[2])
            #expect(outcrop("demo-data", folder + "/a.sqlite").errors.contains("has objects of"))
        }
    }
}
