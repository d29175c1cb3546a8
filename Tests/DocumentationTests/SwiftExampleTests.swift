// SPDX-License-Identifier: Apache-2.0

// The Swift examples of the pages against those that are compiled here.

import FoundationEssentials
import TestSupport
import Testing

@Suite("The Swift examples", .serialized)
struct SwiftExampleTests {
    @Test("are the ones that are compiled, apart from their imports", arguments: SwiftExample.allCases)
    func text(example: SwiftExample) throws {
        let shown = try Page(example.rawValue).blocks(in: "swift").map { block in
            block.lines.drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
        }
        #expect(try shown == [Self.compiled(example)])
    }

    @Test("print what they say they print", arguments: SwiftExample.allCases)
    func output(example: SwiftExample) throws {
        // Their paths start in the checkout. No other test minds which folder it is run in.
        #expect(FileManager.default.changeCurrentDirectoryPath(Checkout.path))
        let said = try Self.compiled(example).matches(of: /print\(.*\)  \/\/ (.+)/).map { String($0.1) }
        #expect(!said.isEmpty)
        #expect(try example.run() == said)
    }

    @Test("are all the Swift that the pages show")
    func pages() throws {
        for path in try Checkout.pages() where try !Page(path).blocks(in: "swift").isEmpty {
            #expect(SwiftExample(rawValue: path) != nil || path == EngineGuideTests.page, "\(path)")
        }
    }

    private static func compiled(_ example: SwiftExample) throws -> String {
        let lines = try Checkout.text(of: "Tests/DocumentationTests/SwiftExamples.swift")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.lastIndex { $0.hasSuffix("    // " + example.rawValue) })
        let end = try #require(lines[begin...].firstIndex { $0.hasSuffix("    // End") })
        return lines[(begin + 1)..<end].map { $0.dropFirst(12) }.joined(separator: "\n")
    }
}
