// SPDX-License-Identifier: Apache-2.0

// The links of all pages.

import FoundationEssentials
import TestSupport
import Testing

@Suite("Links of the pages")
struct LinkTests {
    @Test("a page's links point at existing files and sections", arguments: try Checkout.pages())
    func targets(path: String) throws {
        let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        for section in try Page(path).sections {
            for link in section.lines.joined(separator: "\n").matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) })
            where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let file = parts[0].isEmpty ? path : folder + parts[0]
                guard FileManager.default.fileExists(atPath: Checkout.path + "/" + file) else {
                    Issue.record("\(path) links \(link), which is not there.")
                    continue
                }
                guard parts.count == 2 else { continue }
                let anchors = try Page(file).sections.map(\.heading.anchor)
                #expect(anchors.contains(parts[1]), "\(path) links \(link), and there is no such section.")
            }
        }
    }

    @Test("the checked pages are those of the checkout's folder and of docs")
    func pages() throws {
        let pages = try Checkout.pages()
        #expect(pages.contains("README.md") && pages.contains("docs/commands.md") && pages.count > 7)
    }
}

extension Checkout {
    /// The paths of all Markdown pages, in the checkout's folder and in docs.
    static func pages() throws -> [String] {
        try ["", "docs/"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)
                .filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
        }
    }
}

extension String {
    /// The anchor of a heading, which a link has after `#`.
    fileprivate var anchor: String {
        String(lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil })
    }
}
