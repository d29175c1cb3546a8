// SPDX-License-Identifier: Apache-2.0
// The completion script for bash, without dependencies. Its functions follow the words to the command and look up the
// possible next words in three tables.

struct BashCompletion {
    let program: String
    let nodes: [CommandNode]

    var script: String {
        """
        # Completion for \(program) in bash: source <(\(program) completions bash)

        # Succeeds if the word $1 is a command below $path.
        _\(program)_command() {
            case "$path $1" in
        \(table(commandRows, or: nil))
            esac
        }

        # Sets what may be the value of the option, or of the argument at a place (#1), that $1 names.
        _\(program)_value() {
            kind='' offers=()
            case "$path $1" in
        \(table(valueRows, or: "return 1"))
            esac
        }

        # Sets the words that may stand after $path: $commands and $options.
        _\(program)_words() {
            commands=() options=()
            case $path in
        \(table(wordRows, or: nil))
            esac
        }

        # Splits the short options in $1 into the one that takes a value, if any does, and the value.
        _\(program)_cluster() {
            local rest=${1#-}
            while [[ -n $rest ]]; do
                option=-${rest:0:1} attached=${rest:1}
                _\(program)_value "$option" && return
                rest=$attached
            done
            return 1
        }

        _\(program)_offer() {
            local offer quoted typed=${value//\\\\/}
            for offer; do
                case $value in
                \\'* | \\\"*) quoted=$offer typed=${value:1} ;;
                *) printf -v quoted %q "$offer" ;;
                esac
                [[ $offer == "$typed"* ]] && COMPREPLY+=("$quoted")
            done
        }

        # Offers directories, and the files with one of the given extensions, or any where * is given.
        _\(program)_files() {
            local file extension
            compopt -o filenames 2>/dev/null
            while IFS= read -r file; do
                if [[ -d ${file/#\\~\\//$HOME/} ]]; then
                    COMPREPLY+=("$file")
                else
                    for extension; do
                        [[ $extension == '*' || $file == *."$extension" ]] && COMPREPLY+=("$file") && break
                    done
                fi
            done < <(compgen -f -- "$value")
        }

        _\(program)() {
            local path=\(shellQuoted(program)) place=1 line=$COMP_LINE
            local words=() commands=() options=() offers=()
            local word value kind option='' attached='' taken='' ended='' tail i
            COMPREPLY=()

            # bash takes words apart at = and :, which are joined again where no space is between them.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if ((i > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
                    words[${#words[@]} - 1]+=$word
                else
                    words+=("$word")
                fi
                line=${line#"${line%%[![:space:]]*}"}
                line=${line#"$word"}
            done
            local current=${words[${#words[@]} - 1]}

            for ((i = 1; i < ${#words[@]} - 1; i++)); do
                word=${words[i]}
                if [[ -n $taken ]]; then
                    taken=''
                elif [[ -z $ended && $word == -- ]]; then
                    ended=1
                elif [[ -z $ended && $word == --* ]]; then
                    _\(program)_value "$word" && taken=$word
                elif [[ -z $ended && $word == -[!0-9.]* ]]; then
                    _\(program)_cluster "$word" && [[ -z $attached ]] && taken=$option
                elif _\(program)_command "$word"; then
                    path+=" $word"
                else
                    ((place++))
                fi
            done

            _\(program)_words
            value=$current
            if [[ -n $taken ]]; then
                _\(program)_value "$taken"
            elif [[ -z $ended && $current == --*=* ]]; then
                value=${current#*=}
                _\(program)_value "${current%%=*}"
            elif [[ -z $ended && $current == -[!-]?* ]] && _\(program)_cluster "$current"; then
                value=${attached#=}
            elif [[ -z $ended && $current == -* ]]; then
                kind=words offers=("${options[@]}")
            elif ((${#commands[@]})); then
                kind=words offers=("${commands[@]}")
            else
                _\(program)_value "#$place"
            fi
            case $kind in
            words) _\(program)_offer "${offers[@]}" ;;
            files) _\(program)_files "${offers[@]}" ;;
            esac

            # bash replaces only what follows the last = or :, or the whole word where it did not take it apart.
            tail=${COMP_WORDS[COMP_CWORD]}
            [[ $tail == [=:] ]] && tail=''
            for i in "${!COMPREPLY[@]}"; do
                if [[ $tail == *"$value" ]]; then
                    COMPREPLY[i]=${tail%"$value"}${COMPREPLY[i]}
                else
                    COMPREPLY[i]=${COMPREPLY[i]#"${value%"$tail"}"}
                fi
            done
        }

        complete -F _\(program) \(shellQuoted(program))

        """
    }
}

// MARK: - Tables

extension BashCompletion {
    private typealias Row = (patterns: [String], action: String)

    private var commandRows: [Row] {
        nodes.dropFirst().map { ([shellQuoted($0.description)], "return 0") }
    }

    private var valueRows: [Row] {
        nodes.flatMap { node -> [Row] in
            let options = node.options.filter { $0.kind == .option }.map { option in
                (option.spellings.map { shellQuoted("\(node) \($0)") }, offers(of: option))
            }
            let arguments = node.countedArguments.enumerated().map { index, argument in
                (
                    [
                        shellQuoted("\(node) #\(argument.repeats ? "" : String(index + 1))")
                            + (argument.repeats ? "*" : "")
                    ],
                    offers(of: argument)
                )
            }
            return options + arguments
        }
    }

    private var wordRows: [Row] {
        nodes.map { node in
            let commands = array(node.commands.map(\.name))
            return (
                [shellQuoted(node.description)], "commands=\(commands) options=\(array(node.options.map(\.spelling)))"
            )
        }
    }

    private func offers(of parameter: Declaration) -> String {
        if !parameter.choices.isEmpty { return "kind=words offers=\(array(parameter.choices))" }
        return switch parameter.completion {
        case .none: ":"
        case .file(let extensions): "kind=files offers=\(array(extensions.isEmpty ? ["*"] : extensions))"
        case .directory: "kind=files"
        }
    }

    private func array(_ words: [String]) -> String {
        "(\(words.map(shellQuoted).joined(separator: " ")))"
    }

    private func table(_ rows: [Row], or other: String?) -> String {
        let last: Row = (["*"], other ?? "return 1")
        return (rows + [last])
            .map { "    \($0.patterns.joined(separator: " | "))) \($0.action) ;;" }
            .joined(separator: "\n")
    }
}
