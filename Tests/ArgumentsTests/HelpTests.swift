// SPDX-License-Identifier: Apache-2.0
// Help pages, compared whole.

import Arguments
import Testing

@Suite("Help pages")
struct HelpTests {
    @Test("a command's help page shows its arguments, options and examples")
    func command() throws {
        #expect(
            try page("model", "convert", "--help") == """
                Usage: tool model convert [options] -o OUT IN

                Convert a model from one format to another.

                The model is read as a whole before anything is written, so that a model with an
                error leaves no file behind. Lines are joined.

                  Indented lines stay
                    as they are.

                Arguments:
                  IN  The model to read.

                Options:
                  -o, --output OUT  Where to write the model. (required)
                      --to FORMAT   The format to write, which is otherwise guessed from the
                                    extension of OUT. (json, xcdatamodel or xcdatamodeld;
                                    default: json)

                Drawing:
                      --scale SCALE  How large to draw. (default: 1.5)
                      --grid GRID    Draw a grid. (true or false; default: true)

                Common options:
                      --json     Answer in JSON.
                  -v, --verbose  Say more.
                  -h, --help     Show this help.

                Examples:
                  $ tool model convert Shop.json -o Shop.xcdatamodeld
                      From JSON to Xcode's format.
                  $ tool model convert Shop.xcdatamodeld -o -

                Exit codes:
                  0  The model is written.
                  2  The command line is wrong.

                """
        )
    }

    @Test("a group's help page lists its commands and their shared options")
    func group() throws {
        #expect(
            try page("--help") == """
                Usage: tool [options] COMMAND

                Work with models.

                Reads models and writes them.

                Commands:
                  model  Look at models: check, show and convert them.
                  draw   Draw "it" all.
                  copy   Copy files.
                  help   Show help for a command.

                Common options:
                      --json     Answer in JSON.
                  -v, --verbose  Say more.
                  -h, --help     Show this help.
                      --version  Show the version.

                For one command, see “tool COMMAND --help”.

                """
        )
    }

    @Test("no line of a help page is wider than requested, down to 40 columns", arguments: [40, 50, 72, 80, 120])
    func width(_ width: Int) {
        for node in Sample.root.nodes {
            for line in node.help(width: width).split(separator: "\n") where !line.hasPrefix("  $") {
                #expect(line.count <= width, "\(line)")
            }
        }
    }

    @Test("a page that is longer than a screen has the essentials and the common options, and --help-all everything")
    func long() throws {
        let many = (1...60).map { number in
            Flag("flag-\(number)", "Sets \(number): a detail. And why.", section: "Flags", isCommon: number == 7)
        }
        let root = Command(
            "tool",
            "Work.",
            discussion: "The point.\n\nThe details.",
            exitCodes: [ExitCode(0, "Fine.")],
            parameters: many,
            action: "work"
        )
        #expect(
            try page("--help", of: root) == """
                Usage: tool [options]

                Work.

                The point.

                Options:
                      --flag-7  Sets 7.

                Common options:
                  -h, --help      Show this help.
                      --help-all  Show all options and exit codes.

                """
        )
        let whole = try page("--help-all", of: root)
        for flag in many { #expect(whole.contains("--\(flag.declaration.name) ")) }
        #expect(whole.contains("The details.") && whole.contains("And why.") && whole.contains("Exit codes:"))
    }

    @Test("help on help is the help of the program")
    func helpOnHelp() throws {
        #expect(try page("help", "help") == page("--help"))
    }

    @Test("walking the command tree visits every command and option")
    func nodes() {
        #expect(
            Sample.root.nodes.map(\.description) == [
                "tool", "tool model", "tool model check", "tool model show", "tool model convert", "tool draw",
                "tool copy",
            ]
        )
        let convert = Sample.root.nodes[4]
        #expect(convert.own.map(\.spelling) == ["IN", "--output", "--to", "--scale", "--grid"])
        #expect(convert.inherited.map(\.spelling) == ["--json", "--verbose", "--help", "--help-all"])
    }

    private func page(_ words: String..., of root: Command<String> = Sample.root) throws -> String {
        guard case .print(let text) = try root.parse(words) else { throw Sample.NotRun() }
        return text
    }
}
