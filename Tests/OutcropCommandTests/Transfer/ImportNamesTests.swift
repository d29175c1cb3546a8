// SPDX-License-Identifier: Apache-2.0

// Names of lines, and invalid names.

import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Names in imports")
struct ImportNamesTests {
    private static let model = #"""
        {"entities": {
          "Note": {"attributes": {"text": "String"}, "relationships": {"next": {"to": "Note?", "inverse": "previous"},
            "previous": {"to": "Note?", "inverse": "next"}}}
        }}
        """#

    /// Runs a closure with a store that has a note with the reference `Note/1`.
    private static func withStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            try Files.write("{\"text\":\"old\"}\n", to: folder + "/old.ndjson")
            let store = folder + "/s.sqlite"
            let made = outcrop(
                "import",
                store,
                folder + "/old.ndjson",
                "--entity",
                "Note",
                "--model",
                folder + "/Model.json"
            )
            try #require(made.status == .fine, "\(made)")
            try body(folder, store)
        }
    }

    /// The texts of notes and of their destinations.
    private static func notes(_ store: String) -> [String] {
        let table = outcrop("store", "query", store, "Note", "--select", "text,next.text", "--sort", "text", "--csv")
            .output
        return table.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test(
        "a reference means the line with that name, wherever it is, rather than an object of the store",
        arguments: [
            [
                (
                    "a.ndjson",
                    #"{"text":"a"}"# + "\n" + #"{"_id":"Note/1","text":"b"}"# + "\n" + #"{"text":"c","next":"Note/1"}"#
                )
            ],
            [
                (
                    "a.ndjson",
                    #"{"text":"a"}"# + "\n" + #"{"\u005fid":"Note/1","text":"b"}"# + "\n"
                        + #"{"text":"c","next":"Note/1"}"#
                )
            ],
            [
                ("a.csv", "text\na\n"), ("b.csv", "text,_id\nb,Note/1\n"),
                ("c.ndjson", #"{"text":"c","next":"Note/1"}"#),
            ],
        ]
    )
    func laterNames(files: [(name: String, text: String)]) throws {
        for chunk in ["1", "100"] {
            try Self.withStore { folder, store in
                for file in files { try Files.write(file.text, to: "\(folder)/\(file.name)") }
                let paths = files.map { "\(folder)/\($0.name)" }
                let options = ["--entity", "Note", "--chunk", chunk]
                let done = Program.run(["import", store] + paths + options, on: .plain)
                #expect(done.status == .fine, "\(done)")
                #expect(Self.notes(store) == ["a,", "b,", "c,b", "old,"])
            }
        }
    }

    @Test("a reference means an object of the store if no line has a name")
    func noNames() throws {
        try Self.withStore { folder, store in
            let lines = #"{"text":"a \"_id\""}"# + "\n" + #"{"text":"b","next":{"_id":"Note/1"}}"#
            try Files.write(lines, to: folder + "/a.ndjson")
            let done = outcrop("import", store, folder + "/a.ndjson", "--entity", "Note")
            #expect(done.status == .fine, "\(done)")
            #expect(Self.notes(store).contains("b,old"))
        }
    }

    @Test("a name that isn't a text, or an empty one, is reported", arguments: ["5", "\"\"", "true", "{}"])
    func badNames(name: String) throws {
        try Self.withStore { folder, store in
            for lines in ["{\"_id\":\(name),\"text\":\"a\"}", "{\"text\":\"b\"}\n{\"_id\":\(name),\"text\":\"a\"}"] {
                try Files.write(lines, to: folder + "/a.ndjson")
                for option in ["--dry-run", "--no-progress"] {
                    let result = outcrop("import", store, folder + "/a.ndjson", "--entity", "Note", option)
                    let line = lines.contains("\n") ? 2 : 1
                    #expect(result.output.contains("a.ndjson:\(line): _id: “_id” must be a text"), "\(result)")
                    #expect(Self.notes(store) == ["old,"])
                }
            }
        }
    }

    @Test("a quoted empty cell is an invalid name, and an empty cell is no name")
    func badCells() throws {
        try Self.withStore { folder, store in
            try Files.write("_id,text\n,a\n\"\",b\n", to: folder + "/a.csv")
            let result = outcrop("import", store, folder + "/a.csv", "--entity", "Note", "--dry-run")
            #expect(result.output.contains("a.csv:3: _id: ") && !result.output.contains("a.csv:2"), "\(result)")
        }
    }
}
