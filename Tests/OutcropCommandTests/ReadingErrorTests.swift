// SPDX-License-Identifier: Apache-2.0

// Models that can only be read in part: no command treats the part as the whole.

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Partly readable models")
struct ReadingErrorTests {
    private static let text = #"{"entities": {"A": {"atributes": {"n": "String"}, "attributes": {"d": "Dat"}}}}"#
    private static let messages = [
        #":1: A: error: “atributes” isn't a key of the entity. Did you mean “attributes”?"#,
        #":1: A.d: error: “Dat” is neither a type nor a composite of the model. Did you mean “Date”?"#,
    ]

    /// Passes the path of such a model, and the messages about it.
    private func withModel(_ body: (_ folder: String, _ path: String, _ lines: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/M.json"
            try Files.write(Self.text, to: path)
            try body(folder, path, Self.messages.map { path + $0 }.joined(separator: "\n"))
        }
    }

    @Test(
        "convert reports all reading errors and writes nothing",
        arguments: ["M.json", "X.xcdatamodel", "X.json", "-"]
    )
    func convert(output: String) throws {
        try withModel { folder, path, lines in
            let target = output == "-" ? output : "\(folder)/\(output)"
            let result = outcrop("model", "convert", path, "-o", target)
            #expect(result.status == .problems && result.output.isEmpty)
            #expect(result.errors == lines + "\noutcrop: \(path) can't be read completely, so nothing was written.")
            let json = outcrop("model", "convert", path, "-o", target, "--json")
            #expect(json.status == .problems && json.errors.isEmpty)
            #expect(json.json?["issues"]?.array?.map { $0["code"] } == ["model.key", "model.value"])
            #expect(json.json?["error"]?["message"]?.string?.hasSuffix("nothing was written.") == true)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(names == ["M.json"] && text == Self.text)
        }
    }

    @Test("convert refuses a bundle if any version can't be read")
    func version() throws {
        try Checkout.withFolder { folder in
            let bundle = folder + "/Demo.xcdatamodeld"
            try FileManager.default.copyItem(atPath: Files.demo, toPath: bundle)
            let broken = bundle + "/Demo.xcdatamodel/contents"
            try Files.write("<bad", to: broken)
            let result = outcrop("model", "convert", bundle, "-o", folder + "/x.json")
            #expect(result.status == .problems && result.errors.hasPrefix("\(broken):1: error: "))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Demo.xcdatamodeld"])
            #expect(outcrop("model", "show", bundle).status == .fine)
        }
    }

    @Test("show prints the readable part with the errors, but no incomplete JSON")
    func show() throws {
        try withModel { _, path, lines in
            for result in [outcrop("model", "show", path), outcrop("model", "show", path, "A")] {
                #expect(result.status == .problems)
                #expect(result.output.contains("A\n  d  Undefined"))
                #expect(result.errors == lines)
            }
            let json = outcrop("model", "show", path, "--json")
            #expect(json.status == .problems && json.json?["entities"] == nil)
            #expect(json.json?["issues"]?.array?.count == 2)
            #expect(outcrop("model", "show", path, "B").errors.hasPrefix(lines))
        }
    }

    @Test("diagram draws the readable part and reports the errors")
    func diagram() throws {
        try withModel { folder, path, lines in
            let picture = folder + "/M.svg"
            let result = outcrop("model", "diagram", path, "-o", picture)
            #expect(result.status == .problems && result.errors == lines)
            #expect(result.output == "Wrote \(picture): 1 entity.")
            let svg = try String(contentsOfFile: picture, encoding: .utf8)
            #expect(svg.contains(">A<"))
            #expect(outcrop("model", "diagram", path, "-o", picture, "--json").json?["issues"]?.array?.count == 2)
        }
    }

    @Test("diff and predicate check refuse a partly readable model")
    func refusals() throws {
        try withModel { _, path, lines in
            for words in [
                ["model", "diff", path, Files.demo], ["model", "diff", Files.demo, path],
                ["predicate", "check", "a == 1", "--model", path, "--entity", "A"],
            ] {
                let result = Program.run(words, on: .plain)
                #expect(result.status == .problems && result.output.isEmpty)
                #expect(
                    result.errors == lines
                        + "\noutcrop: \(path) can't be read completely, so it can't be compared."
                )
                let json = Program.run(words + ["--json"], on: .plain)
                #expect(json.status == .problems && json.json?["issues"]?.array?.count == 2)
            }
        }
    }

    @Test("diff finds no difference between a partly readable model and itself")
    func itself() throws {
        try withModel { folder, path, _ in
            let copy = folder + "/Copy.json"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            for other in [path, copy] {
                let result = outcrop("model", "diff", path, other)
                #expect(result.status == .fine && result.output == "The models are the same.", "\(result)")
            }
            let broken = folder + "/Broken.json"
            try Files.write("{", to: broken)
            #expect(outcrop("model", "diff", broken, broken).status == .problems)
        }
    }

    @Test("JSON and pictures are written to the standard output with the path -")
    func standardOutput() throws {
        let json = outcrop("model", "convert", Files.demo, "-o", "-")
        #expect(try json.output == Checkout.text(of: "Config/Demo.json"))
        #expect(outcrop("model", "convert", Files.olderDemo, "-o", "-", "--to", "json").json?["entities"] != nil)
        #expect(outcrop("model", "convert", Files.demo, "-o", "-", "--json").json == json.json)
        let other = outcrop("model", "convert", Files.demo, "-o", "-", "--to", "xcdatamodel")
        #expect(other.status == .usage && other.errors == "outcrop: Only JSON can be written to the standard output.")
        let isPicture =
            try outcrop("model", "diagram", Files.demo, "-o", "-").output == Checkout.text(of: "docs/images/demo.svg")
        #expect(isPicture)
        let drawn = outcrop("model", "diagram", Files.demo, "-o", "-", "--json").json
        #expect(drawn?["entities"] == 7 && drawn?["svg"]?.string?.contains("<svg") == true)
    }
}
