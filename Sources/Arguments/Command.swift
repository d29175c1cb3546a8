// SPDX-License-Identifier: Apache-2.0
// A command as its author declares it: what it is called, what it does, and either the parameters it takes or the
// commands below it. The whole command line of a program is one such value, the root.

/// A command, or a group of commands.
///
/// `Action` is what the program wants back when the command is called, usually a function over `Parsed`.
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

    /// The word that calls the command; for the root the name of the program.
    public var name: String
    /// One line on what the command does.
    public var summary: String
    /// More about it: paragraphs between empty lines, and indented lines, which are shown as they stand.
    public var discussion: String
    public var examples: [Example]
    public var exitCodes: [ExitCode]
    /// What `--version` prints; only the root has one.
    public var version: String?
    /// What the command takes; for a group the options that all commands below it share.
    public var parameters: [any Parameter]
    let content: Content

    /// Declares a command that does something.
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

    /// Declares a group of commands; its parameters are options that each of them inherits.
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

    /// The commands below this one; none for a command that does something itself.
    public var commands: [Command] {
        if case .commands(let commands) = content { commands } else { [] }
    }
}
