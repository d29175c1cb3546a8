// SPDX-License-Identifier: Apache-2.0

// The engine's guide against the code that is compiled here.

import EngineGuide
import TestSupport
import Testing

@Suite("The engine's guide")
struct EngineGuideTests {
    static let page = "docs/engine.md"

    @Test("shows the code that is compiled, and no other")
    func text() throws {
        let shown = try Page(Self.page).blocks(in: "swift").map(\.text).filter { $0 != "import Outcrop" }
        let compiled = try ["Blog", "EngineGuide"].flatMap { try Self.segments("\($0).swift") }
        #expect(Set(shown) == Set(compiled))
        // Statements come in the order in which they are run.
        let statements = try Self.segments("EngineGuide.swift")
        #expect(shown.filter(statements.contains) == statements)
        #expect(shown.count == compiled.count)
    }

    @Test("prints what it says it prints")
    func output() async throws {
        let said = try Page(Self.page).blocks(in: "swift").flatMap(\.lines).compactMap { line in
            line.firstMatch(of: /print\(.*\)  \/\/ (.+)/).map { String($0.1) }
        }
        #expect(try await EngineGuide.run() == said)
        #expect(said.count > 20)
    }

    /// The code between marks, without its indentation.
    private static func segments(_ file: String) throws -> [String] {
        var segments: [String] = []
        var segment: [Substring]?
        var indentation = 0
        for line in try Checkout.text(of: "Tests/EngineGuide/\(file)").split(
            separator: "\n",
            omittingEmptySubsequences: false
        ) {
            if line.hasSuffix("// engine.md") {
                indentation = line.prefix { $0 == " " }.count
                segment = []
            } else if line.hasSuffix("// End"), let lines = segment {
                segments.append(lines.joined(separator: "\n"))
                segment = nil
            } else {
                segment?.append(line.dropFirst(indentation))
            }
        }
        return segments
    }
}
