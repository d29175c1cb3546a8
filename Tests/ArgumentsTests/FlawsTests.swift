// SPDX-License-Identifier: Apache-2.0
// Contradictions in declarations are found.

import Arguments
import Testing

@Suite("Flaws of a declaration")
struct FlawsTests {
    @Test("the sample command line has no flaws")
    func none() {
        #expect(Sample.root.flaws == [])
    }

    @Test("each contradiction in a declaration is reported")
    func named() {
        let root = Command(
            "tool",
            "Flawed.",
            parameters: [Option<String>("must", short: "1", "Required.")],
            commands: [
                Command(
                    "Twice",
                    "",
                    parameters: [
                        Argument<[String]>("A", "Some."), Argument<[String]>("B", "More."),
                        Flag("help", short: "h", "Mine."),
                        Option<String>("one", "Choose.", default: "z", choices: ["x", "y"]),
                    ],
                    action: 1
                ),
                Command(
                    "help",
                    "Mine.",
                    parameters: [Argument<Int>("A", "One.")],
                    commands: [Command("a", "b", action: 2)]
                ),
                Command("group", "Some.", commands: [Command("help", "Mine.", action: 3)]),
            ]
        )
        #expect(
            root.flaws == [
                "tool: the command “help” is declared more than once.",
                "tool: -1 is not a letter from a to z or A to Z.",
                "tool: an option that all commands share can't be required.",
                "tool Twice: the name “Twice” is not made of lower-case letters, digits and hyphens.",
                "tool Twice: --help is declared more than once.",
                "tool Twice: -h is declared more than once.",
                "tool Twice: the default “z” is not among the choices of --one.",
                "tool Twice: more than one argument repeats.",
                "tool Twice: the summary “” is not one line.",
                "tool help: a group of commands can't have arguments of its own.",
                "tool help: an option that all commands share can't be required.",
                "tool group help: the command “help” is built in.",
            ]
        )
    }
}
