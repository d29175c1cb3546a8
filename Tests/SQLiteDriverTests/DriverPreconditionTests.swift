// SPDX-License-Identifier: Apache-2.0

// Programming errors, which trap.

import FoundationEssentials
import SQLiteDriver
import TestSupport
import Testing

@Suite("Preconditions")
struct DriverPreconditionTests {
    @Test("a write inside a write traps")
    func nestedWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Checkout.withFolder { folder in
                let database = try Database(path: folder + "/test.sqlite")
                try database.write { _ in
                    try FileManager.default.removeItem(atPath: folder)
                    try database.write { _ in }
                }
            }
        }
        try Self.expect("What is written must not itself ask for something to be written.", in: result)
    }

    @Test("reading an argument beyond a function's argument count traps", arguments: [false, true])
    func argumentIndex(isCached: Bool) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isCached] in
            let connection = try Connection(path: ":memory:")
            try connection.define(function: "f", arguments: 1) { arguments in
                isCached ? arguments.cached(1) { nil } : arguments.value(1)
            }
            try connection.execute("SELECT f(1)")
        }
        try Self.expect("There is no argument 1 among 1.", in: result)
    }

    private static func expect(_ text: String, in result: ExitTest.Result?) throws {
        let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(Checkout.isOptimized || output.contains(text))
    }
}
