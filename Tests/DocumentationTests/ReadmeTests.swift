// SPDX-License-Identifier: Apache-2.0

// README.md against the program and the build.

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

    @Test("shows what the program prints")
    func console() throws {
        try Console.expectOutputs(of: page)
    }

    @Test("has a picture of the demo model that is what the program draws")
    func diagram() throws {
        #expect(page.blocks(in: "console").contains { $0.text.contains("outcrop model diagram") })
        try Checkout.withFolder { folder in
            let path = folder + "/Demo.svg"
            let words = ["model", "diagram", Checkout.path + "/Config/Demo.xcdatamodeld", "-o", path]
            #expect(Program.run(words, on: .plain).status == .fine)
            // Compared as a Boolean, since showing how two pictures differ takes minutes.
            let isTheSame =
                try String(contentsOfFile: path, encoding: .utf8) == Checkout.text(of: "docs/images/demo.svg")
            #expect(isTheSame, "docs/images/demo.svg is to be drawn anew.")
        }
    }

    @Test("names targets that the Makefile has", arguments: ["README.md", "CONTRIBUTING.md"])
    func makeTargets(path: String) throws {
        let makefile = try Checkout.text(of: "Makefile")
        let page = try Page(path)
        let targets = (page.code + page.blocks(in: "sh").map(\.text)).joined(separator: "\n")
            .matches(of: /\bmake ([a-z-]+)/).map { $0.1 }
        #expect(!targets.isEmpty)
        for target in targets { #expect(makefile.contains("\n\(target): "), "\(target)") }
    }

    @Test("names scripts that there are", arguments: ["README.md", "CONTRIBUTING.md"])
    func scripts(path: String) throws {
        let scripts = try Page(path).blocks(in: "sh").map(\.text).joined(separator: "\n")
            .matches(of: /\b(?:sh|bash) ([\w.\/]+)/).map { String($0.1) }
        #expect(!scripts.isEmpty)
        for script in scripts { #expect(throws: Never.self) { try Checkout.text(of: script) } }
    }

    @Test("shows, as every page does, no example that no test looks at")
    func examples() throws {
        // Console and Swift examples are looked at on any page, the others where they are.
        let pages = [
            "sh": ["README.md", "CONTRIBUTING.md", "docs/configuration.md"], "json": ["docs/model-format.md"],
            "predicate": ["docs/predicates.md"], "xml": ["docs/engine.md"], "log": ["docs/sqlite-store.md"],
            "ini": ["docs/configuration.md"],
        ]
        let consoles = [
            "README.md", "docs/commands.md", "docs/editing-contexts.md", "docs/http-api.md", "docs/import-export.md",
            "docs/model-check.md",
            "docs/predicates.md",
        ]
        for path in try Checkout.pages() {
            for block in try Page(path).blocks where block.language != "swift" {
                let tested = block.language == "console" ? consoles : pages[block.language] ?? []
                #expect(tested.contains(path), "\(path): \(block.language)")
            }
        }
    }

    @Test("links every page in docs")
    func pages() throws {
        for path in try Checkout.pages() where path.hasPrefix("docs/") {
            #expect(page.sections.contains { $0.lines.contains { $0.contains("](\(path))") } }, "\(path)")
        }
    }
}
