// SPDX-License-Identifier: Apache-2.0
// The completion script for zsh: a function for each command, based on zsh's `_arguments`.

struct ZshCompletion {
    let program: String
    let nodes: [CommandNode]

    var script: String {
        """
        #compdef \(program)
        # Completion for \(program) in zsh: a file _\(program) in $fpath, or source <(\(program) completions zsh)

        \(nodes.map(function).joined(separator: "\n"))
        if [[ $funcstack[1] == _\(program) ]]; then
            _\(program) "$@"
        else
            compdef _\(program) \(program)
        fi

        """
    }

    private func function(of node: CommandNode) -> String {
        var specifications = node.options.flatMap(specifications(ofOption:))
        guard !node.commands.isEmpty else {
            specifications += node.countedArguments.map(specification(ofArgument:))
            return """
                \(name(of: node.path))() {
                    _arguments -s -S :\(lines(specifications))
                }

                """
        }
        specifications += ["(-): :->command", "(-)*:: :->rest"]
        let descriptions = node.commands.map { command in
            "        \(shellQuoted("\(command.name):\(escape(command.summary, [":": #"\:"#, #"\"#: #"\\"#]))"))"
        }
        let calls = node.commands.map { command in
            "        \(command.name)) \(name(of: node.path + [command.name])) && result=0 ;;"
        }
        return """
            \(name(of: node.path))() {
                local curcontext="$curcontext" context state state_descr line result=1
                local -A opt_args
                _arguments -C -s -S :\(lines(specifications)) && result=0
                case $state in
                command)
                    local -a commands=(
            \(descriptions.map { "    " + $0 }.joined(separator: "\n"))
                    )
                    _describe -t commands command commands && result=0
                    ;;
                rest)
                    case $words[1] in
            \(calls.joined(separator: "\n"))
                    esac
                    ;;
                esac
                return result
            }

            """
    }

    private func name(of path: [String]) -> String {
        "_" + path.joined(separator: "__")
    }

    private func lines(_ specifications: [String]) -> String {
        specifications.map { " \\\n        \(shellQuoted($0))" }.joined()
    }

    private func specifications(ofOption option: Declaration) -> [String] {
        let text = "[\(escape(option.summary, [#"\"#: #"\\"#, "[": #"\["#, "]": #"\]"#, ":": #"\:"#]))]"
        let prefix = option.kind == .option && option.repeats ? "*" : "(\(option.spellings.joined(separator: " ")))"
        return option.spellings.map { spelling in
            let isLong = spelling == option.spelling
            let join = option.kind == .flag ? "" : isLong ? "=" : "+"
            return "\(prefix)\(spelling)\(join)\(text)\(value(of: option))"
        }
    }

    private func specification(ofArgument argument: Declaration) -> String {
        let prefix = argument.repeats ? "*" : argument.minimum == 0 ? ":" : ""
        return prefix + value(of: argument)
    }

    private func value(of parameter: Declaration) -> String {
        guard let placeholder = parameter.placeholder else { return "" }
        let action =
            if !parameter.choices.isEmpty {
                "(\(parameter.choices.map(shellQuoted).joined(separator: " ")))"
            } else {
                switch parameter.completion {
                case .none: " "
                case .file([]): "_files"
                // A single extension in parentheses would be parsed as a glob qualifier.
                case .file(let extensions) where extensions.count == 1: "_files -g \(shellQuoted("*.\(extensions[0])"))"
                case .file(let extensions): "_files -g \(shellQuoted("*.(\(extensions.joined(separator: "|")))"))"
                case .directory: "_files -/"
                }
            }
        return ":\(escape(placeholder, [":": #"\:"#])):\(escape(action, [":": #"\:"#]))"
    }
}
