// SPDX-License-Identifier: Apache-2.0

// The messages about files that can't be read or written.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Unreadable and unwritable files")
struct FailureTests {
    @Test(
        "a missing file is named by every command that reads one",
        arguments: [
            ["model", "show", "nope"], ["model", "diff", Files.demo, "nope"], ["model", "diff", "nope", Files.demo],
            ["model", "convert", "nope", "-o", "x.json"], ["model", "diagram", "nope", "-o", "x.svg"],
            ["predicate", "check", "a == 1", "--model", "nope", "--entity", "Post"],
        ]
    )
    func missing(words: [String]) {
        let result = Program.run(words, on: .plain)
        #expect(result.errors == "outcrop: nope: The file or directory doesn't exist.")
        #expect(result.status == .problems && result.output.isEmpty)
        let error = Program.run(words + ["--json"], on: .plain).json?["error"]
        #expect(error == ["code": "model.notFound", "file": "nope", "message": "The file or directory doesn't exist."])
    }

    @Test("the file of a model that JSON can't represent is named")
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

    @Test("an error in a file has its line and column")
    func position() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Broken.json"
            try Files.write("{\n  oops", to: path)
            #expect(outcrop("model", "show", path).errors.hasPrefix("outcrop: \(path):2: "))
            let error = outcrop("model", "show", path, "--json").json?["error"]
            #expect(error?["code"] == "model.syntax" && error?["line"] == 2 && error?["column"] == 3)
        }
    }

    @Test("an unwritable file is reported with the reason in plain words", arguments: ["convert", "diagram"])
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
            #expect(try reason(folder + "/file/x.svg") == "“\(folder)/file” isn't a folder.")
            #expect(try reason(folder + "/" + String(repeating: "x", count: 300)) == "its name is too long.")
            if command == "diagram" { #expect(try reason(folder + "/x") == "it is a folder.") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["file", "x"])
        }
    }

    @Test(
        "an empty path is refused",
        arguments: [
            ["model", "show", ""], ["model", "diagram", Files.demo, "-o", ""],
            ["model", "convert", Files.demo, "-o", "", "--to", "json"],
        ]
    )
    func emptyPath(words: [String]) {
        #expect(Program.run(words, on: .plain).errors == "outcrop: The path is empty, so it names no file.")
    }

    @Test("checking an empty path reports it as an error")
    func check() {
        let result = outcrop("model", "check", "")
        #expect(result.output == "error: The path is empty, so it names no file.\n1 model, 1 error, 0 warnings")
    }

    @Test("a picture written to a link replaces the file that the link points at")
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
        "a model or picture written to a link keeps the link, even if its target doesn't exist",
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
        "a file that isn't a picture is never replaced by one",
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
                    outcrop: \(path): The existing file isn't an SVG picture, and is not overwritten.
                    Remove it, or write to another path.
                    """
            )
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test("a picture replaces another picture")
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
