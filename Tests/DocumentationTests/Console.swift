// SPDX-License-Identifier: Apache-2.0

// Runs the console commands of a page in order, and compares their output with the page.

import FoundationEssentials
import TestSupport
import Testing

@testable import OutcropCommand

/// A folder with the demo model in it, and the program in the tests' own process.
///
/// Besides `outcrop`, optionally with `> FILE`, it supports `echo $?` and `cat FILE`, which also creates a missing file
/// with the contents that the page shows.
struct Console {
    struct Command {
        let line: String
        fileprivate(set) var shown: [String] = []
    }

    private let folder: String
    private var status = ReportStatus.fine

    /// Expects that all console blocks of a page show the real output.
    static func expectOutputs(of page: Page) throws {
        let commands = page.blocks(in: "console").flatMap(commands)
        #expect(!commands.isEmpty, "\(page.path) shows no command.")
        try Checkout.withFolder { folder in
            try FileManager.default.copyItem(atPath: Checkout.path + "/Config", toPath: folder + "/Config")
            var console = Console(folder: folder)
            for command in commands {
                let printed = try console.run(command)
                #expect(printed == command.shown.joined(separator: "\n"), "\(page.path): \(command.line)")
            }
        }
    }

    /// The commands of a block; a backslash at the end continues a command on the next line.
    static func commands(in block: Page.Block) -> [Command] {
        var commands: [Command] = []
        for line in block.lines {
            if line.hasPrefix("$ ") {
                commands.append(Command(line: String(line.dropFirst(2))))
            } else if let last = commands.last, last.shown.isEmpty, last.line.hasSuffix("\\") {
                commands[commands.count - 1] = Command(line: last.line.dropLast() + line)
            } else if commands.isEmpty {
                Issue.record("A console block begins with “\(line)”, which is no command.")
            } else {
                commands[commands.count - 1].shown.append(line)
            }
        }
        return commands
    }

    private init(folder: String) {
        self.folder = folder
    }

    private mutating func run(_ command: Command) throws -> String {
        var words = Self.words(of: command.line)
        switch words.removeFirst() {
        case "outcrop": return try run(words)
        case "echo" where words == ["$?"]: return "\(status.rawValue)"
        case "cat" where words.count == 1:
            let file = folder + "/" + words[0]
            if !FileManager.default.fileExists(atPath: file) {
                try Data((command.shown.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
            }
            return try String(contentsOfFile: file, encoding: .utf8).withoutLastLineBreak
        default:
            Issue.record("“\(command.line)” can't be run here.")
            return ""
        }
    }

    private mutating func run(_ words: [String]) throws -> String {
        var words = words
        var target: String?
        if let index = words.firstIndex(of: ">") {
            target = words[index + 1]
            words.removeSubrange(index...)
        }
        let result = Program.run(paths(in: words), on: .plain)
        status = result.status
        if let target {
            try Data(result.output.utf8).write(to: URL(filePath: folder + "/" + target))
            return result.errors.withoutLastLineBreak.replacing(folder + "/", with: "")
        }
        // Lines of CSV end with CR and LF, those of a page with LF.
        let texts = [result.output, result.errors].filter { !$0.isEmpty }.map {
            $0.replacing("\r\n", with: "\n").withoutLastLineBreak
        }
        return texts.joined(separator: "\n").replacing(folder + "/", with: "")
    }

    /// The extensions of stores, whose files commands can create.
    private static let stores = [".sqlite", ".xml", ".bin", ".txt"]

    /// The words, with paths in the folder made absolute.
    private func paths(in words: [String]) -> [String] {
        zip(words, [""] + words).map { word, previous in
            let isPath =
                ["-o", "--output", "init", "man"].contains(previous) || Self.stores.contains { word.hasSuffix($0) }
                || FileManager.default.fileExists(atPath: "\(folder)/\(word)")
            return isPath ? "\(folder)/\(word)" : word
        }
    }

    /// The words of a command line, split as a shell does with both kinds of quotes.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch (character, quote) {
            case (let character, let open?) where character == open: quote = nil
            case ("'", nil), ("\"", nil): (quote, word) = (character, word ?? "")
            case (" ", nil):
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }
}

extension String {
    fileprivate var withoutLastLineBreak: String { last == "\n" ? String(dropLast()) : self }
}
