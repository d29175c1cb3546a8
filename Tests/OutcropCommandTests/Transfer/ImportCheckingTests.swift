// SPDX-License-Identifier: Apache-2.0

// Bad lines, and lines that change existing objects.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Bad lines and changes")
struct ImportCheckingTests {
    private static let model = #"""
        {"entities": {
          "User": {"attributes": {"name": "String", "mail": "String"}, "unique": ["mail"],
            "relationships": {"posts": {"toMany": "Post", "inverse": "author"}}},
          "Post": {"attributes": {"slug": "String", "title": "String", "made": "Date", "views": "Int64?",
            "shape": {"type": "Transformable?", "transformer": "OwnTransformer"}}, "unique": ["slug"],
            "relationships": {"author": {"to": "User", "inverse": "posts"}, "reviewer": "User?",
              "tags": {"toMany": "Tag", "inverse": "posts", "ordered": true}}},
          "Tag": {"attributes": {"name": "String"}, "unique": ["name"],
            "relationships": {"posts": {"toMany": "Post", "inverse": "tags"}}}
        }}
        """#

    private static let graph = #"""
        {"_id":"u","_entity":"User","mail":"a@example.org","name":"Ada"}
        {"_id":"t","_entity":"Tag","name":"one"}
        {"_id":"p","_entity":"Post","slug":"p","title":"P","made":"2026-01-01T00:00:00Z","views":10,"author":"u","tags":["t"]}
        """#

    /// Runs a closure with a store that has the graph.
    private static func withStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try ImportedStore.with(graph, of: model, body)
    }

    private static func row(_ columns: String, of store: String) -> String {
        let table = outcrop("store", "query", store, "Post", "--select", columns, "--csv").output
        return table.split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    @Test(
        "with --upsert, a line with an object's unique values changes only what it contains",
        arguments: [
            (#"{"slug":"p","title":"New"}"#, "p,New,10,Ada,1"),
            (#"{"_id":"z","slug":"p","title":"New"}"#, "p,New,10,Ada,1"),
            (#"{"slug":"p","tags":[{"name":"one"},{"name":"one"}]}"#, "p,P,10,Ada,1"),
            (#"{"slug":"p","tags":[]}"#, "p,P,10,Ada,0"),
            (#"{"slug":"p","author":{"mail":"b@example.org"}}"#, "p,P,10,Bea,1"),
            (#"{"_id":"z","slug":"p","views":11}"# + "\n" + #"{"_id":"y","slug":"p","title":"New"}"#, "p,New,11,Ada,1"),
            ("slug,title,author.mail\np,New,b@example.org\n", "p,New,10,Bea,1"),
        ]
    )
    func upsert(lines: String, expected: String) throws {
        try Self.withStore { folder, store in
            try Files.write("{\"mail\":\"b@example.org\",\"name\":\"Bea\"}\n", to: folder + "/bea.ndjson")
            #expect(outcrop("import", store, folder + "/bea.ndjson", "--entity", "User").status == .fine)
            let file = folder + (lines.hasPrefix("{") ? "/in.ndjson" : "/in.csv")
            try Files.write(lines, to: file)
            for chunk in ["1", "100"] {
                let arguments = ["import", store, file, "--entity", "Post", "--upsert", "--chunk", chunk]
                let tried = Program.run(arguments + ["--dry-run"], on: .plain)
                #expect(tried.status == .fine, "\(tried)")
                let done = Program.run(arguments, on: .plain)
                #expect(done.status == .fine, "\(done)")
                #expect(Self.row("slug,title,views,author.name,tags.@count", of: store) == expected)
            }
        }
    }

    @Test("a line that creates an object needs all required values, even with --upsert")
    func partialLineOfNone() throws {
        try Self.withStore { folder, store in
            let lines =
                "{\"_id\":\"a\",\"slug\":\"p\",\"title\":\"New\"}\n{\"_id\":\"b\",\"slug\":\"q\",\"title\":\"Q\"}\n"
            try Files.write(lines, to: folder + "/in.ndjson")
            for option in ["--dry-run", "--no-progress"] {
                let result = outcrop("import", store, folder + "/in.ndjson", "--entity", "Post", "--upsert", option)
                #expect(result.output.contains("in.ndjson:2: made: made needs a value. (required)"), "\(result)")
                #expect(result.output.contains("in.ndjson:2: author: "), "\(result)")
                #expect(!result.output.contains("in.ndjson:1:"), "\(result)")
            }
            #expect(Self.row("title", of: store) == "P")
        }
    }

    private static let whole = #""_entity":"Post","title":"Q","made":"2026-01-01T00:00:00Z""#

    @Test(
        "a dry run and an import report the same bad line, and an import with one changes nothing",
        arguments: [
            (#"{"_id":"a","_entity":"Tag","name":"a","posts":["posts/999"]}"#, "posts"),
            (#"{"_id":"a","_entity":"Tag","name":"a","posts":["nope"]}"#, "posts"),
            (#"{"_id":"a","_entity":"Tag","name":"a","posts":["v"]}"#, "posts"),
            (#"{"_id":"a","_entity":"Tag","name":"a","posts":[{"slug":"nope"}]}"#, "posts"),
            (#"{"_id":"a","_entity":"Tag","name":"one"}"#, "name"),
            (#"{"_id":"a","slug":"q","# + whole + "}", "author"),
            (#"{"_id":"a","slug":"q","author":"nope","# + whole + "}", "author"),
            (#"{"_id":"a","slug":"q","author":"z","# + whole + "}", "author"),
            (#"{"_id":"a","slug":"q","author":"v","reviewer":"z","# + whole + "}", "reviewer"),
            (#"{"_id":"a","slug":"q","author":"v","shape":{"a":1},"# + whole + "}", "shape"),
            (#"{"_id":"a","_entity":5}"#, "_entity"),
        ]
    )
    func badLine(line: String, property: String) throws {
        try Self.withStore { folder, store in
            let others = """
                {"_id":"v","_entity":"User","mail":"v@example.org","name":"V"}
                {"_id":"z","_entity":"Tag","name":"z"}
                """
            for lines in [line + "\n" + others, others + "\n" + line] {
                try Files.write(lines, to: folder + "/in.ndjson")
                let place = "in.ndjson:\(lines.hasPrefix(line) ? 1 : 3): \(property): "
                let before = outcrop("export", store).output
                let tried = outcrop("import", store, folder + "/in.ndjson", "--dry-run")
                #expect(tried.output.contains(place) && tried.output.contains("1 bad line of 3 objects."), "\(tried)")
                #expect(outcrop("export", store).output == before)
                let stopped = outcrop("import", store, folder + "/in.ndjson")
                #expect(stopped.output.contains(place), "\(stopped)")
                #expect(outcrop("export", store).output == before)
            }
        }
    }

    @Test("in a dry run, references to later lines don't hide other errors")
    func masked() throws {
        try Self.withStore { folder, store in
            let lines = """
                {"_id":"q","_entity":"Post","slug":"q","title":"Q","made":"2026-01-01T00:00:00Z","author":"v"}
                {"_id":"w","_entity":"User","mail":"a@example.org","name":"W"}
                {"_id":"x","_entity":"User","mail":"x@example.org","name":5}
                {"_id":"y","_entity":"User","mail":"y@example.org"}
                {"_id":"r","_entity":"Post","slug":"p","title":"P","made":"2026-01-01T00:00:00Z","author":"v"}
                """
            let others = (1...500).map { #"{"_entity":"Tag","name":"t\#($0)"}"# }.joined(separator: "\n")
            let last = #"{"_id":"v","_entity":"User","mail":"v@example.org","name":"V"}"#
            try Files.write("\(lines)\n\(others)\n\(last)\n", to: folder + "/in.ndjson")
            let tried = outcrop("import", store, folder + "/in.ndjson", "--dry-run").output
            for place in ["in.ndjson:2: mail: ", "in.ndjson:3: name: ", "in.ndjson:4: name: ", "in.ndjson:5: slug: "] {
                #expect(tried.contains(place), "\(tried)")
            }
            #expect(tried.contains("4 bad lines of 506 objects."), "\(tried)")
        }
    }

    @Test("a dry run reports each bad line among many exactly once", arguments: [false, true])
    func manyBadLines(isUpsert: Bool) throws {
        let faults = [
            1: #""name":5"#, 2: #""note":"#, 3: #""name":"C","nose":1"#, 4: #""name":"D","posts":["u/9"]"#,
            5: #""name":null"#,
            6: #""mail":null"#, 7: #""name":"C","posts":7"#,
        ]
        try Self.withStore { folder, store in
            let lines = (1...1_300).map { number in
                let fault = number % 13 == 0 ? faults[number / 13 % 20] : nil
                return #"{"mail":"m\#(number)@example.org",\#(fault ?? #""name":"Somebody""#)}"#
            }
            let bad = (1...1_300).filter { $0 % 13 == 0 && faults[$0 / 13 % 20] != nil }
            try Files.write(lines.joined(separator: "\n"), to: folder + "/in.ndjson")
            let options = isUpsert ? ["--upsert"] : []
            let tried = Program.run(
                ["import", store, folder + "/in.ndjson", "--entity", "User", "--dry-run"] + options,
                on: .plain
            )
            let told = tried.output.split(separator: "\n").dropLast().map { line in
                Int(line.dropFirst(folder.count + "/in.ndjson:".count).prefix { $0 != ":" })
            }
            #expect(told == bad, "\(tried)")
            #expect(tried.output.contains("\(bad.count) bad lines of 1300 objects."), "\(tried)")
        }
    }
}
