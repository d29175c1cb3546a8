// SPDX-License-Identifier: Apache-2.0

// Help pages: the one of --help fits on a screen, the one of --help-all has everything.

extension CommandNode {
    /// The lines of a screen that a help page may take.
    package static let screen = 40

    /// The help page, wrapped to `width` columns, with a final line break. If it wouldn't fit on a screen, it has only
    /// the essentials, and the common ones of the options.
    package func help(width: Int = 80) -> String {
        let whole = wholeHelp(width: width)
        return whole.count(where: { $0 == "\n" }) <= Self.screen ? whole : shortHelp(width: width)
    }

    /// The help page with everything.
    package func wholeHelp(width: Int = 80) -> String {
        var page = HelpPage(layout: TextLayout(width: width))
        page.add(usage: usage)
        page.add(text: summary)
        page.add(text: discussion)
        page.add("Commands", commands.map { ($0.name, $0.summary) })
        page.add("Arguments", arguments.map { ($0.name, $0.helpText) })
        page.add("Options", ownOptions.filter { $0.section == nil && !isGroup }.map { ($0.label, $0.helpText) })
        for title in sectionTitles {
            page.add(title, ownOptions.filter { $0.section == title }.map { ($0.label, $0.helpText) })
        }
        page.add("Common options", sharedOptions.filter { $0 != .helpAll }.map { ($0.label, $0.helpText) })
        page.add(examples)
        page.add("Exit codes", exitCodes.map { (String($0.code), $0.meaning) })
        if isGroup { page.add(text: "For one command, see “\(description) COMMAND --help”.") }
        return page.text
    }

    private func shortHelp(width: Int) -> String {
        let common = ownOptions.filter(\.isCommon)
        var page = HelpPage(layout: TextLayout(width: width))
        page.add(usage: usage)
        page.add(text: summary)
        if !isGroup { page.add(text: discussion.firstParagraph) }
        page.add("Commands", commands.map { ($0.name, $0.summary) })
        page.add("Arguments", arguments.map { ($0.name, $0.summary.firstSentence) })
        let shown = common.isEmpty ? ownOptions.filter { $0.section == nil && !isGroup } : common
        page.add("Options", shown.map { ($0.label, $0.summary.firstSentence) })
        page.add("Common options", sharedOptions.map { ($0.label, $0.summary) })
        page.add(examples)
        if isGroup { page.add(text: "For one command, see “\(description) COMMAND --help”.") }
        return page.text
    }

    private var isGroup: Bool { !commands.isEmpty }
    private var ownOptions: [Declaration] { own.filter { $0.kind != .argument } }
    private var sharedOptions: [Declaration] { ownOptions.filter { $0.section == nil && isGroup } + inherited }

    /// The headings of options, in order.
    var sectionTitles: [String] {
        var titles: [String] = []
        for case let title? in ownOptions.map(\.section) where !titles.contains(title) { titles.append(title) }
        return titles
    }

    /// The syntax of the command, without its optional options.
    package var usage: String { (path + syntax).joined(separator: " ") }

    /// What follows the command's name.
    var syntax: [String] {
        let needed = own.filter { $0.kind == .option && $0.minimum > 0 }.map(\.usage)
        let tail = commands.isEmpty ? arguments.map(\.usage) : ["COMMAND"]
        return ["[options]"] + needed + tail
    }
}

/// Sections of a help page.
private struct HelpPage {
    let layout: TextLayout
    private var sections: [[String]] = []

    init(layout: TextLayout) { self.layout = layout }

    var text: String { sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n" }

    mutating func add(usage: String) { sections.append(layout.hanging(usage, under: "Usage: ")) }

    mutating func add(text: String) {
        if !text.isEmpty { sections.append(layout.paragraphs(text)) }
    }

    mutating func add(_ title: String, _ rows: [(String, String)]) {
        if !rows.isEmpty { sections.append(["\(title):"] + layout.table(rows)) }
    }

    mutating func add(_ examples: [Example]) {
        if !examples.isEmpty { sections.append(["Examples:"] + examples.flatMap { layout.example($0) }) }
    }
}

extension Declaration {
    fileprivate var usage: String {
        if kind == .option {
            return "\(short.map { "-\($0)" } ?? spelling) \(placeholder ?? "")\(repeats ? "..." : "")"
        }
        if minimum == 0 { return repeats ? "[\(name)...]" : "[\(name)]" }
        return Array(repeating: name, count: minimum).joined(separator: " ") + (repeats ? "..." : "")
    }

    fileprivate var label: String {
        "\(short.map { "-\($0), " } ?? "    ")\(spelling)\(placeholder.map { " " + $0 } ?? "")"
    }

    var helpText: String {
        var notes: [String] = []
        if kind == .option, minimum > 0 { notes.append("required") }
        if kind == .option, repeats { notes.append("may be repeated") }
        if !choices.isEmpty { notes.append(oneOf(choices)) }
        if !defaults.isEmpty { notes.append("default: \(defaults.joined(separator: ", "))") }
        return notes.isEmpty ? summary : "\(summary) (\(notes.joined(separator: "; ")))"
    }
}

extension String {
    fileprivate var firstParagraph: String {
        split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Up to the first full stop, colon or semicolon that a space follows.
    fileprivate var firstSentence: String {
        var previous: Character?
        for index in indices {
            if self[index] == " ", let last = previous, ".:;".contains(last) {
                return last == "." ? String(self[..<index]) : dropLast(from: index) + "."
            }
            previous = self[index]
        }
        return self
    }

    private func dropLast(from index: Index) -> String { String(self[..<index].dropLast()) }
}
