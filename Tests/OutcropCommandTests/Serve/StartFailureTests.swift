// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("A server that can't start", .serialized)
struct StartFailureTests {
    private static let missing = ["--store", "sqlite:/nowhere/App.sqlite"]

    private func lines(_ text: String) throws -> [JSONValue] {
        try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    @Test(
        "with lines of JSON on the standard error, nothing else is written there",
        arguments: [missing, ["--page-size", "0"], ["--store", "memory:", "--listen", "203.0.113.1:8080"]]
    )
    func standardError(arguments: [String]) throws {
        let errors = try ServerProcess.refusal(arguments + ["--log-format", "json"])
        let failure = try #require(try lines(errors).last, "\(errors)")
        #expect(failure["event"] == "start" && failure["level"] == "error", "\(errors)")
        #expect(failure["message"]?.string?.isEmpty == false)
    }

    @Test("with a file for the log, it has the reason, and the standard error as well")
    func logFile() throws {
        try Checkout.withFolder { folder in
            let log = folder + "/log"
            let errors = try ServerProcess.refusal(Self.missing + ["--log-file", log, "--log-format", "json"])
            let failure = try #require(try lines(try String(contentsOfFile: log, encoding: .utf8)).last)
            #expect(failure["event"] == "start" && errors.hasPrefix("outcrop: "), "\(errors)")
        }
    }
}
