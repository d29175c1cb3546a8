// SPDX-License-Identifier: Apache-2.0

/// A type-erased parameter, for help, completion, errors and documentation.
public struct Declaration: Sendable, Equatable {
    public enum Kind: Sendable {
        case argument
        case option
        case flag
    }

    public let kind: Kind
    /// The name without dashes; for an argument, the placeholder.
    public let name: String
    public var short: Character?
    /// The placeholder for the value in help, or nil for a flag.
    public var placeholder: String?
    public let summary: String
    /// The minimum number of occurrences.
    public var minimum = 0
    /// Whether it may be given more than once.
    public var repeats = false
    /// Whether a separate value may begin with a dash: `--sort -date`.
    public var allowsLeadingDash = false
    /// The default value as words.
    public var defaults: [String] = []
    /// The allowed words; empty if all are.
    public var choices: [String] = []
    public var completion = Completion.none
    /// The heading in help, if it isn't the default one.
    public var section: String?

    /// The form in messages and help: `--output`, `PATH`.
    public var spelling: String {
        kind == .argument ? name : "--" + name
    }
}

extension Declaration {
    static let help = Declaration(kind: .flag, name: "help", short: "h", summary: "Show this help.")
    static let version = Declaration(kind: .flag, name: "version", summary: "Show the version.")
}
