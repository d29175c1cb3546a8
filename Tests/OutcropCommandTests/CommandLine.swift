// SPDX-License-Identifier: Apache-2.0

// Running the program in the tests' own process, and the files it is run on.

import FoundationEssentials
import JSON

@testable import OutcropCommand

/// Runs a command line as a script would.
func outcrop(_ words: String...) -> Program.Result {
    Program.run(words, on: .plain)
}

extension Program.Result {
    /// What `--json` printed.
    var json: JSONValue? { try? JSONValue(parsing: output) }
}

enum Files {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let demo = root + "/Config/Demo.xcdatamodeld"
    static let olderDemo = demo + "/Demo.xcdatamodel"

    /// Hands a new folder to a test, and removes it afterwards.
    static func withFolder<T>(_ body: (String) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
