// SPDX-License-Identifier: Apache-2.0

// Runs the program in the tests' own process, and makes the files that it is run on.

import FoundationEssentials
import JSON
import TestSupport

@testable import OutcropCommand

/// Runs a command line as a script would.
func outcrop(_ words: String...) -> Program.Result {
    Program.run(words, on: .plain)
}

extension Program.Result {
    /// The output of `--json`.
    var json: JSONValue? { try? JSONValue(parsing: output) }
}

enum Files {
    static let root = Checkout.path
    static let demo = root + "/Config/Demo.xcdatamodeld"
    static let olderDemo = demo + "/Demo.xcdatamodel"

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
