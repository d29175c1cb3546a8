// SPDX-License-Identifier: Apache-2.0

/// A shell with support for completion scripts.
package enum Shell: String, CaseIterable, ArgumentValue {
    case bash
    case zsh
    case fish
}

extension Command {
    /// A script that completes the commands, options, choices and files of this command line in `shell`.
    ///
    ///     print(root.completionScript(for: .bash))  // source <(outcrop completions bash)
    package func completionScript(for shell: Shell) -> String {
        let nodes = nodesWithHelp
        return switch shell {
        case .bash: BashCompletion(program: name, nodes: nodes).script
        case .zsh: ZshCompletion(program: name, nodes: nodes).script
        case .fish: FishCompletion(program: name, nodes: nodes).script
        }
    }

    /// The tree with a copy below `help`, where only command names are accepted.
    private var nodesWithHelp: [CommandNode] {
        let nodes = nodes
        guard !commands.isEmpty else { return nodes }
        let help = nodes.map { node in
            CommandNode(
                path: [name, "help"] + node.path.dropFirst(),
                summary: node.summary,
                discussion: "",
                examples: [],
                exitCodes: [],
                commands: node.commands.filter { node.path.count > 1 || $0.name != "help" },
                own: [],
                inherited: []
            )
        }
        return nodes + help
    }
}

extension CommandNode {
    /// The arguments with a position that a shell can determine: those up to the first that repeats.
    var countedArguments: ArraySlice<Declaration> {
        let end = arguments.firstIndex(where: \.repeats).map { $0 + 1 } ?? arguments.count
        return arguments.prefix(end)
    }
}

extension Declaration {
    /// The option's forms, short and long.
    var spellings: [String] {
        (short.map { ["-\($0)"] } ?? []) + [spelling]
    }
}

/// Replaces single scalars, so that combining characters can't hide them.
func escape(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        if let replacement = replacements[scalar] {
            result += replacement
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// The text quoted as a single word for bash and zsh.
package func shellQuoted(_ text: String) -> String {
    "'\(escape(text, ["'": #"'\''"#]))'"
}
