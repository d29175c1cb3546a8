// SPDX-License-Identifier: Apache-2.0
// A parameter without its type: what help, completion, errors and documentation need to know of it.

/// What is known of a parameter without its type.
public struct Declaration: Sendable, Equatable {
    public enum Kind: Sendable {
        case argument
        case option
        case flag
    }

    public let kind: Kind
    /// The name without dashes; of an argument the placeholder.
    public let name: String
    public var short: Character?
    /// What stands for the value in help; a flag has none.
    public var placeholder: String?
    public let summary: String
    /// How often it must be given at least.
    public var minimum = 0
    /// Whether it may be given more than once.
    public var repeats = false
    /// Whether its value may begin with a dash as well, in a word of its own: `--sort -date`.
    public var takesDash = false
    /// The words that giving nothing stands for.
    public var defaults: [String] = []
    /// The only words allowed; empty if any are.
    public var choices: [String] = []
    public var completion = Completion.none
    /// The heading of help under which it stands, if it isn't the usual one.
    public var section: String?

    /// How messages and help name it: `--output`, `PATH`.
    public var spelling: String {
        kind == .argument ? name : "--" + name
    }
}

extension Declaration {
    static let help = Declaration(kind: .flag, name: "help", short: "h", summary: "Show this help.")
    static let version = Declaration(kind: .flag, name: "version", summary: "Show the version.")
}
