// SPDX-License-Identifier: Apache-2.0

// Repeated imports, and imports that continue after an interruption.

import Foundation
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Repeated imports")
struct ImportRepeatingTests {
    private static let model = #"""
        {"entities": {
          "Note": {"attributes": {"text": "String"}},
          "Tag": {"attributes": {"name": "String", "color": "String?"}, "unique": ["name"],
            "relationships": {"next": {"to": "Tag?", "inverse": "previous"}, "previous": {"to": "Tag?", "inverse": "next"}}}
        }}
        """#

    private static func inFolder(_ body: (_ folder: String, _ model: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            try body(folder, folder + "/Model.json")
        }
    }

    /// The values of a property of all objects of an entity, sorted.
    private static func values(_ property: String, _ entity: String, of store: String) throws -> [String] {
        let lines = outcrop("export", store, "--entity", entity, "--select", property, "--sort", property).output
        return try lines.split(separator: "\n").compactMap { try JSONValue(parsing: String($0))[property]?.string }
    }

    private static func leftovers(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-import") }
    }

    @Test("a completed import can be repeated, and imports the objects again", arguments: [false, true])
    func again(hasNames: Bool) throws {
        try Self.inFolder { folder, model in
            let store = folder + "/s.sqlite"
            let name = hasNames ? "\"_id\":\"n\"," : ""
            try Files.write("{\(name)\"_entity\":\"Note\",\"text\":\"a\"}\n", to: folder + "/n.ndjson")
            for count in 1...3 {
                let result = outcrop("import", store, folder + "/n.ndjson", "--model", model)
                #expect(result.output.hasPrefix("Imported 1 object"), "\(result)")
                #expect(try Self.values("text", "Note", of: store).count == count)
            }
            #expect(try Self.leftovers(folder).isEmpty)
            let connection = try Connection(path: store)
            #expect(try !connection.tableExists("OUTCROPNOTE"))
        }
    }

    /// Runs a command whose output can't be written.
    private static func unheard(_ words: [String]) -> Program.Result {
        Program.run(words, on: .plain) { _ in throw OutputFailure(reason: "the disk is full") }
    }

    private static let chain = #"""
        {"_id":"a","_entity":"Tag","name":"za","next":"b"}
        {"_id":"b","_entity":"Tag","name":"zb"}
        {"_entity":"Note","text":"n"}
        """#

    @Test(
        "an import whose success wasn't reported isn't repeated",
        arguments: [["--no-progress"], ["--json"], ["--chunk", "1"]]
    )
    func unsaid(options: [String]) throws {
        try Self.inFolder { folder, model in
            let store = folder + "/s.sqlite"
            try Files.write(Self.chain, to: folder + "/named.ndjson")
            try Files.write("{\"text\":\"plain\"}\n", to: folder + "/plain.ndjson")
            for (name, entity, count) in [("named", "Tag", 3), ("plain", "Note", 1)] {
                let words =
                    ["import", store, "\(folder)/\(name).ndjson", "--entity", entity, "--model", model] + options
                let unheard = Self.unheard(words)
                #expect(unheard.status == .problems && unheard.errors.contains("the disk is full"), "\(unheard)")
                let before = outcrop("export", store).output
                let told = Program.run(words + ["--json"], on: .plain)
                #expect(told.json?["objects"]?.int64 == 0 && told.json?["before"]?.int64 == Int64(count), "\(told)")
                #expect(outcrop("export", store).output == before)
            }
            #expect(try Self.leftovers(folder).isEmpty)
            let connection = try Connection(path: store)
            #expect(try !connection.tableExists("OUTCROPNOTE"))
            #expect(try Self.values("text", "Note", of: store) == ["n", "plain"])
            // From now on it is a new import.
            _ = outcrop("import", store, folder + "/plain.ndjson", "--entity", "Note")
            #expect(try Self.values("text", "Note", of: store) == ["n", "plain", "plain"])
        }
    }

    @Test("an import whose output is closed completes")
    func unwanted() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/s.sqlite"
            try Files.write("{\"text\":\"plain\"}\n", to: folder + "/n.ndjson")
            for count in 1...2 {
                let words = ["import", store, folder + "/n.ndjson", "--entity", "Note", "--model", model]
                let result = Program.run(words, on: .plain) { _ in throw OutputFailure(reason: nil) }
                #expect(result.status == .fine && result.errors.isEmpty, "\(result)")
                #expect(try Self.values("text", "Note", of: store).count == count)
            }
            #expect(try Self.leftovers(folder).isEmpty)
        }
    }

    @Test("an import into a server whose success wasn't reported isn't repeated")
    func unsaidToServer() throws {
        try Checkout.withFolder { folder in
            let lines = """
                {"_id":"a","_entity":"User","username":"ann","name":"Ann","joinedAt":"2026-01-01T00:00:00Z","posts":["p"]}
                {"_id":"p","_entity":"Post","title":"Nowhere","slug":"nowhere","createdAt":"2026-01-01T00:00:00Z","author":"a"}
                {"_entity":"Visit","at":"2026-01-01T00:00:00Z","path":"/nowhere"}
                """
            try Files.write(lines, to: folder + "/in.ndjson")
            let server = try ServerProcess(in: folder, ["--listen", "127.0.0.1:0"])
            let words = ["import", try server.address(), folder + "/in.ndjson"]
            #expect(Self.unheard(words).status == .problems)
            let told = Program.run(words, on: .plain)
            #expect(
                told.output.contains("Imported 0 objects") && told.output.contains("3 had been imported before"),
                "\(told)"
            )
            let visits = outcrop("export", words[1], "--entity", "Visit", "--where", "path == '/nowhere'").output
            #expect(visits.split(separator: "\n").count == 1)
            #expect(try Self.leftovers(folder).isEmpty)
            server.signal(SIGTERM)
            _ = server.end()
        }
    }

    @Test("a completed import into a server can be repeated, and a new server's store starts empty")
    func againToServer() throws {
        try Checkout.withFolder { folder in
            try Files.write("{\"name\":\"z1\",\"color\":\"#000000\"}\n{\"name\":\"z2\"}\n", to: folder + "/t.ndjson")
            try Files.write(
                "{\"_id\":\"a\",\"_entity\":\"Tag\",\"name\":\"z3\"}\n{\"_id\":\"b\",\"_entity\":\"Tag\",\"name\":5}\n",
                to: folder + "/bad.ndjson"
            )
            func found(_ address: String) -> Int {
                let lines = outcrop("export", address, "--entity", "Tag", "--where", "name BEGINSWITH 'z'").output
                return lines.split(separator: "\n").count
            }
            // Both rounds use one port, which no connection gets as its own in between.
            let port = Int.random(in: 20_000..<32_000)
            for round in 1...2 {
                try FileManager.default.createDirectory(
                    atPath: folder + "/\(round)",
                    withIntermediateDirectories: true
                )
                let server = try ServerProcess(in: folder + "/\(round)", ["--listen", "127.0.0.1:\(port)"])
                let address = try server.address()
                // The first chunk is saved before the second one fails.
                let part = outcrop("import", address, folder + "/bad.ndjson", "--chunk", "1")
                #expect(part.output.contains("bad.ndjson:2: name: "), "\(part)")
                #expect(found(address) == 1)
                for _ in 1...2 {
                    let arguments = ["import", address, folder + "/t.ndjson", "--entity", "Tag", "--upsert"]
                    let result = Program.run(arguments, on: .plain)
                    #expect(result.output.hasPrefix("Imported 2 objects"), "\(result)")
                    #expect(found(address) == 3)
                    // Changes made in between are overwritten by the next import.
                    try Files.write("{\"name\":\"z1\",\"color\":\"#ffffff\"}\n", to: folder + "/c.ndjson")
                    _ = outcrop("import", address, folder + "/c.ndjson", "--entity", "Tag", "--upsert")
                }
                _ = outcrop("import", address, folder + "/t.ndjson", "--entity", "Tag", "--upsert")
                let lines = outcrop("export", address, "--entity", "Tag", "--where", "name == 'z1'").output
                #expect(lines.contains("#000000"), "\(lines)")
                server.signal(SIGTERM)
                _ = server.end()
            }
        }
    }

    @Test("an import of another file keeps the notes of an interrupted one, which can continue")
    func another() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/s.sqlite"
            let bad = """
                {"_id":"a","_entity":"Tag","name":"a","next":"b"}
                {"_id":"b","_entity":"Tag","name":"b"}
                {"_id":"c","_entity":"Tag","name":"x"}
                """
            try Files.write(bad, to: folder + "/one.ndjson")
            try Files.write("{\"_id\":\"x\",\"_entity\":\"Tag\",\"name\":\"x\"}\n", to: folder + "/two.ndjson")
            #expect(outcrop("import", store, folder + "/two.ndjson", "--model", model).status == .fine)
            let stopped = outcrop("import", store, folder + "/one.ndjson", "--chunk", "1")
            #expect(stopped.output.contains("one.ndjson:3: name: "), "\(stopped)")
            try Files.write("{\"_id\":\"x\",\"_entity\":\"Tag\",\"name\":\"y\"}\n", to: folder + "/two.ndjson")
            #expect(outcrop("import", store, folder + "/two.ndjson").status == .fine)
            let connection = try Connection(path: store)
            try connection.execute("UPDATE ZTAG SET ZNAME = 'z' WHERE ZNAME = 'x'")
            let done = outcrop("import", store, folder + "/one.ndjson", "--chunk", "1", "--json")
            #expect(done.json?["objects"]?.int64 == 1 && done.json?["before"]?.int64 == 2, "\(done)")
            #expect(try Self.values("name", "Tag", of: store) == ["a", "b", "x", "y", "z"])
            let linked = try connection.first("SELECT count(*) FROM ZTAG WHERE ZNEXT IS NOT NULL") { $0.int64(0) }
            #expect(linked == 1)
            #expect(try Self.leftovers(folder).isEmpty)
        }
    }

    @Test(
        "the file left by an interrupted creation of a store becomes the store",
        arguments: ["", "PRAGMA user_version = 1"]
    )
    func unmadeStore(statement: String) throws {
        try Self.inFolder { folder, model in
            let store = folder + "/s.sqlite"
            if statement.isEmpty {
                try Files.write("", to: store)
            } else {
                try Connection(path: store, access: .create).execute("PRAGMA user_version = 1")
            }
            try Files.write("{\"text\":\"a\"}\n", to: folder + "/n.ndjson")
            let before = try Data(contentsOf: URL(filePath: store))
            let tried = outcrop(
                "import",
                store,
                folder + "/n.ndjson",
                "--entity",
                "Note",
                "--model",
                model,
                "--dry-run"
            )
            #expect(tried.output == "1 object can be imported." || tried.status == .fine, "\(tried)")
            #expect(try Data(contentsOf: URL(filePath: store)) == before)
            let result = outcrop("import", store, folder + "/n.ndjson", "--entity", "Note", "--model", model)
            #expect(result.status == .fine, "\(result)")
            #expect(try Self.values("text", "Note", of: store) == ["a"])
        }
    }
}
