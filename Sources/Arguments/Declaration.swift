// SPDX-License-Identifier: Apache-2.0

/// A type-erased parameter, for help, completion, errors and documentation.
package struct Declaration: Sendable, Equatable {
    package enum Kind: Sendable {
        case argument
        case option
        case flag
    }

    package let kind: Kind
    /// The name without dashes; for an argument, the placeholder.
    package let name: String
    package var short: Character?
    /// The placeholder for the value in help, or nil for a flag.
    package var placeholder: String?
    package let summary: String
    /// The minimum number of occurrences.
    package var minimum = 0
    /// Whether it may be given more than once.
    package var repeats = false
    /// Whether a separate value may begin with a dash: `--sort -date`.
    package var allowsLeadingDash = false
    /// The default value as words.
    package var defaults: [String] = []
    /// The allowed words; empty if all are.
    package var choices: [String] = []
    package var completion = Completion.none
    /// The names that other programs have for it, without dashes, which are refused with this one as a suggestion.
    package var familiarNames: [String] = []
    /// The heading in help, if it isn't the default one.
    package var section: String?
    /// Whether the help page has it even if not all options fit on a screen.
    package var isCommon = false

    /// The form in messages and help: `--output`, `PATH`.
    package var spelling: String {
        kind == .argument ? name : "--" + name
    }
}

extension Declaration {
    static let help = Declaration(kind: .flag, name: "help", short: "h", summary: "Show this help.")
    static let helpAll = Declaration(kind: .flag, name: "help-all", summary: "Show all options and exit codes.")
    static let version = Declaration(kind: .flag, name: "version", summary: "Show the version.")
}
