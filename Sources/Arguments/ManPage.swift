// SPDX-License-Identifier: Apache-2.0

// Manual pages, for the command `man`.

/// A manual page in roff, with the `man` macros.
package struct ManPage: Sendable {
    /// The name of its file: `outcrop-model-check.1`.
    package let fileName: String
    package let text: String

    fileprivate init(_ node: CommandNode, parent: CommandNode?, version: String) {
        fileName = node.manName + ".1"
        var page = RoffText()
        let program = node.path[0]
        page.macro("TH", node.manName.uppercased(), "1", "", "\(program) \(version)", "")
        page.macro("SH", "NAME")
        page.line(RoffText.escaped(node.manName) + " \\- " + RoffText.escaped(node.summary.withoutFullStop))
        page.macro("SH", "SYNOPSIS")
        page.line(RoffText.bold(node.description) + " " + RoffText.escaped(node.syntax.joined(separator: " ")))
        page.macro("SH", "DESCRIPTION")
        page.paragraphs(node.discussion.isEmpty ? node.summary : node.discussion)
        page.list("COMMANDS", node.commands.filter { $0.name != "help" }) { command in
            (RoffText.bold("\(node) \(command.name)"), command.summary)
        }
        page.list("ARGUMENTS", node.arguments) { (RoffText.italic($0.name), $0.helpText) }
        let own = node.own.filter { $0.kind != .argument }
        let unnamed = own.filter { $0.section == nil } + node.inherited
        page.list("OPTIONS", unnamed) { ($0.manLabel, $0.helpText) }
        for title in node.sectionTitles {
            page.list("OPTIONS: " + title.uppercased(), own.filter { $0.section == title }) {
                ($0.manLabel, $0.helpText)
            }
        }
        page.list("EXAMPLES", node.examples) { (RoffText.bold($0.line), $0.summary) }
        page.list("EXIT STATUS", node.exitCodes) { (RoffText.bold("\($0.code)"), $0.meaning) }
        let others = [parent?.manName].compactMap(\.self) + node.commands.map { "\(node.manName)-\($0.name)" }
        let related = others.filter { $0 != "\(program)-help" }
        if !related.isEmpty {
            page.macro("SH", "SEE ALSO")
            page.line(related.map { RoffText.bold($0) + "(1)" }.joined(separator: ", "))
        }
        text = page.text
    }
}

extension Command {
    /// The manual page of this command, and those of all its subcommands.
    package var manPages: [ManPage] {
        let nodes = nodes
        return nodes.map { node in
            let parent = nodes.first { $0.path.elementsEqual(node.path.dropLast()) }
            return ManPage(node, parent: parent, version: version ?? "")
        }
    }
}

extension CommandNode {
    fileprivate var manName: String { path.joined(separator: "-") }
}

extension Declaration {
    fileprivate var manLabel: String {
        let names = ([short.map { "-\($0)" }, spelling].compactMap(\.self)).map(RoffText.bold).joined(separator: ", ")
        return names + (placeholder.map { " " + RoffText.italic($0) } ?? "")
    }
}

extension String {
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
