// SPDX-License-Identifier: Apache-2.0

// The pages' Swift examples, compared with those that are compiled here.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Swift examples", .serialized)
struct SwiftExampleTests {
    @Test("a page's Swift examples are the compiled ones, apart from their imports", arguments: SwiftExample.allCases)
    func text(example: SwiftExample) throws {
        let shown = try Page(example.rawValue).blocks(in: "swift").map { block in
            block.lines.drop { $0.hasPrefix("import ") || $0.isEmpty }.joined(separator: "\n")
        }
        #expect(try shown == [Self.compiled(example)])
    }

    @Test("a Swift example prints what its comments say", arguments: SwiftExample.allCases)
    func output(example: SwiftExample) throws {
        // Their paths start in the checkout. No other test depends on the current folder.
        #expect(FileManager.default.changeCurrentDirectoryPath(Checkout.path))
        let said = try Self.compiled(example).matches(of: /print\(.*\)  \/\/ (.+)/).map { String($0.1) }
        #expect(!said.isEmpty)
        #expect(try example.run() == said)
    }

    @Test("every page with Swift code has compiled examples")
    func pages() throws {
        for path in try Checkout.pages() where try !Page(path).blocks(in: "swift").isEmpty {
            let isElsewhere = [EngineGuideTests.page, AppExampleTests.page].contains(path)
            #expect(SwiftExample(rawValue: path) != nil || isElsewhere, "\(path)")
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
