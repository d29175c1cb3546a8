// SPDX-License-Identifier: Apache-2.0

// The guides that start from an empty folder, typed into a shell with the built program.

import Foundation
import TestSupport
import Testing

@Suite("Guides that start from an empty folder", .serialized)
struct TypedGuideTests {
    static let pages = ["docs/quickstart.md", "docs/tutorial.md"]

    /// The program as built with the tests. A build for some test targets alone calls it by its target's name.
    private static let program = ProcessInfo.processInfo.arguments.lazy
        .filter { $0.hasSuffix(".xctest") }
        .flatMap { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
            return ["outcrop", "OutcropCommand"].map { folder.appending(path: $0).path }
        }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("a shell prints what the page shows", arguments: pages)
    func session(page: String) throws {
        let program = try #require(Self.program, "The program was not built beside the tests.")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Checkout.path + "/Trials/guides", program, page]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }

    @Test("the trial types these pages")
    func trial() throws {
        let list = Self.pages.map { "\"\($0)\"" }.joined(separator: ", ")
        #expect(try Checkout.text(of: "Trials/guides").contains("PAGES = [\(list)]"))
    }
}
