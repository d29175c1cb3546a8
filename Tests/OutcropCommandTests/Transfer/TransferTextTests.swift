// SPDX-License-Identifier: Apache-2.0

// Tables, pipes and messages about files.

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Texts of imports and exports")
struct TransferTextTests {
    private static let model = #"""
        {"entities": {
          "Thing": {"attributes": {"name": "String?", "count": "Int64?", "price": "Decimal?", "weight": "Double?",
            "extra": "Transformable?", "shape": {"type": "Transformable?", "transformer": "OwnTransformer"},
            "plan": {"type": "Transformable", "transformer": "OwnTransformer"}}}
        }}
        """#

    private static func inFolder(_ body: (_ folder: String, _ model: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let text = model.replacing(
                #""plan": {"type": "Transformable", "#,
                with: #""plan": {"type": "Transformable?", "#
            )
            try Files.write(text, to: folder + "/Model.json")
            try body(folder, folder + "/Model.json")
        }
    }

    @Test(
        "a table preserves any value of a transformable attribute",
        arguments: ["{}", "[]", "{\"a\":{}}", "null", "\"\""]
    )
    func transformables(value: String) throws {
        try Self.inFolder { folder, model in
            try Files.write("{\"name\":\"a\",\"extra\":\(value)}\n", to: folder + "/a.ndjson")
            let stores = [folder + "/a.sqlite", folder + "/b.sqlite"]
            var arguments = ["--entity", "Thing", "--model", model]
            let made = Program.run(["import", stores[0], folder + "/a.ndjson"] + arguments, on: .plain)
            #expect(made.status == .fine, "\(made)")
            arguments.removeLast(2)
            let selection = ["--select", "name,extra"]
            _ = Program.run(["export", stores[0], "-o", folder + "/a.csv"] + arguments + selection, on: .plain)
            let again = Program.run(
                ["import", stores[1], folder + "/a.csv", "--model", model, "--no-keep-ids"] + arguments,
                on: .plain
            )
            #expect(again.status == .fine, "\(again)")
            let texts = stores.map { Program.run(["export", $0] + arguments + selection, on: .plain).output }
            #expect(texts[0] == texts[1] && texts[0].contains("\"extra\":\(value)"))
        }
    }

    @Test("with semicolons, a number with a point and three digits is refused as ambiguous")
    func thousands() throws {
        try Self.inFolder { folder, model in
            let lines = "name;count;price;weight\na;1.000;;\nb;;12.345;\nc;;;-1.500\n1.000;1000;1,25;0.5\ne;x;1.000;\n"
            try Files.write(lines, to: folder + "/a.csv")
            let store = folder + "/a.sqlite"
            let tried = outcrop(
                "import",
                store,
                folder + "/a.csv",
                "--entity",
                "Thing",
                "--model",
                model,
                "--dry-run",
                "--json"
            )
            let bad = tried.json?["badLines"]?.array ?? []
            #expect(bad.compactMap { $0["line"]?.int64 } == [2, 3, 4, 6], "\(tried)")
            #expect(bad.compactMap { $0["property"]?.string } == ["count", "price", "weight", "price"])
            #expect(bad[0]["message"]?.string?.contains("“1.000” may be thousands or a fraction") == true)
            let stopped = outcrop("import", store, folder + "/a.csv", "--entity", "Thing", "--model", model)
            #expect(stopped.output.contains("a.csv:2: count: "), "\(stopped)")
            try Files.write("name,count,price\na,,1.000\n", to: folder + "/b.csv")
            #expect(outcrop("import", store, folder + "/b.csv", "--entity", "Thing", "--model", model).status == .fine)
        }
    }

    @Test("demo data with an app's own transformers can be imported again")
    func ownTransformers() throws {
        try Checkout.withFolder { folder in
            try Files.write(Self.model, to: folder + "/Model.json")
            let made = outcrop("demo-data", folder + "/a.sqlite", "--model", folder + "/Model.json", "--count", "50")
            #expect(made.status == .fine, "\(made)")
            #expect(outcrop("export", folder + "/a.sqlite", "-o", folder + "/a.ndjson").status == .fine)
            let done = outcrop(
                "import",
                folder + "/b.sqlite",
                folder + "/a.ndjson",
                "--model",
                folder + "/Model.json",
                "--no-keep-ids"
            )
            #expect(done.status == .fine, "\(done)")
            let texts = ["a", "b"].map { outcrop("export", "\(folder)/\($0).sqlite").output }
            #expect(texts[0] == texts[1] && texts[0].contains("\"plan\":\""))
        }
    }

    @Test("a graph with many relationships can be exported")
    func manyRelationships() throws {
        try Checkout.withFolder { folder in
            let names = (1...25).map { "r\($0)" }
            let relationships = names.map { "\"\($0)\": {\"toMany\": \"Hub\", \"inverse\": \"\($0)\"}" }
            let model = "{\"entities\": {\"Hub\": {\"relationships\": {\(relationships.joined(separator: ", "))}}}}"
            try Files.write(model, to: folder + "/Model.json")
            let members = names.map { "\"\($0)\":[\"b\"]" }.joined(separator: ",")
            try Files.write(
                "{\"_id\":\"a\",\"_entity\":\"Hub\",\(members)}\n{\"_id\":\"b\",\"_entity\":\"Hub\"}\n",
                to: folder + "/a.ndjson"
            )
            let store = folder + "/a.sqlite"
            let done = outcrop("import", store, folder + "/a.ndjson", "--model", folder + "/Model.json")
            #expect(done.status == .fine, "\(done)")
            let exported = outcrop("export", store)
            #expect(exported.status == .fine && exported.output.contains("\"r25\":[\""), "\(exported)")
        }
    }

    @Test("an export counts its objects, whatever their texts contain, and writes to the standard output for -")
    func counts() throws {
        try Self.inFolder { folder, model in
            try Files.write("{\"name\":\"a\\nb\\n\\\"c\\\"\\n\"}\n{\"name\":\"d\"}\n", to: folder + "/a.ndjson")
            let store = folder + "/a.sqlite"
            _ = outcrop("import", store, folder + "/a.ndjson", "--entity", "Thing", "--model", model)
            for name in ["a.csv", "b.ndjson"] {
                let result = outcrop("export", store, "--entity", "Thing", "-o", "\(folder)/\(name)")
                #expect(result.output.contains(": 2 objects."), "\(result)")
            }
            let written = outcrop("export", store, "--entity", "Thing", "-o", "-")
            #expect(written.output == outcrop("export", store, "--entity", "Thing").output)
        }
    }

    @Test("streamed output is unchanged, even for lines that end in CR and LF")
    func streamed() throws {
        let binary = try #require(ServerProcess.binary)
        try Self.inFolder { folder, model in
            let lines = ["a\r\nb", "c\n\nd", "e", "\r\n"].map {
                JSONValue.object(["name": .string($0)]).serialized() + "\n"
            }
            try Files.write(lines.joined(), to: folder + "/a.ndjson")
            let store = folder + "/a.sqlite"
            _ = outcrop("import", store, folder + "/a.ndjson", "--entity", "Thing", "--model", model)
            for format in ["csv", "ndjson"] {
                let arguments = ["export", store, "--entity", "Thing", "--format", format]
                let file = "\(folder)/out.\(format)"
                #expect(Program.run(arguments + ["-o", file], on: .plain).status == .fine)
                let process = Process()
                process.executableURL = binary
                process.arguments = arguments
                let pipe = Pipe()
                process.standardOutput = pipe
                try process.run()
                let written = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(try written == Data(contentsOf: URL(filePath: file)))
            }
        }
    }

    @Test("invalid JSON is reported on its own line")
    func noJSON() throws {
        try Self.inFolder { folder, model in
            for (text, line) in [
                ("{\"name\":\"a\"}\n{\"name\":\"b\",}\n", 2),
                ("{\"name\":\"a\"}\n{\"name\":\"b\"\n{\"name\":\"c\"}\n", 2),
            ] {
                try Files.write(text, to: folder + "/a.ndjson")
                for option in ["--dry-run", "--no-progress"] {
                    let arguments = ["--entity", "Thing", "--model", model, option]
                    let result = Program.run(
                        ["import", folder + "/a.sqlite", folder + "/a.ndjson"] + arguments,
                        on: .plain
                    )
                    #expect(result.output.contains("a.ndjson:\(line): column "), "\(result)")
                    #expect(result.output.contains("(json)") && !result.output.contains("body"), "\(result)")
                }
            }
        }
    }

    @Test("a line of 17 MB can be imported")
    func longLine() throws {
        try Self.inFolder { folder, model in
            let text = String(repeating: "x", count: 17 << 20)
            try Files.write("{\"name\":\"a\"}\n{\"name\":\"\(text)\"}\n", to: folder + "/a.ndjson")
            let store = folder + "/a.sqlite"
            let done = outcrop("import", store, folder + "/a.ndjson", "--entity", "Thing", "--model", model)
            #expect(done.output.hasPrefix("Imported 2 objects"), "\(done)")
        }
    }

    @Test("a missing temporary folder for piped input is named")
    func temporaryFolder() throws {
        let binary = try #require(ServerProcess.binary)
        try Self.inFolder { folder, model in
            let process = Process()
            process.executableURL = binary
            process.arguments = ["import", folder + "/a.sqlite", "-", "--entity", "Thing", "--model", model]
            process.environment = ["TMPDIR": folder + "/none"]
            process.standardInput = FileHandle.nullDevice
            let pipe = Pipe()
            process.standardError = pipe
            try process.run()
            let errors = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(errors.contains("\(folder)/none: ") && errors.contains("there is no such folder"), "\(errors)")
            #expect(errors.contains("TMPDIR"), "\(errors)")
        }
    }

    @Test("piped input is read like a file, and a missing file is reported")
    func pipes() throws {
        try Self.inFolder { folder, model in
            let store = folder + "/a.sqlite"
            let missing = outcrop("import", store, folder + "/no.csv", "--entity", "Thing", "--model", model)
            #expect(
                missing.errors.contains("no.csv") && missing.errors.contains("the file doesn't exist"),
                "\(missing)"
            )
            let binary = try #require(ServerProcess.binary)
            let text = (1...3_000).map { "{\"_id\":\"t\($0)\",\"_entity\":\"Thing\",\"name\":\"a\"}\n" }.joined()
            try Files.write(text, to: folder + "/a.ndjson")
            for file in ["-", "/dev/stdin"] {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                let command = "cat '\(folder)/a.ndjson' | '\(binary.path)' import '\(store)' \(file) --model '\(model)'"
                process.arguments = ["-c", command]
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            #expect(outcrop("export", store).output.split(separator: "\n").count == 6_000)
        }
    }

    @Test("Ctrl-C ends an import after a chunk, and an export without leaving a file")
    func interruption() throws {
        let binary = try #require(ServerProcess.binary)
        try Self.inFolder { folder, model in
            let text = (1...20_000).map { "{\"_id\":\"t\($0)\",\"_entity\":\"Thing\",\"name\":\"a\"}\n" }.joined()
            try Files.write(text, to: folder + "/a.ndjson")
            let store = folder + "/a.sqlite"
            func interrupted(_ arguments: [String], after isReady: () -> Bool) throws -> String {
                let process = Process()
                process.executableURL = binary
                process.arguments = arguments
                let pipe = Pipe()
                process.standardError = pipe
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                while process.isRunning, !isReady() { usleep(5_000) }
                process.interrupt()
                let errors = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                #expect(process.terminationStatus == (errors.contains("interrupted") ? 130 : 0))
                return errors
            }
            let arguments = ["import", store, folder + "/a.ndjson", "--model", model]
            // An import in small chunks takes long enough.
            let told = try interrupted(arguments + ["--chunk", "1"]) {
                let size = try? FileManager.default.attributesOfItem(atPath: store + "-wal")[.size] as? Int
                return size ?? 0 > 200_000
            }
            #expect(
                told.contains("The import was interrupted after ") && told.contains("continues after them"),
                "\(told)"
            )
            let rest = Program.run(arguments, on: .plain)
            #expect(rest.status == .fine && rest.output.contains("had been imported before"), "\(rest)")
            var export = ""
            // An export may end before it is interrupted.
            for _ in 1...20 where !export.contains("interrupted") {
                try? FileManager.default.removeItem(atPath: folder + "/b.ndjson")
                export = try interrupted(["export", store, "-o", folder + "/b.ndjson"]) {
                    FileManager.default.fileExists(atPath: folder + "/b.ndjson.part")
                }
            }
            #expect(export.contains("interrupted"), "\(export)")
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!left.contains { $0.hasPrefix("b.ndjson") }, "\(left)")
        }
    }
}
