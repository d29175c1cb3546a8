// SPDX-License-Identifier: Apache-2.0

import SourceText

/// An error in a command line, with a message that names the word and the remedy.
package struct ArgumentError: Error, Equatable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        package static let unknownCommand = Code(description: "unknownCommand")
        package static let missingCommand = Code(description: "missingCommand")
        package static let unknownOption = Code(description: "unknownOption")
        package static let missingOption = Code(description: "missingOption")
        package static let repeatedOption = Code(description: "repeatedOption")
        package static let missingValue = Code(description: "missingValue")
        package static let unexpectedValue = Code(description: "unexpectedValue")
        package static let invalidValue = Code(description: "invalidValue")
        package static let unknownChoice = Code(description: "unknownChoice")
        package static let missingArgument = Code(description: "missingArgument")
        package static let unexpectedArgument = Code(description: "unexpectedArgument")
    }

    package let code: Code
    /// The command being parsed: `["outcrop", "model", "check"]`.
    package let path: [String]
    package let message: String
    /// The word that was probably meant, if any is close enough.
    package let suggestion: String?

    /// The message, the suggestion, and a reference to the help page.
    package var description: String {
        let hint = suggestion.map { " Did you mean “\($0)”?" } ?? ""
        return "\(message)\(hint)\nSee “\(path.joined(separator: " ")) --help”."
    }
}

extension ArgumentError {
    /// - Parameter groups: The groups of the node that have such a command.
    static func unknownCommand(_ word: String, in node: CommandNode, butIn groups: [String]) -> Self {
        let message = "“\(node)” has no command \(quoted(word))."
        let found = groups.map { "\($0) \(word)" }
        if found.count == 1 { return Self(.unknownCommand, node, message, found[0]) }
        if !found.isEmpty {
            return Self(.unknownCommand, node, message + " There are \(list(found.map(quoted), "and")).")
        }
        let names = node.commands.map(\.name)
        let suggestion = Spelling.nearest(to: word, among: names)
        let known = suggestion == nil ? " Its commands are \(list(names, "and"))." : ""
        return Self(.unknownCommand, node, message + known, suggestion)
    }

    static func missingCommand(in node: CommandNode) -> Self {
        Self(.missingCommand, node, "“\(node)” needs a command: \(oneOf(node.commands.map(\.name))).")
    }

    /// The option whose value has the name that a word has: `--as USER` for `--user`.
    private static func option(taking word: String, in node: CommandNode) -> String? {
        node.options.first { option in
            option.placeholder.map { "--\($0.lowercased())" == word } ?? false
        }?.spelling
    }

    static func unknownOption(_ option: String, in node: CommandNode) -> Self {
        if let remedy = node.remedies[option] {
            return Self(.unknownOption, node, "“\(node)” has no option \(quoted(option)). \(remedy)")
        }
        let isLong = option.utf8.starts(with: "--".utf8)
        let familiar = node.options.first { $0.familiarNames.contains { option == "--\($0)" } }
        let suggestion =
            isLong
            ? familiar?.spelling ?? Spelling.nearest(to: option, among: node.options.map(\.spelling))
                ?? self.option(taking: option, in: node)
            : nil
        let wayOut =
            !isLong && !node.arguments.isEmpty ? " Put “--” before an argument that begins with “-”." : ""
        return Self(.unknownOption, node, "“\(node)” has no option \(quoted(option)).\(wayOut)", suggestion)
    }

    static func missingOption(_ option: Declaration, in node: CommandNode) -> Self {
        let often = option.minimum > 1 ? ", at least \(option.minimum) times" : ""
        let placeholder = option.placeholder.map { " " + $0 } ?? ""
        return Self(.missingOption, node, "“\(node)” needs the option “\(option.spelling)\(placeholder)”\(often).")
    }

    static func repeatedOption(_ option: Declaration, in node: CommandNode) -> Self {
        Self(.repeatedOption, node, "The option “\(option.spelling)” was given more than once.")
    }

    static func missingValue(of option: Declaration, before next: String?, in node: CommandNode) -> Self {
        let wayOut = next.map { " If \(quoted($0)) is the value, join them with “=”: \(option.spelling)=VALUE." } ?? ""
        let placeholder = option.placeholder ?? "VALUE"
        return Self(
            .missingValue,
            node,
            "The option “\(option.spelling)” needs a value: \(option.spelling) \(placeholder).\(wayOut)"
        )
    }

    static func unexpectedValue(_ value: String, of flag: Declaration, in node: CommandNode) -> Self {
        Self(.unexpectedValue, node, "The option “\(flag.spelling)” takes no value, but got \(quoted(value)).")
    }

    static func invalidValue(_ error: InvalidArgument, of parameter: Declaration, in node: CommandNode) -> Self {
        Self(
            .invalidValue,
            node,
            "\(quoted(error.word)) isn't a valid value for \(parameter.titled): \(error.reason)".asSentenceEnd
        )
    }

    static func unknownChoice(_ word: String, of parameter: Declaration, in node: CommandNode) -> Self {
        Self(
            .unknownChoice,
            node,
            "\(quoted(word)) isn't a valid value for \(parameter.titled): expected \(oneOf(parameter.choices)).",
            Spelling.nearest(to: word, among: parameter.choices)
        )
    }

    static func missingArgument(_ argument: Declaration, in node: CommandNode) -> Self {
        let often = argument.minimum > 1 ? ", at least \(argument.minimum) times" : ""
        return Self(.missingArgument, node, "“\(node)” needs the argument \(argument.name)\(often).")
    }

    static func unexpectedArgument(_ word: String, in node: CommandNode) -> Self {
        let names = node.arguments.map(\.name)
        let taken = names.isEmpty ? "takes no arguments" : "takes \(list(names, "and")) only"
        return Self(.unexpectedArgument, node, "Unexpected argument \(quoted(word)): “\(node)” \(taken).")
    }

    private init(_ code: Code, _ node: CommandNode, _ message: String, _ suggestion: String? = nil) {
        self.init(code: code, path: node.path, message: message, suggestion: suggestion)
    }
}

extension Declaration {
    fileprivate var titled: String {
        kind == .argument ? "the argument \(name)" : "the option “\(spelling)”"
    }
}
