// SPDX-License-Identifier: Apache-2.0
// The shells that complete our command lines, and what all their scripts are made from.

/// A shell for which a completion script can be made.
public enum Shell: String, CaseIterable, ArgumentValue {
    case bash
    case zsh
    case fish
}

extension Command {
    /// A script that teaches `shell` the commands, options, choices and files of this command line.
    ///
    ///     print(root.completionScript(for: .bash))  // source <(outcrop completions bash)
    public func completionScript(for shell: Shell) -> String {
        let nodes = nodesWithHelp
        return switch shell {
        case .bash: BashCompletion(program: name, nodes: nodes).script
        case .zsh: ZshCompletion(program: name, nodes: nodes).script
        case .fish: FishCompletion(program: name, nodes: nodes).script
        }
    }

    /// The tree, and a second one below `help`, which takes the names of commands and nothing else.
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
    /// The arguments a shell can tell apart: those up to the first that repeats.
    var countedArguments: ArraySlice<Declaration> {
        let end = arguments.firstIndex(where: \.repeats).map { $0 + 1 } ?? arguments.count
        return arguments.prefix(end)
    }
}

extension Declaration {
    /// The option as it is typed, short and long.
    var spellings: [String] {
        (short.map { ["-\($0)"] } ?? []) + [spelling]
    }
}

/// Replaces single scalars, so that no combining character can hide one of them.
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

/// One word to bash and zsh, whatever is in it.
func shellQuoted(_ text: String) -> String {
    "'\(escape(text, ["'": #"'\''"#]))'"
}
