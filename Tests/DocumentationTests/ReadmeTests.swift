// SPDX-License-Identifier: Apache-2.0

// README.md, compared with the program and the build.

import TestSupport
import Testing

@Suite("README.md")
struct ReadmeTests {
    private let page: Page

    init() throws {
        page = try Page("README.md")
    }

    @Test(
        "the Makefile targets that a page names exist",
        arguments: ["README.md", "CONTRIBUTING.md", "docs/operations.md"]
    )
    func makeTargets(path: String) throws {
        let makefile = try Checkout.text(of: "Makefile")
        let page = try Page(path)
        let targets = (page.code + page.blocks(in: "sh").map(\.text)).joined(separator: "\n")
            .matches(of: /\bmake ([a-z-]+)/).map { $0.1 }
        #expect(!targets.isEmpty)
        for target in targets { #expect(makefile.contains("\n\(target): "), "\(target)") }
    }

    @Test("the scripts that a page names exist", arguments: ["README.md", "CONTRIBUTING.md"])
    func scripts(path: String) throws {
        let scripts = try Page(path).blocks(in: "sh").map(\.text).joined(separator: "\n")
            .matches(of: /\b(?:sh|bash) ([\w.\/]+)/).map { String($0.1) }
        #expect(!scripts.isEmpty)
        for script in scripts { #expect(throws: Never.self) { try Checkout.text(of: script) } }
    }

    @Test("every example on a page is covered by a test")
    func examples() throws {
        // Console and Swift examples are tested on any page, the others only on these.
        let pages = [
            "sh": [
                "README.md", "CONTRIBUTING.md", "docs/access.md", "docs/accounts.md", "docs/configuration.md",
                "docs/tls.md",
            ] + TypedGuideTests.pages,
            "json": ["docs/access.md", "docs/accounts.md", "docs/model-format.md", "docs/webhooks.md"],
            "predicate": ["docs/predicates.md"], "xml": ["docs/engine.md"], "log": ["docs/sqlite-store.md"],
            "ini": ["docs/configuration.md"], "text": ["docs/access.md"],
            // By Trials/typescript.
            "ts": ["docs/typescript.md"],
        ]
        let consoles =
            TypedGuideTests.pages + [
                "docs/access.md", "docs/commands.md", "docs/core-data.md", "docs/editing-contexts.md",
                "docs/history.md",
                "docs/http-api.md", "docs/import-export.md", "docs/live-queries.md", "docs/migration.md",
                "docs/model-check.md", "docs/performance.md", "docs/predicates.md",
            ]
        for path in try Checkout.pages() {
            for block in try Page(path).blocks where block.language != "swift" {
                let tested = block.language == "console" ? consoles : pages[block.language] ?? []
                #expect(tested.contains(path), "\(path): \(block.language)")
            }
        }
    }

    @Test("README.md links the start page of docs")
    func startPage() {
        #expect(page.sections.contains { $0.lines.contains { $0.contains("](docs/README.md)") } })
    }
}
