// SPDX-License-Identifier: Apache-2.0
// The zsh script, run by an interactive zsh in a terminal of its own.

import Arguments
import Testing

@Suite("Completion in zsh", .enabled(if: ShellRun.isInstalled(.zsh), "zsh is not installed"))
struct ZshCompletionTests {
    private static let cases = [
        ("tool ", "tool copy draw help model "),
        ("tool mo", "tool model "),
        ("tool --json model -v ", "tool --json model -v check convert show "),
        ("tool help model c", "tool help model check convert "),
        ("tool model convert a.json --t", "tool model convert a.json --to="),
        ("tool model convert --to ", "tool model convert --to json xcdatamodel xcdatamodeld "),
        ("tool model convert --to=x", "tool model convert --to=xcdatamodel --to=xcdatamodeld "),
        ("tool model check ", #"tool model check Shop.xcdatamodeld a.json cost\$1.json my\ file.json sub/"#),
        ("tool model show m", #"tool model show my\ file.json "#),
        ("tool model check a.json --json sub/c", "tool model check a.json --json sub/c.json "),
        ("tool model convert -vo sub/c", "tool model convert -vo sub/c.json "),
        ("tool draw --directory ", "tool draw --directory Shop.xcdatamodeld sub/"),
        ("tool draw --theme ", #"tool draw --theme \$\(touch\ pwned\) \$HOME\'s a:b high\ contrast "#),
        ("tool draw --", "tool draw --depth --directory --help --help-all --json --theme --var --verbose "),
        ("tool draw --json --js", "tool draw --json --js"),
        ("tool help model check ", "tool help model check "),
    ]

    @Test("zsh offers the possible completions", arguments: [Self.sourced, Self.found])
    func offers(loading: String) throws {
        let reply = try ShellRun.inFolder(of: .zsh) { run in
            let keys = try run.file("keys", loading + "\n" + Self.keys)
            let asking = try run.file("asking", Self.asking)
            let lines = Self.cases.map { $0.0 + "\n" }.joined()
            return try run.run(["timeout", "60", "zsh", "-f", asking, keys, "../reply"], input: lines)
        }
        let completed = reply.split(separator: "\n").map(String.init)
        #expect(completed == Self.cases.map(\.1))
    }

    private static let sourced = "autoload -U compinit; compinit -u -D; source ../_tool"
    private static let found = "fpath=($PWD/.. $fpath); autoload -U compinit; compinit -u -D"

    /// The tab key inserts all offered words, and ^T writes the line to a file and clears it.
    private static let keys = """
        show() { print -r -- "$BUFFER" >> ../reply; BUFFER= }
        zle -N show
        bindkey '^T' show
        zle -C all complete-word _generic
        bindkey '^I' all
        zstyle ':completion:all:*' completer _all_matches _complete
        zstyle ':completion:all:*' insert true
        PS1=READY
        """

    private static let asking = """
        zmodload zsh/zpty
        zpty shell 'zsh -f -i'
        zpty -w shell "source $1"
        zpty -r shell output '*READY*'
        while IFS= read -r line; do zpty -w -n shell "$line"$'\\t\\x14'; done
        zpty -w shell exit
        while zpty -r shell output; do :; done
        cat $2
        """
}
