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
public struct Command<Action: Sendable>: Sendable {
    enum Content {
        case action(Action)
        case commands([Command])
    }

    /// The word that invokes the command, or the program's name for the root.
    public var name: String
    /// A one-line description.
    public var summary: String
    /// A longer description: paragraphs separated by empty lines, and indented lines, which are not wrapped.
    public var discussion: String
    public var examples: [Example]
    public var exitCodes: [ExitCode]
    /// The output of `--version`; only for the root.
    public var version: String?
    /// The command's parameters; for a group, the options of all its commands.
    public var parameters: [any Parameter]
    let content: Content

    /// Declares a command with an action.
    public init(
        _ name: String,
        _ summary: String,
        discussion: String = "",
        examples: [Example] = [],
        exitCodes: [ExitCode] = [],
        version: String? = nil,
        parameters: [any Parameter] = [],
        action: Action
    ) {
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
    public init(
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
    public var commands: [Command] {
        if case .commands(let commands) = content { commands } else { [] }
    }
}
