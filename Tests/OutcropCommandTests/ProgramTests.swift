// SPDX-License-Identifier: Apache-2.0

import Arguments
import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Outcrop program")
struct ProgramTests {
    @Test("the program's declaration has no flaws")
    func declaration() {
        #expect(Program.command.flaws == [])
    }

    @Test("every command has a help page")
    func help() {
        for node in Program.command.nodes {
            let result = Program.run(Array(node.path.dropFirst()) + ["--help"], on: .plain)
            #expect(result.status == .fine && result.output.hasPrefix("Usage: \(node)"))
        }
    }

    @Test("help is a subcommand of each group", arguments: [["model", "help"], ["model", "help", "check"]])
    func helpInGroups(words: [String]) {
        let path = words.filter { $0 != "help" }
        #expect(Program.run(words, on: .plain).output == Program.run(["help"] + path, on: .plain).output)
        #expect(Program.run(words, on: .plain).output.hasPrefix("Usage: outcrop \(path.joined(separator: " ")) "))
    }

    @Test("help pages state only once that an option may be repeated")
    func repeated() {
        for node in Program.command.nodes {
            for declaration in node.own { #expect(!declaration.summary.lowercased().contains("repeat"), "\(node)") }
        }
    }

    @Test(
        "a mistyped command or option gets the nearest one as a hint, and the exit code is 2",
        arguments: [
            (["modle"], "“model”"), (["model", "chekc"], "“check”"), (["model", "check", "--jsno", "x"], "“--json”"),
            (["model", "check"], "PATH"), (["completions", "tcsh"], "bash"),
        ]
    )
    func usage(words: [String], part: String) {
        let result = Program.run(words, on: .plain)
        #expect(result.status == .usage && result.output.isEmpty)
        #expect(result.errors.contains(part), "\(result.errors)")
    }

    @Test("failures are JSON with --json")
    func failuresAsJSON() {
        let result = outcrop("model", "show", "/nowhere", "--json")
        #expect(result.status == .problems)
        #expect(result.json?["error"]?["message"]?.string?.contains("doesn't exist") == true)
    }

    @Test("output is styled only for a terminal that supports it")
    func styles() {
        let words = ["model", "show", Files.demo]
        #expect(!Program.run(words, on: .plain).output.contains("\u{1B}"))
        #expect(Program.run(words, on: Terminal(width: 80, isStyled: true)).output.contains("\u{1B}[1mPost\u{1B}[0m"))
    }

    @Test("control characters from a model, a path or a predicate are escaped in the output", arguments: [true, false])
    func controlCharacters(isStyled: Bool) throws {
        let terminal = Terminal(width: 80, isStyled: isStyled)
        try Checkout.withFolder { folder in
            let path = folder + "/a\u{1B}[8mb.json"
            try Files.write(
                #"{"entities": {"A\u001b[2J": {"attributes": {"x\u009b\n": "String", "y": "S\u202e"}}}}"#,
                to: path
            )
            let other = folder + "/b.json"
            try Files.write(#"{"entities": {"B\u001b]0;x\u0007": {"attributes": {"z\r": "String"}}}}"#, to: other)
            for words in [
                ["model", "check", path], ["model", "show", path], ["model", "show", other],
                ["model", "show", folder + "/\u{1B}"], ["model", "diff", Files.demo, other],
                ["model", "diagram", other, "-o", folder + "/\u{1B}.svg"],
                ["predicate", "check", "a == '\u{1B}[2J'"], ["predicate", "check", "a \u{1B}[2J"],
                ["predicate", "check", "a == 1", "--model", other, "--entity", "\u{1B}"],
            ] {
                let result = Program.run(words, on: terminal)
                let text = (result.output + result.errors).replacing(/\u{1B}\[(0|1|2|31|32|33|36)m/, with: "")
                let tricks = text.unicodeScalars.filter {
                    $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
                }
                #expect(tricks.isEmpty && (text.contains("\\u{1b}") || text.contains("\\x1b")), "\(words): \(text)")
            }
        }
    }

    @Test("completion scripts include the commands", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) {
        let script = outcrop("completions", shell).output
        #expect(script.contains("diagram") && script.contains("predicate"))
    }

    /// The program as built with the tests.
    private static let binary = ProcessInfo.processInfo.arguments.lazy
        .filter { $0.hasSuffix(".xctest") }
        .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "outcrop") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    @Test("the process writes to its outputs, exits with its status, and survives a closed pipe")
    func process() throws {
        let binary = try #require(Self.binary, "The program was not built beside the tests.")
        let process = Process()
        process.executableURL = binary
        process.arguments = ["predicate", "check", "a = 1"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "a == 1\n")

        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = [
            "-c", "\"$0\" model show \"$1\" | head -n 1; exit ${PIPESTATUS[0]}", binary.path, Files.demo,
        ]
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
    }

    @Test("the process reports a closed output and exits with 1")
    func closedOutput() throws {
        try expectFailure(of: #""$0" model show "$1" --json >&-"#, reason: "it is closed")
    }

    @Test(
        "the process reports an output at its size limit and exits with 1",
        .disabled(if: ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] != nil, "sanitizers need large files")
    )
    func fullOutput() throws {
        let script = #"ulimit -f 1; "$0" model show "$1" --json > "$2""#
        try expectFailure(of: script, reason: "the file would exceed the size limit")
    }

    private func expectFailure(of script: String, reason: String) throws {
        let binary = try #require(Self.binary, "The program was not built beside the tests.")
        try Checkout.withFolder { folder in
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/bash")
            shell.arguments = ["-c", script, binary.path, Files.demo, folder + "/out"]
            let errors = Pipe()
            shell.standardError = errors
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 1)
            let message = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            #expect(message == "outcrop: The output can't be written: \(reason).\n")
        }
    }
}
