// SPDX-License-Identifier: Apache-2.0

// What the program says of files that it can't read or write.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Files that can't be read or written")
struct FailureTests {
    @Test(
        "are named, by every command that reads one",
        arguments: [
            ["model", "show", "nope"], ["model", "diff", Files.demo, "nope"], ["model", "diff", "nope", Files.demo],
            ["model", "convert", "nope", "-o", "x.json"], ["model", "diagram", "nope", "-o", "x.svg"],
            ["predicate", "check", "a == 1", "--model", "nope", "--entity", "Post"],
        ]
    )
    func missing(words: [String]) {
        let result = Program.run(words, on: .plain)
        #expect(result.errors == "outcrop: nope: There is no such file or directory.")
        #expect(result.status == .problems && result.output.isEmpty)
        let error = Program.run(words + ["--json"], on: .plain).json?["error"]
        #expect(error == ["code": "model.notFound", "file": "nope", "message": "There is no such file or directory."])
    }

    @Test("are named where the model in them has no JSON")
    func unsayable() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Twice.xml"
            let entity = #"<entity name="A"/>"#
            try Files.write("<model>\(entity)\(entity)</model>", to: path)
            let error = outcrop("model", "show", path, "--json").json?["error"]
            #expect(error?["code"] == "model.unwritable" && error?["file"]?.string == path)
            #expect(outcrop("model", "show", path).status == .fine)
        }
    }

    @Test("have their line and column, too")
    func position() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Broken.json"
            try Files.write("{\n  oops", to: path)
            #expect(outcrop("model", "show", path).errors.hasPrefix("outcrop: \(path):2: "))
            let error = outcrop("model", "show", path, "--json").json?["error"]
            #expect(error?["code"] == "model.syntax" && error?["line"] == 2 && error?["column"] == 3)
        }
    }

    @Test("are told with the reason in plain words", arguments: ["convert", "diagram"])
    func unwritable(command: String) throws {
        try Checkout.withFolder { folder in
            try Files.write("", to: folder + "/file")
            try FileManager.default.createDirectory(atPath: folder + "/x", withIntermediateDirectories: false)
            let what = command == "convert" ? "model" : "file"
            func reason(_ path: String) throws -> String {
                let words =
                    ["model", command, Files.demo, "-o", path] + (command == "convert" ? ["--to", "json"] : [])
                let result = Program.run(words, on: .plain)
                #expect(result.status == .problems && result.output.isEmpty)
                let start = "outcrop: \(path): The \(what) can't be written: "
                #expect(result.errors.hasPrefix(start))
                return String(result.errors.dropFirst(start.count))
            }
            #expect(try reason(folder + "/no/x.svg") == "the folder “\(folder)/no” doesn't exist.")
            #expect(try reason(folder + "/file/x.svg") == "“\(folder)/file” is no folder.")
            #expect(try reason(folder + "/" + String(repeating: "x", count: 300)) == "its name is too long.")
            if command == "diagram" { #expect(try reason(folder + "/x") == "it is a folder.") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["file", "x"])
        }
    }

    @Test(
        "can't have an empty path",
        arguments: [
            ["model", "show", ""], ["model", "diagram", Files.demo, "-o", ""],
            ["model", "convert", Files.demo, "-o", "", "--to", "json"],
        ]
    )
    func emptyPath(words: [String]) {
        #expect(Program.run(words, on: .plain).errors == "outcrop: The path is empty, so it names no file.")
    }

    @Test("are findings of a check, an empty path among them")
    func check() {
        let result = outcrop("model", "check", "")
        #expect(result.output == "error: The path is empty, so it names no file.\n1 model, 1 error, 0 warnings")
    }

    @Test("a link that a picture is written to stays one")
    func link() throws {
        try Checkout.withFolder { folder in
            try Files.write("", to: folder + "/real.svg")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link.svg",
                withDestinationPath: folder + "/real.svg"
            )
            #expect(outcrop("model", "diagram", Files.demo, "-o", folder + "/link.svg").status == .fine)
            let real = try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.svg")
            #expect(real == folder + "/real.svg")
            #expect(try String(contentsOfFile: real, encoding: .utf8).contains("<svg"))
        }
    }

    @Test(
        "a link that a model or a picture is written to stays one, even if it leads to nothing yet",
        arguments: ["x.json", "x.svg"],
        [true, false]
    )
    func links(name: String, exists: Bool) throws {
        try Checkout.withFolder { folder in
            let (link, real) = ("\(folder)/\(name)", "\(folder)/real-\(name)")
            let command = name.hasSuffix("json") ? "convert" : "diagram"
            if exists { #expect(outcrop("model", command, Files.demo, "-o", real).status == .fine) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real-\(name)")
            #expect(outcrop("model", command, Files.demo, "-o", link).status == .fine)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real-\(name)")
            #expect(try Data(contentsOf: URL(filePath: real)).count > 1000)
        }
    }

    @Test(
        "what is no picture is not replaced by one",
        arguments: [
            (#"{"entities": {"A": {}}}"#, "m.json"), ("<model/>", "contents"), ("notes", "notes.svg"),
            ("<svgs/>", "x.svg"),
        ]
    )
    func noPicture(text: String, name: String) throws {
        try Checkout.withFolder { folder in
            let path = "\(folder)/\(name)"
            try Files.write(text, to: path)
            let result = outcrop("model", "diagram", Files.demo, "-o", path)
            #expect(result.status == .problems)
            #expect(
                result.errors == """
                    outcrop: \(path): What is there is no picture in SVG, and is not overwritten.
                    Remove it, or write to another path.
                    """
            )
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test("a picture is replaced by another")
    func picture() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/x.svg"
            try Files.write("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>", to: path)
            #expect(outcrop("model", "diagram", Files.demo, "-o", path).status == .fine)
            #expect(outcrop("model", "diagram", Files.olderDemo, "-o", path).status == .fine)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Article"))
        }
    }
}
