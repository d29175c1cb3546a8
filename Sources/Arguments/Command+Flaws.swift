// SPDX-License-Identifier: Apache-2.0
// Consistency checks on command declarations, to be run by a test of the program.

extension Command {
    /// The contradictions in the declarations of this command and its subcommands; empty if there are none.
    ///
    ///     #expect(root.flaws == [])
    package var flaws: [String] {
        nodes.flatMap(\.flaws)
    }
}

extension CommandNode {
    fileprivate var flaws: [String] {
        var flaws: [String] = []
        let names = path.suffix(1) + own.filter { $0.kind != .argument }.map(\.name)
        for name in names where !isPlain(name) {
            flaws.append("\(self): the name “\(name)” is not made of lower-case letters, digits and hyphens.")
        }
        for spelling in repeated((arguments + options).map(\.spelling)) {
            flaws.append("\(self): \(spelling) is declared more than once.")
        }
        for letter in repeated(options.compactMap(\.short)) {
            flaws.append("\(self): -\(letter) is declared more than once.")
        }
        for name in repeated(commands.map(\.name)) {
            flaws.append("\(self): the command “\(name)” is declared more than once.")
        }
        if path.count > 2, path.last == "help" { flaws.append("\(self): the command “help” is built in.") }
        for case let letter? in own.map(\.short) where !letter.isASCII || !letter.isLetter {
            flaws.append("\(self): -\(letter) is not a letter from a to z or A to Z.")
        }
        for parameter in own where !parameter.choices.isEmpty {
            for word in parameter.defaults where !parameter.choices.contains(word) {
                flaws.append("\(self): the default “\(word)” is not among the choices of \(parameter.spelling).")
            }
        }
        if arguments.filter(\.repeats).count > 1 {
            flaws.append("\(self): more than one argument repeats.")
        }
        if !commands.isEmpty, !arguments.isEmpty {
            flaws.append("\(self): a group of commands can't have arguments of its own.")
        }
        if !commands.isEmpty, own.contains(where: { $0.minimum > 0 }) {
            flaws.append("\(self): an option that all commands share can't be required.")
        }
        for summary in [summary] + own.map(\.summary) where summary.isEmpty || summary.contains("\n") {
            flaws.append("\(self): the summary “\(summary)” is not one line.")
        }
        return flaws
    }

    private func isPlain(_ name: String) -> Bool {
        name.first != "-" && !name.isEmpty
            && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    }

    private func repeated<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { !seen.insert($0).inserted }
    }
}
