// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop generate swift")
struct GenerateCommandTests {
    @Test("generate writes files once, and reports that they are up to date the second time")
    func generate() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Model"
            let first = outcrop("generate", "swift", Files.demo, "-o", path)
            #expect(first.status == .fine && first.errors.isEmpty)
            #expect(first.output.hasPrefix("Wrote 23 of 23 files in \(path).\nFor your own code: Comment.swift, "))
            let second = outcrop("generate", "swift", Files.demo, "-o", path)
            #expect(second.status == .fine && second.output == "\(path) is up to date: 23 files.")
            #expect(FileManager.default.fileExists(atPath: path + "/DemoModel+Generated.swift"))
        }
    }

    @Test("the JSON output lists the written, created, kept, stale, renamed and removed files")
    func json() throws {
        try Checkout.withFolder { folder in
            let model = folder + "/Blog.json"
            try Files.write(#"{"entities": {"Post": {"attributes": {"context": "String"}}, "Tag": {}}}"#, to: model)
            let path = folder + "/Model"
            let words = ["generate", "swift", model, "-o", path, "--json"]
            #expect(
                Program.run(words, on: .plain).json == [
                    "output": .string(path),
                    "written": [
                        "Post+Generated.swift", "PostDTO+Generated.swift", "Tag+Generated.swift",
                        "TagDTO+Generated.swift",
                        "BlogModel+Generated.swift",
                    ],
                    "created": ["Post.swift", "Tag.swift"], "kept": [], "stale": [],
                    "renamed": [["entity": "Post", "property": "context", "name": "context_"]],
                ]
            )
            #expect(
                outcrop("generate", "swift", model, "-o", path).output
                    == "\(path) is up to date: 7 files.\nPost.context is named context_ in Swift."
            )
            try Files.write(#"{"entities": {"Post": {"attributes": {"context": "String"}}}}"#, to: model)
            let stale = Program.run(words, on: .plain).json
            #expect(stale?["stale"] == ["Tag+Generated.swift", "TagDTO+Generated.swift"] && stale?["removed"] == nil)
            #expect(stale?["written"] == ["BlogModel+Generated.swift"])
            #expect(
                outcrop("generate", "swift", model, "-o", path).output.contains(
                    "\nTag+Generated.swift no longer belongs to the model. Remove it with --prune.\n"
                )
            )
            let pruned = Program.run(words + ["--prune"], on: .plain).json
            #expect(pruned?["removed"] == ["Tag+Generated.swift", "TagDTO+Generated.swift"] && pruned?["stale"] == nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            #expect(names.contains("Tag.swift") && !names.contains("Tag+Generated.swift"))
        }
    }

    @Test("the list of classes is named after the model's file, or by --name")
    func name() throws {
        try Checkout.withFolder { folder throws in
            func list(_ model: String, _ options: String...) throws -> [String] {
                let path = "\(folder)/\(UUID().uuidString)"
                #expect(Program.run(["generate", "swift", model, "-o", path] + options, on: .plain).status == .fine)
                return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains("Model+") }
            }
            #expect(try list(Files.demo) == ["DemoModel+Generated.swift"])
            #expect(try list(Files.demo + "/") == ["DemoModel+Generated.swift"])
            #expect(try list(Files.olderDemo) == ["DemoModel+Generated.swift"])
            #expect(try list(Files.olderDemo + "/contents") == ["DemoModel+Generated.swift"])
            #expect(try list(Files.demo, "--name", "my blog") == ["my_blogModel+Generated.swift"])
        }
    }

    @Test("--access sets the access level of the generated code")
    func access() throws {
        try Checkout.withFolder { folder in
            #expect(outcrop("generate", "swift", Files.demo, "-o", folder, "--access", "public").status == .fine)
            let text = try String(contentsOfFile: folder + "/Tag+Generated.swift", encoding: .utf8)
            #expect(text.contains("\npublic import Outcrop\n") && text.contains("    public var name: String {"))
            let wrong = outcrop("generate", "swift", Files.demo, "-o", folder, "--access", "private")
            #expect(wrong.status == .usage && wrong.errors.contains("expected internal or public"))
        }
    }

    @Test("a model with errors generates nothing, and the errors are shown")
    func broken() throws {
        try Checkout.withFolder { folder in
            let model = folder + "/Broken.json"
            try Files.write(#"{"entities": {"A": {"relationships": {"b": "B"}}}}"#, to: model)
            let result = outcrop("generate", "swift", model, "-o", folder + "/Model")
            #expect(result.status == .problems && result.output.isEmpty)
            #expect(result.errors.contains("A.b: error: "))
            #expect(result.errors.hasSuffix("outcrop: \(model) has errors, so no Swift can be generated for it."))
            let json = outcrop("generate", "swift", model, "-o", folder + "/Model", "--json").json
            #expect(json?["issues"]?.array?.isEmpty == false && json?["error"]?["message"] != nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Broken.json"])
        }
    }

    @Test("a file that wasn't generated is never overwritten")
    func handWritten() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Tag+Generated.swift"
            try Files.write("// mine", to: path)
            let result = outcrop("generate", "swift", Files.demo, "-o", folder)
            #expect(
                result.errors == """
                    outcrop: \(path): The existing file was not generated, and is not overwritten.
                    Give it another name, or write to another folder.
                    """
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Tag+Generated.swift"])
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "// mine")
        }
    }

    @Test("the reason why a folder can't be written is reported")
    func unwritable() throws {
        try Checkout.withFolder { folder in
            try Files.write("", to: folder + "/file")
            func errors(_ path: String) -> String {
                let result = outcrop("generate", "swift", Files.demo, "-o", path)
                #expect(result.status == .problems && result.output.isEmpty)
                return result.errors
            }
            #expect(errors(folder + "/file") == "outcrop: \(folder)/file: The path is not a folder.")
            #expect(errors("/dev/null") == "outcrop: /dev/null: The path is not a folder.")
            #expect(errors("") == "outcrop: The path is empty, so it names no file.")
            let missing = errors(folder + "/no/Model")
            #expect(
                missing
                    == "outcrop: \(folder)/no/Model: The folder can't be created: the folder “\(folder)/no” doesn't exist."
            )
            #expect(errors(folder + "/file/Model").hasSuffix("“\(folder)/file” isn't a folder."))
            #expect(outcrop("generate", "swift", "nope", "-o", folder + "/x").errors.hasPrefix("outcrop: nope: "))
            #expect(outcrop("generate", "swift", Files.demo).status == .usage)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }

    @Test("a link to the output folder is followed and kept")
    func links() throws {
        try Checkout.withFolder { folder in
            let (link, real) = (folder + "/link", folder + "/real")
            try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
            #expect(outcrop("generate", "swift", Files.demo, "-o", link).status == .fine)
            #expect(try FileManager.default.contentsOfDirectory(atPath: real).count == 23)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real")
        }
    }
}
