// SPDX-License-Identifier: Apache-2.0

// Tables whose lines are too short, or whose columns have no name.

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

    @Test("a cell that isn't there is as one that is empty: null where that may be, else the default")
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

    @Test("a value in a column without a name is a bad line, and an empty cell there is none")
    func unnamedColumns() throws {
        try Self.inFolder { folder, arguments in
            try Files.write("name,,kind,\na,,,\nb,lost,x\nc,,,\"\"\nd\n", to: folder + "/a.csv")
            let tried = Program.run(arguments + ["--dry-run"], on: .plain)
            #expect(
                tried.output.contains("a.csv:3: Column 2 has a value and no name; name it in the first line"),
                "\(tried)"
            )
            #expect(tried.output.contains("a.csv:4: Column 4 has a value"), "\(tried)")
            #expect(tried.output.contains("2 bad lines of 4 objects."), "\(tried)")
            #expect(Program.run(arguments, on: .plain).output.contains("a.csv:3: Column 2 has a value"))
            try Files.write("name,,kind,\na,,,\nd\n", to: folder + "/a.csv")
            #expect(Program.run(arguments, on: .plain).status == .fine)
        }
    }

    @Test("a dry run tells all rows that are no text, and leaves a file where its rows can't be told any more")
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
        "a table whose first line is no text is told once, and left",
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

    @Test("a table as spreadsheets write it says its separator first, and blanks around names of columns don't count")
    func spreadsheets() throws {
        try Self.inFolder { folder, arguments in
            try Files.write(
                "sep=;\r\n name ; opt\u{A0};Kind ;\" \"\r\na,b;x;y;\r\nc;\r\n;;;z\r\n",
                to: folder + "/a.csv"
            )
            let mapped = arguments + ["--map", "Kind=kind"]
            let tried = Program.run(mapped + ["--dry-run"], on: .plain).output
            #expect(tried.contains("a.csv:5: Column 4 has a value and no name"), "\(tried)")
            try Files.write("sep=;\r\n name ; opt\u{A0};Kind ;\r\na,b;x;y;\r\nc;\r\n", to: folder + "/a.csv")
            #expect(Program.run(mapped, on: .plain).status == .fine)
            let things = outcrop("export", folder + "/s.sqlite", "--entity", "Thing", "--sort", "name").output
            let objects = try things.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(objects.map { $0["name"] } == ["a,b", "c"])
            #expect(objects.map { $0["opt"] } == ["x", .null])
            #expect(objects.map { $0["kind"] } == ["y", "plain"])
        }
    }

    @Test("a mapping of a column whose name has blanks around it is found with them and without")
    func blanksInMappings() throws {
        try Self.inFolder { folder, arguments in
            try Files.write(" Title \na\n", to: folder + "/a.csv")
            for column in [" Title ", "Title"] {
                let tried = Program.run(arguments + ["--dry-run", "--map", "\(column)=name"], on: .plain)
                #expect(tried.status == .fine, "\(tried)")
            }
        }
    }

    @Test("a column that no property has is told with the nearest one", arguments: [("Name", "name"), ("_ids", "_id")])
    func nearest(column: String, meant: String) throws {
        try Self.inFolder { folder, arguments in
            try Files.write("\(column)\na\n", to: folder + "/a.csv")
            let tried = Program.run(arguments, on: .plain)
            #expect(tried.status == .problems, "\(tried)")
            let told = tried.errors
            #expect(told.contains("Thing has no property “\(column)”, which is a column of"), "\(told)")
            #expect(told.contains("Did you mean “\(meant)”? Say which it is: --map '\(column)=KEYPATH'"), "\(told)")
        }
    }

    @Test("a column that was left out by its name stays left out, whatever it has")
    func leftOut() throws {
        try Self.inFolder { folder, arguments in
            try Files.write("name,Remark\na,x\n", to: folder + "/a.csv")
            #expect(Program.run(arguments + ["--map", "Remark="], on: .plain).status == .fine)
        }
    }
}
