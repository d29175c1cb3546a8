// SPDX-License-Identifier: Apache-2.0

// The articles of the library's documentation, compared with the code that is compiled here.

import EngineGuide
import FoundationEssentials
import TestSupport
import Testing

@Suite("Articles of the library")
struct LibraryArticleTests {
    static let catalogue = "Sources/Outcrop/Outcrop.docc/"
    static let articles = ["FirstSteps.md", "ContextsAndSaving.md", "BatchesAndHistory.md"]

    @Test("an article shows exactly the code that is compiled", arguments: articles)
    func text(article: String) throws {
        let shown = try Page(Self.catalogue + article).blocks(in: "swift").map(\.text)
        let compiled = try ["Shelf", "LibraryArticles"].flatMap { file in
            try MarkedCode.segments(of: "Tests/EngineGuide/\(file).swift", for: article)
        }
        #expect(shown == compiled)
        #expect(!shown.isEmpty)
    }

    @Test("the articles' code prints what they say")
    func output() async throws {
        let blocks = try Self.articles.flatMap { try Page(Self.catalogue + $0).blocks(in: "swift") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "outcrop-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await LibraryArticles.run(in: folder) == MarkedCode.outputs(in: blocks))
    }

    @Test("the landing page links each article")
    func landing() throws {
        let text = try Checkout.text(of: Self.catalogue + "Outcrop.md")
        for article in Self.articles { #expect(text.contains("<doc:\(article.dropLast(3))>"), "\(article)") }
    }
}
