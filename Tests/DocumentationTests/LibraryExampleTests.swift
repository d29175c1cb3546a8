// SPDX-License-Identifier: Apache-2.0

// Examples/Library/README.md, compared with the example that it describes.

import FoundationEssentials
import Outcrop
import Synchronization
import TestSupport
import Testing

@testable import LibraryExample

@Suite("Examples/Library/README.md")
struct LibraryExampleTests {
    private let page: Page

    init() throws {
        page = try Page("Examples/Library/README.md")
    }

    @Test("the example's README shows what the example prints")
    func output() async throws {
        let lines = Mutex<[String]>([])
        try await Library.run(modelPath: Checkout.path + "/Config/Demo.xcdatamodeld") { line in
            lines.withLock { $0.append(line) }
        }
        #expect(page.blocks(in: "text").map(\.lines) == [lines.withLock(\.self)])
    }

    @Test("the example's README shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }

    @Test("the example's README shows only code of the example")
    func code() throws {
        func trimmed(_ lines: some Sequence<some StringProtocol>) -> String {
            lines.map { $0.drop { $0 == " " } }.joined(separator: "\n")
        }
        let sources = try ["Main.swift", "Model/Post.swift"].map { file in
            trimmed(try Checkout.text(of: "Examples/Library/" + file).split(separator: "\n"))
        }
        let blocks = page.blocks(in: "swift")
        #expect(blocks.count > 3)
        for block in blocks {
            let code = trimmed(block.lines.filter { !$0.isEmpty })
            #expect(sources.contains { $0.contains(code) }, "\(block.text)")
        }
    }

    @Test("the example's README shows the predicate of each condition")
    func predicates() throws {
        func text(_ condition: (Keys<Post>) -> some PredicateConvertible) -> String {
            FetchRequest<Post>().where(condition).predicate?.description ?? ""
        }
        let texts = [
            text { $0.published && !$0.tags.isEmpty },
            FetchRequest<User>().where { $0.email == nil }.predicate?.description ?? "",
            text { $0.title.begins(with: "a", options: .caseInsensitive) },
            text { $0.views.isBetween(1...9) },
            text { $0.author.address.city == "Aarhus" },
            text { $0.tags.any.name == "swift" },
            text { $0.comments.contains { $0.isSpam } },
            text { $0.comments.sum(of: \.likes) > 9 },
        ]
        let rows = try #require(page.section("Questions")).rows
        #expect(rows.map { $0[1].codeSpans } == texts.map { [$0] })
        // The conditions above are those of the page, character by character.
        let source = try Checkout.text(of: "Tests/DocumentationTests/LibraryExampleTests.swift")
        for row in rows {
            for condition in row[0].codeSpans { #expect(source.contains("{ \(condition) }"), "\(condition)") }
        }
    }
}
