// SPDX-License-Identifier: Apache-2.0

// The pages that lead to all others: docs/README.md for people, llms.txt for programs.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Start pages")
struct StartPageTests {
    @Test("docs/README.md links every page in docs")
    func pages() throws {
        let text = try Checkout.text(of: "docs/README.md")
        for path in try Checkout.pages() where path.hasPrefix("docs/") && path != "docs/README.md" {
            #expect(text.contains("](\(path.dropFirst("docs/".count)))"), "\(path)")
        }
    }

    @Test("llms.txt names every page, and nothing that isn't there")
    func forPrograms() throws {
        let text = try Checkout.text(of: "llms.txt")
        let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        for path in try Checkout.pages() where path != "CHANGELOG.md" { #expect(links.contains(path), "\(path)") }
        for link in links { #expect(FileManager.default.fileExists(atPath: Checkout.path + "/" + link), "\(link)") }
    }

    @Test("llms.txt begins with a title and a summary, as its convention says")
    func form() throws {
        let lines = try Checkout.text(of: "llms.txt").split(separator: "\n")
        #expect(lines[0] == "# Outcrop")
        #expect(lines[1].hasPrefix("> "))
        #expect(lines.filter { $0.hasPrefix("# ") }.count == 1)
    }
}
