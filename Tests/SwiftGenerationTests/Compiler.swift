// SPDX-License-Identifier: Apache-2.0

// Runs the Swift compiler and its formatter over generated files.

import Foundation
import SwiftGeneration
import TestSupport

enum Compiler {
    /// What the modules of this package are compiled with, which generated code must bear, too.
    private static let settings = [
        "-swift-version", "6", "-warnings-as-errors", "-strict-memory-safety",
        "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "ImmutableWeakCaptures",
        "-enable-upcoming-feature", "InferIsolatedConformances", "-enable-upcoming-feature", "InternalImportsByDefault",
        "-enable-upcoming-feature", "MemberImportVisibility",
        "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
    ]

    /// Where the modules that the tests were built with are.
    private static let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "Modules").path

    /// What the compiler says of the types of files, as one module.
    static func check(_ files: [String], _ options: String...) throws -> String {
        try run(["swiftc", "-typecheck", "-I", modules] + Checkout.systemModules + settings + options + files)
    }

    /// What the parser says of files.
    static func parse(_ files: [String]) throws -> String {
        try run(["swiftc", "-frontend", "-parse"] + files)
    }

    /// What the formatter says of a folder by this project's rules.
    static func lint(_ folder: String) throws -> String {
        let rules = Checkout.path + "/.swift-format"
        return try run(["swift", "format", "lint", "-s", "-r", "--configuration", rules, folder])
    }

    /// Writes files into a folder, and returns their paths.
    static func write(_ generation: SwiftGeneration, to folder: String) throws -> [String] {
        try generation.files.map { file in
            let path = "\(folder)/\(file.name)"
            try Data(file.text.utf8).write(to: URL(filePath: path))
            return path
        }
    }

    /// What a tool prints; nothing if it is content.
    private static func run(_ words: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : text.isEmpty ? "It failed without a word." : text
    }
}
