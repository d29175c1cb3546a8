// SPDX-License-Identifier: Apache-2.0

// Exports and imports of one JSON array.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("JSON arrays of objects")
struct ArrayTransferTests {
    private static let model = #"""
        {"entities": {
          "Event": {"attributes": {"name": "String?", "note": "String?"}, "relationships": {"place": "Place?.events"}},
          "Place": {"attributes": {"name": "String"}, "relationships": {"events": {"toMany": "Event", "inverse": "place"}}}
        }}
        """#

    private static let lines = #"""
        {"_id":"Place/1","_entity":"Place","name":"Café, “[”"}
        {"_id":"Event/1","_entity":"Event","name":"a \"],[\" \\","note":"two\nlines","place":"Place/1"}
        {"_id":"Event/2","_entity":"Event","name":null}

        """#

    /// Runs a test with a store of three objects.
    private static func withStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try ImportedStore.with(lines, of: model, body)
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    @Test("--format json, --json and a file's extension write an array of the same objects as the lines")
    func exported() throws {
        try Self.withStore { folder, store in
            let lines = outcrop("export", store).output
            let expected = "[\n" + lines.dropLast().replacing("\n", with: ",\n") + "\n]\n"
            #expect(lines.split(separator: "\n").count == 3)
            #expect(outcrop("export", store, "--format", "json").output == expected)
            #expect(outcrop("export", store, "--json").output == expected)
            let written = outcrop("export", store, "-o", folder + "/a.json")
            #expect(written.output.contains("3 objects"), "\(written)")
            let text = try Self.text(folder + "/a.json")
            #expect(text == expected)
            let none = outcrop("export", store, "--entity", "Event", "--where", "name == 'x'", "--json")
            #expect(none.output == "[]\n", "\(none)")
        }
    }

    @Test("--json contradicts another format of the standard output, but not one of a file")
    func contradiction() throws {
        try Self.withStore { folder, store in
            let refused = outcrop("export", store, "--json", "--format", "ndjson")
            #expect(refused.status == .usage)
            #expect(refused.json?["error"]?["message"]?.string == "--json and --format ndjson contradict each other.")
            let written = outcrop("export", store, "--json", "-o", folder + "/a.ndjson")
            #expect(written.json?["objects"]?.int64 == 3, "\(written)")
        }
    }

    @Test("an array is imported as lines are, however its elements are laid out", arguments: [false, true])
    func imported(isPretty: Bool) throws {
        try Self.withStore { folder, store in
            var text = outcrop("export", store, "--json").output
            if isPretty { text = "\u{FEFF}\n" + (try JSONValue(parsing: text).serialized(.pretty)) }
            try Files.write(text, to: folder + "/a.json")
            let copy = folder + "/b.sqlite"
            let made = outcrop("import", copy, folder + "/a.json", "--model", folder + "/Model.json")
            #expect(made.output.contains("Imported 3 objects"), "\(made)")
            let graphs = try [store, copy].map { try ExportedGraph(outcrop("export", $0).output) }
            #expect(graphs[0] == graphs[1])
        }
    }

    @Test("objects with values alone are imported from an array, and lines from a file that is named like one")
    func plain() throws {
        try Self.withStore { folder, store in
            let texts = [
                "[{\"name\":\"a\"},\n {\"name\":\n\"b\"}\n]", "{\"name\":\"c\"}\n{\"name\":\"d\"}\n", "[]", " [ ] ",
            ]
            for (number, text) in texts.enumerated() {
                let file = folder + "/\(number).json"
                try Files.write(text, to: file)
                let made = outcrop("import", store, file, "--entity", "Event")
                #expect(made.output.contains("Imported \(number < 2 ? 2 : 0) objects"), "\(made)")
            }
            let names = outcrop("store", "query", store, "Event", "--select", "name", "--sort", "name", "--csv").output
            #expect(names.hasSuffix("\na\nb\nc\nd\n") || names.hasSuffix("\nb\nc\nd\n"), "\(names)")
        }
    }

    @Test(
        "a malformed array is reported with the line where it is wrong",
        arguments: [
            ("[{\"name\":\"a\"}\n{\"name\":\"b\"}]", ":2: A comma or a ] is missing after the element. (json)"),
            ("[{\"name\":\"a\"},\n{\"name\":\"b\"}\n", ":3: The array has no end: a ] is missing. (json)"),
            ("[{\"name\":\"a\"},\n{\"name\":\n\"b\"", ":2: The array ends within this element. (json)"),
            ("[{\"name\":\"a\"}]\n{}", ":2: There is text after the end of the array. (json)"),
            ("[{\"name\":\"a\"},\n  {\"name\":\n b}]", ":3: column 2: "),
            ("[{\"name\":\"a\"}, {\"name\": b}]", ":1: column 25: "),
            ("[{\"name\":\"a\"},\n]", ":2: "),
            ("[1]", ":1: A row must be an object, not a number. (type)"),
        ]
    )
    func malformed(text: String, message: String) throws {
        try Self.withStore { folder, store in
            try Files.write(text, to: folder + "/bad.json")
            let tried = outcrop("import", store, folder + "/bad.json", "--entity", "Event", "--dry-run")
            #expect(tried.status == .problems)
            #expect(tried.output.contains("bad.json" + message), "\(tried)")
        }
    }
}
