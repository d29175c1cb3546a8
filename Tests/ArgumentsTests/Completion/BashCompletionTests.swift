// SPDX-License-Identifier: Apache-2.0
// The bash script, run by bash itself.

import Arguments
import Testing

@Suite("Completion in bash", .enabled(if: ShellRun.isInstalled(.bash), "bash is not installed"))
struct BashCompletionTests {
    @Test(
        "bash offers the possible completions",
        arguments: [
            ("tool ", ["copy", "draw", "help", "model"]),
            ("tool mo", ["model"]),
            ("tool --json model -v ", ["check", "convert", "show"]),
            ("tool help model c", ["check", "convert"]),
            ("tool help model check ", []),
            ("tool --", ["--help", "--help-all", "--json", "--verbose", "--version"]),
            ("tool model convert a.json --t", ["--to"]),
            ("tool model check -- -", []),
            ("tool model convert --to ", ["json", "xcdatamodel", "xcdatamodeld"]),
            ("tool model convert --to=", ["json", "xcdatamodel", "xcdatamodeld"]),
            ("tool model convert --to=x", ["xcdatamodel", "xcdatamodeld"]),
            ("tool model convert --grid t", ["true"]),
            ("tool model check ", ["Shop.xcdatamodeld", "a.json", "cost$1.json", "my file.json", "sub"]),
            ("tool model check --json sub/", ["sub/c.json", "sub/deep"]),
            ("tool model convert -o ", ["Shop.xcdatamodeld", "a.json", "b.xml", "cost$1.json", "my file.json", "sub"]),
            ("tool model convert -vo s", ["sub"]),
            ("tool model convert -osu", ["-osub"]),
            ("tool model convert --output=sub/c", ["sub/c.json"]),
            ("tool draw -d -3 --directory ", ["Shop.xcdatamodeld", "sub"]),
            ("tool draw --theme ", ["\\$HOME\\'s", "\\$\\(touch\\ pwned\\)", "a:b", "high\\ contrast"]),
            ("tool draw --theme \"hi", ["high contrast"]),
            ("tool draw --theme a:", ["b"]),
            ("tool draw --var a:b=c --theme=a:", ["b"]),
            ("tool model show a.json ", []),
            ("tool model convert -5 ", []),
        ]
    )
    func offers(line: String, offered: [String]) throws {
        let reply = try ShellRun.inFolder(of: .bash) { run in
            try run.run(
                ["bash", "--norc", "--noprofile", "-c", Self.asking, "bash", "../_tool", line] + words(of: line)
            )
        }
        #expect(reply.split(separator: "\n").map(String.init).sorted() == offered)
    }

    /// Calls the function as bash does when the tab key is pressed.
    private static let asking = """
        source "$1"
        COMP_LINE=$2 COMP_POINT=${#2}
        shift 2
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tool
        ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
        """

    /// Splits the line as bash does, at blanks and around = and :.
    private func words(of line: String) -> [String] {
        var words = [""]
        for character in line {
            if character == " " {
                words.append("")
            } else if character == "=" || character == ":" {
                words += words.last == "" ? [] : [""]
                words[words.count - 1].append(character)
            } else {
                if words.last == "=" || words.last == ":" { words.append("") }
                words[words.count - 1].append(character)
            }
        }
        return words
    }
}
