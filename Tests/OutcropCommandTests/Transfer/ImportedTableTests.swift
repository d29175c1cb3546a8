// SPDX-License-Identifier: Apache-2.0

// Tables with short lines, or with columns without a name.

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Imported tables")
struct ImportedTableTests {
    private static let model = #"""
        {"entities": {"Thing": {"attributes": {"name": "String", "opt": {"type": "String?", "default": "od"},
          "kind": {"type": "String", "default": "plain"}}}}}
        """#

    private static func inFolder(_ body: (_ folder: String, _ arguments: [String]) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            let target = [folder + "/s.sqlite", folder + "/a.csv"]
            try body(folder, ["import"] + target + ["--entity", "Thing", "--model", folder + "/Model.json"])
        }
    }

    @Test("a missing cell is treated as an empty one: null if the attribute is optional, else the default")
    func missingCells() throws {
        try Self.inFolder { folder, arguments in
            try Files.write("name;opt;kind\na;;\nb\nc;\nd;x;y\n", to: folder + "/a.csv")
            #expect(Program.run(arguments, on: .plain).status == .fine)
            let things = outcrop("export", folder + "/s.sqlite", "--entity", "Thing", "--sort", "name").output
            let objects = try things.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(objects.map { $0["opt"] } == [.null, .null, .null, "x"])
            #expect(objects.map { $0["kind"] } == ["plain", "plain", "plain", "y"])
        }
    }

    @Test("a value in a column without a name is a bad line, and an empty cell isn't")
    func unnamedColumns() throws {
        try Self.inFolder { folder, arguments in
            try Files.write("name,,kind,\na,,,\nb,lost,x\nc,,,\"\"\nd\n", to: folder + "/a.csv")
            let tried = Program.run(arguments + ["--dry-run"], on: .plain)
            #expect(
                tried.output.contains("a.csv:3: Column 2 has a value but no name; name it in the first line"),
                "\(tried)"
            )
            #expect(tried.output.contains("a.csv:4: Column 4 has a value"), "\(tried)")
            #expect(tried.output.contains("2 bad lines of 4 objects."), "\(tried)")
            #expect(Program.run(arguments, on: .plain).output.contains("a.csv:3: Column 2 has a value"))
            try Files.write("name,,kind,\na,,,\nd\n", to: folder + "/a.csv")
            #expect(Program.run(arguments, on: .plain).status == .fine)
        }
    }

    @Test("a dry run reports all rows that aren't valid text, and skips the rest of a malformed file")
    func unreadable() throws {
        try Self.inFolder { folder, arguments in
            let latin =
                Array("name,opt\na,1\nM".utf8) + [0xFC] + Array("ller,2\nJ".utf8) + [0xE4] + Array("ger,3\n,4\n".utf8)
            try Data(latin).write(to: URL(filePath: folder + "/a.csv"))
            try Files.write("name,opt\n\"b\"x,2\nc,3\n", to: folder + "/b.csv")
            try Files.write("name,opt\nd,4\n,5\n", to: folder + "/c.csv")
            let all = arguments[..<3] + [folder + "/b.csv", folder + "/c.csv"] + arguments[3...]
            let lines = Program.run(all + ["--dry-run"], on: .plain).output.split(separator: "\n")
            let places = lines.dropLast().compactMap { $0.split(separator: "/").last?.split(separator: " ").first }
            #expect(places == ["a.csv:3:", "a.csv:4:", "a.csv:5:", "b.csv:2:", "c.csv:3:"], "\(lines)")
            #expect(Program.run(arguments, on: .plain).output.contains("a.csv:3: column 1: The cell that begins here"))
        }
    }

    @Test(
        "a table whose first line isn't valid text is reported once and skipped",
        arguments: [
            [UInt8]("name,".utf8) + [0xF6] + "pt\na,1\n".utf8, [0xFF, 0xFE, 0x6E, 0x00], [0x1F, 0x8B, 0x08, 0x00],
        ]
    )
    func unreadableNames(bytes: [UInt8]) throws {
        try Self.inFolder { folder, arguments in
            try Data(bytes).write(to: URL(filePath: folder + "/a.csv"))
            try Files.write("name,opt\n,5\n", to: folder + "/c.csv")
            let all = arguments[..<3] + [folder + "/c.csv"] + arguments[3...]
            let lines = Program.run(all + ["--dry-run"], on: .plain).output.split(separator: "\n")
            let places = lines.dropLast().compactMap { $0.split(separator: "/").last?.split(separator: " ").first }
            #expect(places == ["a.csv:1:", "c.csv:2:"], "\(lines)")
            let tried = Program.run(arguments, on: .plain)
            #expect(tried.status == .problems && "\(tried)".contains("a.csv:1: "), "\(tried)")
        }
    }

    @Test("a spreadsheet's table may name its separator, and blanks around column names are ignored")
    func spreadsheets() throws {
        try Self.inFolder { folder, arguments in
            try Files.write(
                "sep=;\r\n name ; opt\u{A0};Kind ;\" \"\r\na,b;x;y;\r\nc;\r\n;;;z\r\n",
                to: folder + "/a.csv"
            )
            let mapped = arguments + ["--map", "Kind=kind"]
            let tried = Program.run(mapped + ["--dry-run"], on: .plain).output
            #expect(tried.contains("a.csv:5: Column 4 has a value but no name"), "\(tried)")
            try Files.write("sep=;\r\n name ; opt\u{A0};Kind ;\r\na,b;x;y;\r\nc;\r\n", to: folder + "/a.csv")
            #expect(Program.run(mapped, on: .plain).status == .fine)
            let things = outcrop("export", folder + "/s.sqlite", "--entity", "Thing", "--sort", "name").output
            let objects = try things.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(objects.map { $0["name"] } == ["a,b", "c"])
            #expect(objects.map { $0["opt"] } == ["x", .null])
            #expect(objects.map { $0["kind"] } == ["y", "plain"])
        }
    }

    @Test("a mapping finds a column with blanks around its name, with or without the blanks")
    func blanksInMappings() throws {
        try Self.inFolder { folder, arguments in
            try Files.write(" Title \na\n", to: folder + "/a.csv")
            for column in [" Title ", "Title"] {
                let tried = Program.run(arguments + ["--dry-run", "--map", "\(column)=name"], on: .plain)
                #expect(tried.status == .fine, "\(tried)")
            }
        }
    }

    @Test(
        "an unknown column is refused with the nearest property as a hint",
        arguments: [("Name", "name"), ("_ids", "_id")]
    )
    func nearest(column: String, meant: String) throws {
        try Self.inFolder { folder, arguments in
            try Files.write("\(column)\na\n", to: folder + "/a.csv")
            let tried = Program.run(arguments, on: .plain)
            #expect(tried.status == .problems, "\(tried)")
            let told = tried.errors
            #expect(told.contains("Thing has no property “\(column)”, which is a column of"), "\(told)")
            #expect(told.contains("Did you mean “\(meant)”? Map it: --map '\(column)=KEYPATH'"), "\(told)")
        }
    }

    @Test("a column of one value for a to-many relationship is refused with the form of its list")
    func manyObjects() throws {
        let model = #"""
            {"entities": {
              "Book": {"attributes": {"title": "String"}, "relationships": {"genres": "[Genre].books"}},
              "Genre": {"attributes": {"name": "String"}, "relationships": {"books": "[Book].genres"}, "unique": ["name"]}
            }}
            """#
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            try Files.write("title,genre\na,Novel\nb,\n", to: folder + "/a.csv")
            let arguments = ["import", folder + "/s.sqlite", folder + "/a.csv", "--entity", "Book", "--model"]
            let mapped = arguments + [folder + "/Model.json", "--map", "genre=genres.name"]
            let refused = Program.run(mapped + ["--dry-run"], on: .plain)
            #expect(
                refused.output.contains(
                    "a.csv:2: genres.name: “genres” may have several objects: map the column to it alone, and write a JSON list"
                ),
                "\(refused)"
            )
            #expect(refused.output.contains("1 bad line of 2 objects."), "\(refused)")
            try Files.write("{\"name\":\"Novel\"}\n", to: folder + "/g.ndjson")
            let genres = ["import", folder + "/s.sqlite", folder + "/g.ndjson", "--entity", "Genre", "--model"]
            #expect(Program.run(genres + [folder + "/Model.json"], on: .plain).status == .fine)
            try Files.write("title,genres\na,\"[{\"\"name\"\":\"\"Novel\"\"}]\"\n", to: folder + "/a.csv")
            let followed = Program.run(arguments + [folder + "/Model.json"], on: .plain)
            #expect(followed.status == .fine, "\(followed)")
        }
    }

    @Test("a column with an empty mapping is ignored, whatever it contains")
    func leftOut() throws {
        try Self.inFolder { folder, arguments in
            try Files.write("name,Remark\na,x\n", to: folder + "/a.csv")
            #expect(Program.run(arguments + ["--map", "Remark="], on: .plain).status == .fine)
        }
    }
}
