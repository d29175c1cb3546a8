// SPDX-License-Identifier: Apache-2.0

// The engine's guide, compared with the code that is compiled here.

import EngineGuide
import TestSupport
import Testing

@Suite("Engine guide")
struct EngineGuideTests {
    static let page = "docs/engine.md"

    @Test("the engine guide shows exactly the code that is compiled")
    func text() throws {
        let shown = try Page(Self.page).blocks(in: "swift").map(\.text).filter { $0 != "import Outcrop" }
        let compiled = try ["Blog", "EngineGuide"].flatMap { try Self.segments("\($0).swift") }
        #expect(Set(shown) == Set(compiled))
        // Statements are shown in the order in which they run.
        let statements = try Self.segments("EngineGuide.swift")
        #expect(shown.filter(statements.contains) == statements)
        #expect(shown.count == compiled.count)
    }

    @Test("the engine guide's code prints what the guide says")
    func output() async throws {
        let said = MarkedCode.outputs(in: try Page(Self.page).blocks(in: "swift"))
        #expect(try await EngineGuide.run() == said)
        #expect(said.count > 20)
    }

    @Test("the engine guide shows an object of a store's file as it is written")
    func storeFile() throws {
        let shown = try Page(Self.page).blocks(in: "xml").map(\.lines)
        let lines = try Checkout.withFolder { folder in
            try EngineGuide.storeFile(in: folder).split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        }
        #expect(shown.count == 1)
        for line in shown.flatMap(\.self) { #expect(lines.contains(line.trimmingPrefix { $0 == " " })) }
    }

    @Test("the engine guide names every error code")
    func codes() throws {
        let source = try Checkout.text(of: "Sources/ObjectGraph/GraphError.swift")
        let codes = source.matches(of: /static let (\w+) = Code/).map { "`\($0.1)`" }
        let errors = try #require(try Page(Self.page).section("Errors")).lines.joined()
        #expect(codes.count > 10)
        for code in codes { #expect(errors.contains(code)) }
    }

    private static func segments(_ file: String) throws -> [String] {
        try MarkedCode.segments(of: "Tests/EngineGuide/\(file)", for: "engine.md")
    }
}
