// SPDX-License-Identifier: Apache-2.0

// Runs the Swift compiler and formatter on generated files.

import Foundation
import SwiftGeneration
import TestSupport

enum Compiler {
    /// The compiler settings of this package's modules, which generated code must satisfy.
    private static let settings = [
        "-swift-version", "6", "-warnings-as-errors", "-strict-memory-safety",
        "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "ImmutableWeakCaptures",
        "-enable-upcoming-feature", "InferIsolatedConformances", "-enable-upcoming-feature", "InternalImportsByDefault",
        "-enable-upcoming-feature", "MemberImportVisibility",
        "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
    ]

    /// The folder of the modules that the tests were built with.
    private static let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "Modules").path

    /// Type-checks files as one module, and returns the diagnostics.
    static func check(_ files: [String], _ options: String...) throws -> String {
        try run(["swiftc", "-typecheck", "-I", modules] + Checkout.systemModules + settings + options + files)
    }

    /// Parses files, and returns the diagnostics.
    static func parse(_ files: [String]) throws -> String {
        try run(["swiftc", "-frontend", "-parse"] + files)
    }

    /// Lints a folder with this project's rules, and returns the diagnostics.
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

    /// Returns a tool's output, which is empty if there are no diagnostics.
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
