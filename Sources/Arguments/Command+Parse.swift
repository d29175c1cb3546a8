// SPDX-License-Identifier: Apache-2.0
// From the words of a command line to what the program shall do. Nothing is printed and nothing exits here.

/// What a command line asks for.
public enum Invocation<Action: Sendable>: Sendable {
    /// Run the command's action with these values.
    case run(Action, Parsed)
    /// Print this text, help or the version, and leave successfully.
    case print(String)
}

extension Command {
    /// Reads the words after the program's name; `width` is that of the help text, should help be asked for.
    public func parse(_ words: [String], width: Int = 80) throws(ArgumentError) -> Invocation<Action> {
        var parser = Parser(root: self, words: words, width: width)
        return try parser.parse()
    }
}
