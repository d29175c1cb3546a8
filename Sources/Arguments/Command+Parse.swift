// SPDX-License-Identifier: Apache-2.0
// Parsing of command lines. It neither prints nor exits.

/// The result of parsing a command line.
package enum Invocation<Action: Sendable>: Sendable {
    /// Run the command's action with these values.
    case run(Action, ParsedArguments)
    /// Print this text, help or the version, and exit successfully.
    case print(String)
}

extension Command {
    /// Parses the words after the program's name; `width` is the width of the help text.
    package func parse(_ words: [String], width: Int = 80) throws(ArgumentError) -> Invocation<Action> {
        var parser = ArgumentParser(root: self, words: words, width: width)
        return try parser.parse()
    }
}
