// SPDX-License-Identifier: Apache-2.0

/// A type-erased command with its path, for help, completion, errors and documentation.
package struct CommandNode: Sendable, CustomStringConvertible {
    /// The names from the root to the command.
    package let path: [String]
    package let summary: String
    package let discussion: String
    package let examples: [Example]
    package let exitCodes: [ExitCode]
    /// The names and summaries of the direct subcommands.
    package let commands: [(name: String, summary: String)]
    /// The parameters that the command itself declares.
    package let own: [Declaration]
    /// The options of the enclosing groups, and the built-in ones.
    package let inherited: [Declaration]
    var remedies: [String: String] = [:]

    /// The path as typed: `outcrop model check`.
    package var description: String { path.joined(separator: " ") }

    package var arguments: [Declaration] { own.filter { $0.kind == .argument } }
    package var options: [Declaration] { own.filter { $0.kind != .argument } + inherited }
}

extension Command {
    /// This command and all its subcommands, parents first.
    package var nodes: [CommandNode] {
        nodes(below: nil)
    }

    private func nodes(below parent: CommandNode?) -> [CommandNode] {
        let node = node(below: parent)
        return [node] + commands.flatMap { $0.nodes(below: node) }
    }

    func node(below parent: CommandNode?) -> CommandNode {
        let builtIn = version == nil ? [.help, .helpAll] : [Declaration.help, .helpAll, .version]
        let fromAbove = parent.map { $0.options.filter { ![.help, .helpAll, .version].contains($0) } } ?? []
        var commands = commands.map { (name: $0.name, summary: $0.summary) }
        if parent == nil, !commands.isEmpty {
            commands.append((name: "help", summary: "Show help for a command."))
        }
        return CommandNode(
            path: (parent?.path ?? []) + [name],
            summary: summary,
            discussion: discussion,
            examples: examples,
            exitCodes: exitCodes,
            commands: commands,
            own: parameters.map(\.declaration),
            inherited: fromAbove + builtIn,
            remedies: remedies
        )
    }
}
