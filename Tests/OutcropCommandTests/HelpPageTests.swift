// SPDX-License-Identifier: Apache-2.0

// Help and manual pages of the program.

import Arguments
import Foundation
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Help and manual pages")
struct HelpPageTests {
    @Test("each help page fits on a screen, and --help-all has every option")
    func screens() {
        for node in Program.command.nodes {
            let words = Array(node.path.dropFirst())
            let page = Program.run(words + ["--help"], on: .plain).output
            #expect(page.split(separator: "\n", omittingEmptySubsequences: false).count <= 41, "\(node)\n\(page)")
            let whole = Program.run(words + ["--help-all"], on: .plain).output
            for declaration in node.own { #expect(whole.contains(declaration.spelling), "\(node)") }
            let isWhole = page == whole
            #expect(isWhole || page.contains("--help-all"), "\(node)")
        }
    }

    @Test("man writes a page for each command, which groff and mandoc find nothing wrong with")
    func manualPages() throws {
        try Checkout.withFolder { parent in
            let folder = parent + "/man1"
            let nodes = Program.command.nodes
            #expect(outcrop("man", folder).output == "Wrote \(nodes.count) pages to \(folder).")
            let names = nodes.map { $0.path.joined(separator: "-") + ".1" }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names.sorted())
            let paths = names.map { folder + "/" + $0 }
            let (groff, complaints) = try Self.run(["groff", "-ww", "-z", "-man", "-Tutf8"] + paths)
            #expect(groff == 127 || complaints.isEmpty, "\(complaints)")
            let (mandoc, findings) = try Self.run(["mandoc", "-Tlint", "-Wwarning"] + paths)
            // The pages have no date, so that they are the same at each build.
            let others = findings.split(separator: "\n").filter { !$0.contains("missing date") }
            #expect(mandoc == 127 || others.isEmpty, "\(others)")
        }
    }

    /// Runs a command, and returns its status, 127 if it isn't installed, and what it printed.
    private static func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
