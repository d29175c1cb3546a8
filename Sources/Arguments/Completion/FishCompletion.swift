// SPDX-License-Identifier: Apache-2.0
// The completion script for fish: a function that finds the current command, and a line for each possible word.

struct FishCompletion {
    let program: String
    let nodes: [CommandNode]

    var script: String {
        """
        # Completion for \(program) in fish: \(program) completions fish | source

        # Prints the command that is being typed, and the place of the next argument.
        function __\(program)_place
            set -l path \(quoted(program))
            set -l place 1
            set -l taken
            set -l ended
            set -l tokens (commandline -opc)
            set -e tokens[1]
            for token in $tokens
                if set -q taken[1]
                    set taken
                else if not set -q ended[1]; and string match -qr -- '^-[^0-9.]' $token
                    if test "$token" = --
                        set ended 1
                    else if string match -q -- '--*' $token
                        __\(program)_takes_value "$path $token"; and set taken 1
                    else
                        set -l rest (string sub -s 2 -- $token)
                        while test -n "$rest"
                            set -l letter (string sub -l 1 -- $rest)
                            set rest (string sub -s 2 -- $rest)
                            if __\(program)_takes_value "$path -$letter"
                                test -z "$rest"; and set taken 1
                                break
                            end
                        end
                    end
                else if contains -- "$path $token" \(commandPaths)
                    set path "$path $token"
                else
                    set place (math $place + 1)
                end
            end
            printf '%s\\n' $path $place
        end

        function __\(program)_takes_value
            contains -- $argv[1] \(valueOptions)
        end

        # Succeeds for the command $argv[1], and where given for the places from $argv[2] to $argv[3].
        function __\(program)_at
            set -l found (__\(program)_place)
            test "$found[1]" = "$argv[1]"; or return 1
            set -q argv[2]; or return 0
            test $found[2] -ge $argv[2]; or return 1
            not set -q argv[3]; or test $found[2] -le $argv[3]
        end

        # Prints directories, and the files with one of the given extensions, or any where * is given.
        function __\(program)_files
            set -l typed (commandline -ct | string replace -r -- '^--[^=]*=' '')
            for file in (complete -C "__\(program)_no_such_command $typed")
                set file (string split \\t -- $file)[1]
                if string match -q -- '*/' $file; or contains -- '*' $argv
                    printf '%s\\n' $file
                else
                    for extension in $argv
                        string match -q -- "*.$extension" $file; and printf '%s\\n' $file
                    end
                end
            end
        end

        complete -c \(program) -f
        \(nodes.flatMap(lines).joined(separator: "\n"))

        """
    }

    private var commandPaths: String {
        nodes.dropFirst().map { quoted($0.description) }.joined(separator: " ")
    }

    private var valueOptions: String {
        nodes.flatMap { node in
            node.options.filter { $0.kind == .option }.flatMap(\.spellings).map { quoted("\(node) \($0)") }
        }.joined(separator: " ")
    }

    private func lines(of node: CommandNode) -> [String] {
        let at = "__\(program)_at \(quoted(node.description))"
        func line(_ condition: String, _ rest: String) -> String {
            "complete -c \(program) -n \(quoted(condition)) \(rest)"
        }
        let commands = node.commands.map { line(at, "-a \($0.name) -d \(quoted($0.summary))") }
        let options = node.options.map { option in
            let short = option.short.map { "-s \($0) " } ?? ""
            let value = option.kind == .option ? " -x" + offers(of: option) : ""
            return line(at, "\(short)-l \(option.name)\(value) -d \(quoted(option.summary))")
        }
        let arguments = node.countedArguments.enumerated().compactMap { index, argument -> String? in
            let offers = offers(of: argument)
            if offers.isEmpty { return nil }
            return line("\(at) \(index + 1)\(argument.repeats ? "" : " \(index + 1)")", String(offers.dropFirst()))
        }
        return commands + options + arguments
    }

    /// The suggested words. Each is quoted, since fish parses the text as a command line.
    private func offers(of parameter: Declaration) -> String {
        let words =
            if !parameter.choices.isEmpty {
                parameter.choices.map(quoted).joined(separator: " ")
            } else {
                switch parameter.completion {
                case .none: ""
                case .file([]): "(__\(program)_files '*')"
                case .file(let extensions):
                    "(__\(program)_files \(extensions.map(quoted).joined(separator: " ")))"
                case .directory: "(__\(program)_files)"
                }
            }
        return words.isEmpty ? "" : " -a \(quoted(words))"
    }

    private func quoted(_ text: String) -> String {
        "'\(escape(text, [#"\"#: #"\\"#, "'": #"\'"#]))'"
    }
}
