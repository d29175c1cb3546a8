// SPDX-License-Identifier: Apache-2.0

/// A command with parameters, or a group of commands. The root command describes a program's whole command line.
///
/// `Action` is the value that the program gets back for a parsed command, usually a function of `ParsedArguments`.
///
///     let path = Argument<[String]>("PATH", "The models to check.", completion: .file(["json"]), atLeast: 1)
///     let json = Flag("json", "Answer in JSON.")
///     let root = Command(
///         "outcrop", "Core Data for servers.", version: "1.0", parameters: [json],
///         commands: [Command("check", "Check models.", parameters: [path], action: check)]
///     )
///     // outcrop check --json Shop.json
package struct Command<Action: Sendable>: Sendable {
    enum Content {
        case action(Action)
        case commands([Command])
    }

    /// The word that invokes the command, or the program's name for the root.
    package var name: String
    /// A one-line description.
    package var summary: String
    /// A longer description: paragraphs separated by empty lines, and indented lines, which are not wrapped.
    package var discussion: String
    package var examples: [Example]
    package var exitCodes: [ExitCode]
    /// The output of `--version`; only for the root.
    package var version: String?
    /// The command's parameters; for a group, the options of all its commands.
    package var parameters: [any Parameter]
    /// What to do instead, by options that the command doesn't have but its users expect: `["--format": "Use --csv."]`.
    package var remedies: [String: String] = [:]
    let content: Content

    /// Declares a command with an action.
    package init(
        _ name: String,
        _ summary: String,
        discussion: String = "",
        examples: [Example] = [],
        exitCodes: [ExitCode] = [],
        version: String? = nil,
        parameters: [any Parameter] = [],
        remedies: [String: String] = [:],
        action: Action
    ) {
        self.remedies = remedies
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.exitCodes = exitCodes
        self.version = version
        self.parameters = parameters
        content = .action(action)
    }

    /// Declares a group of commands, which inherit its parameters.
    package init(
        _ name: String,
        _ summary: String,
        discussion: String = "",
        examples: [Example] = [],
        exitCodes: [ExitCode] = [],
        version: String? = nil,
        parameters: [any Parameter] = [],
        commands: [Command]
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.exitCodes = exitCodes
        self.version = version
        self.parameters = parameters
        content = .commands(commands)
    }

    /// The direct subcommands; empty for a command with an action.
    package var commands: [Command] {
        if case .commands(let commands) = content { commands } else { [] }
    }
}
