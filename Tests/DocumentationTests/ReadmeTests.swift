// SPDX-License-Identifier: Apache-2.0

// README.md, compared with the program and the build.

import FoundationEssentials
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("README.md")
struct ReadmeTests {
    private let page: Page

    init() throws {
        page = try Page("README.md")
    }

    @Test("README.md shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }

    @Test("the picture of the demo model is the one that the program draws")
    func diagram() throws {
        #expect(page.blocks(in: "console").contains { $0.text.contains("outcrop model diagram") })
        try Checkout.withFolder { folder in
            let path = folder + "/Demo.svg"
            let words = ["model", "diagram", Checkout.path + "/Config/Demo.xcdatamodeld", "-o", path]
            #expect(Program.run(words, on: .plain).status == .fine)
            // Compared as a Boolean, since a report of how two pictures differ takes minutes.
            let isTheSame =
                try String(contentsOfFile: path, encoding: .utf8) == Checkout.text(of: "docs/images/demo.svg")
            #expect(isTheSame, "docs/images/demo.svg is to be drawn anew.")
        }
    }

    @Test("the Makefile targets that a page names exist", arguments: ["README.md", "CONTRIBUTING.md"])
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
            ],
            "json": ["docs/access.md", "docs/accounts.md", "docs/model-format.md", "docs/webhooks.md"],
            "predicate": ["docs/predicates.md"], "xml": ["docs/engine.md"], "log": ["docs/sqlite-store.md"],
            "ini": ["docs/configuration.md"],
            // By Trials/typescript.
            "ts": ["docs/typescript.md"],
        ]
        let consoles = [
            "README.md", "docs/access.md", "docs/commands.md", "docs/editing-contexts.md", "docs/history.md",
            "docs/http-api.md",
            "docs/import-export.md",
            "docs/live-queries.md", "docs/migration.md", "docs/model-check.md", "docs/performance.md",
            "docs/predicates.md",
        ]
        for path in try Checkout.pages() {
            for block in try Page(path).blocks where block.language != "swift" {
                let tested = block.language == "console" ? consoles : pages[block.language] ?? []
                #expect(tested.contains(path), "\(path): \(block.language)")
            }
        }
    }

    @Test("README.md links every page in docs")
    func pages() throws {
        for path in try Checkout.pages() where path.hasPrefix("docs/") {
            #expect(page.sections.contains { $0.lines.contains { $0.contains("](\(path))") } }, "\(path)")
        }
    }
}
