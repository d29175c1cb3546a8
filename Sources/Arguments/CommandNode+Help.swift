// SPDX-License-Identifier: Apache-2.0

extension CommandNode {
    /// The help page, wrapped to `width` columns, with a final line break.
    package func help(width: Int = 80) -> String {
        let layout = TextLayout(width: width)
        var sections = [layout.hanging(usage, under: "Usage: "), layout.paragraphs(summary)]
        if !discussion.isEmpty { sections.append(layout.paragraphs(discussion)) }

        func add(_ title: String, _ rows: [(String, String)]) {
            if !rows.isEmpty { sections.append(["\(title):"] + layout.table(rows)) }
        }
        add("Commands", commands.map { ($0.name, $0.summary) })
        add("Arguments", arguments.map { ($0.name, $0.helpText) })
        let ownOptions = own.filter { $0.kind != .argument }
        let isGroup = !commands.isEmpty
        add("Options", ownOptions.filter { $0.section == nil && !isGroup }.map { ($0.label, $0.helpText) })
        var titles: [String] = []
        for case let title? in ownOptions.map(\.section) where !titles.contains(title) { titles.append(title) }
        for title in titles { add(title, ownOptions.filter { $0.section == title }.map { ($0.label, $0.helpText) }) }
        let shared = ownOptions.filter { $0.section == nil && isGroup } + inherited
        add("Common options", shared.map { ($0.label, $0.helpText) })
        if !examples.isEmpty {
            sections.append(["Examples:"] + examples.flatMap { layout.example($0) })
        }
        add("Exit codes", exitCodes.map { (String($0.code), $0.meaning) })
        if isGroup {
            sections.append(layout.paragraphs("For one command, see “\(description) COMMAND --help”."))
        }
        return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// The syntax of the command, without its optional options.
    package var usage: String {
        let needed = own.filter { $0.kind == .option && $0.minimum > 0 }.map(\.usage)
        let tail = commands.isEmpty ? arguments.map(\.usage) : ["COMMAND"]
        return (path + ["[options]"] + needed + tail).joined(separator: " ")
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

    fileprivate var helpText: String {
        var notes: [String] = []
        if kind == .option, minimum > 0 { notes.append("required") }
        if kind == .option, repeats { notes.append("may be repeated") }
        if !choices.isEmpty { notes.append(oneOf(choices)) }
        if !defaults.isEmpty { notes.append("default: \(defaults.joined(separator: ", "))") }
        return notes.isEmpty ? summary : "\(summary) (\(notes.joined(separator: "; ")))"
    }
}
