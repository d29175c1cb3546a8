// SPDX-License-Identifier: Apache-2.0

// A page of the documentation, split into sections, code blocks, code spans and tables.

import TestSupport

struct Page: Sendable {
    struct Section: Sendable {
        let heading: String
        fileprivate(set) var lines: [String] = []
    }

    struct Block: Sendable {
        let language: String
        fileprivate(set) var lines: [String] = []

        var text: String { lines.joined(separator: "\n") }
    }

    let path: String
    private(set) var blocks: [Block] = []
    /// The text outside code blocks, by heading; the text before the first heading has an empty one.
    private(set) var sections = [Section(heading: "")]

    /// Reads a page by its path in the checkout.
    init(_ path: String) throws {
        self.path = path
        var isCode = false
        for line in try Checkout.text(of: path).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode.toggle()
                if isCode { blocks.append(Block(language: String(line.dropFirst(3)))) }
            } else if isCode {
                blocks[blocks.count - 1].lines.append(String(line))
            } else if line.hasPrefix("#") {
                sections.append(Section(heading: line.drop { $0 == "#" }.trimmed))
            } else {
                sections[sections.count - 1].lines.append(String(line))
            }
        }
    }

    func section(_ heading: String) -> Section? {
        sections.first { $0.heading == heading }
    }

    func blocks(in language: String) -> [Block] {
        blocks.filter { $0.language == language }
    }

    /// The code spans of the page.
    var code: [String] { sections.flatMap(\.code) }
}

extension Page.Section {
    var code: [String] { lines.flatMap(\.codeSpans) }

    /// The rows of its tables, without their heads.
    var rows: [[String]] {
        var rows: [[String]] = []
        var isInside = false
        for line in lines {
            guard line.hasPrefix("|") else {
                isInside = false
                continue
            }
            if line.hasPrefix("| ---") {
                isInside = true
            } else if isInside {
                rows.append(line.cells)
            }
        }
        return rows
    }
}

extension StringProtocol {
    /// The pieces between backticks.
    var codeSpans: [String] {
        split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// The cells of a table's row. A bar within code is part of its cell.
    fileprivate var cells: [String] {
        var cells: [String] = []
        var isCode = false
        for character in dropFirst() {
            if cells.isEmpty || (character == "|" && !isCode) { cells.append("") }
            if character == "`" { isCode.toggle() }
            if character != "|" || isCode { cells[cells.count - 1].append(character) }
        }
        return cells.dropLast().map(\.trimmed)
    }

    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else {
            return ""
        }
        return String(self[first...last])
    }
}
