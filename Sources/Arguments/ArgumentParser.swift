// SPDX-License-Identifier: Apache-2.0
// Parses a command line word by word: options anywhere, subcommands while there are any, then arguments.

struct ArgumentParser<Action: Sendable> {
    private let width: Int
    private var words: ArraySlice<String>
    private var command: Command<Action>
    private var node: CommandNode
    /// The parameters of the command and of the enclosing groups.
    private var parameters: [any Parameter]
    private var given: [String: [String]] = [:]
    private var arguments: [String] = []
    private var optionsHaveEnded = false

    init(root: Command<Action>, words: [String], width: Int) {
        self.width = width
        self.words = words[...]
        command = root
        node = root.node(below: nil)
        parameters = root.parameters
    }

    mutating func parse() throws(ArgumentError) -> Invocation<Action> {
        while let word = words.popFirst() {
            if optionsHaveEnded || !looksLikeOption(word) {
                if command.commands.isEmpty {
                    arguments.append(word)
                } else if word == "help" {
                    return try helpOnRest()
                } else {
                    try descend(to: word)
                }
            } else if word == "--" {
                optionsHaveEnded = true
            } else {
                let flag = word.utf8.starts(with: "--".utf8) ? try readLong(word) : try readShort(word)
                if flag == .help { return .print(node.help(width: width)) }
                if flag == .helpAll { return .print(node.wholeHelp(width: width)) }
                if flag == .version { return .print(command.version ?? "") }
            }
        }
        guard case .action(let action) = command.content else { throw .missingCommand(in: node) }
        return .run(action, ParsedArguments(path: node.path, values: try values()))
    }

    private mutating func descend(to name: String) throws(ArgumentError) {
        guard let next = command.commands.first(where: { $0.name == name }) else {
            guard !command.commands.isEmpty else { throw .unexpectedArgument(name, in: node) }
            let groups = command.commands.filter { group in group.commands.contains { $0.name == name } }
            throw .unknownCommand(name, in: node, butIn: groups.map(\.name))
        }
        command = next
        node = next.node(below: node)
        parameters += next.parameters
    }

    private mutating func helpOnRest() throws(ArgumentError) -> Invocation<Action> {
        while let name = words.popFirst() {
            if node.path.count > 1 || name != "help" { try descend(to: name) }
        }
        return .print(node.help(width: width))
    }

    /// Parses `--name`, `--name=value` or `--name value`, and returns the option's declaration.
    private mutating func readLong(_ word: String) throws(ArgumentError) -> Declaration {
        let end = word.utf8.firstIndex(of: UInt8(ascii: "=")) ?? word.endIndex
        let spelling = String(word[..<end])
        guard let option = node.options.first(where: { $0.spelling == spelling }) else {
            throw .unknownOption(spelling, in: node)
        }
        try readValue(option, attached: end == word.endIndex ? nil : String(word.unicodeScalars[end...].dropFirst()))
        return option
    }

    /// Parses `-v`, `-vj`, `-o value`, `-ovalue` or `-o=value`, and returns the last declaration, or that of help.
    private mutating func readShort(_ word: String) throws(ArgumentError) -> Declaration? {
        var letters = word.unicodeScalars.dropFirst()
        var option: Declaration?
        while let letter = letters.popFirst() {
            guard let found = node.options.first(where: { $0.short == Character(letter) }) else {
                throw .unknownOption("-\(letter)", in: node)
            }
            option = found
            if found == .help { break }
            guard found.kind == .option else {
                if letters.first == "=" { throw .unexpectedValue(String(letters.dropFirst()), of: found, in: node) }
                try readValue(found, attached: nil)
                continue
            }
            let value = letters.first == "=" ? letters.dropFirst() : letters
            try readValue(found, attached: letters.isEmpty ? nil : String(value))
            break
        }
        return option
    }

    private mutating func readValue(_ option: Declaration, attached: String?) throws(ArgumentError) {
        if option.kind == .flag {
            if let attached { throw .unexpectedValue(attached, of: option, in: node) }
            given[option.spelling] = [""]
            return
        }
        if !option.repeats, given[option.spelling] != nil { throw .repeatedOption(option, in: node) }
        if attached == nil, !(words.first.map { canBeValue($0, of: option) } ?? false) {
            throw .missingValue(of: option, before: words.first, in: node)
        }
        if let value = attached ?? words.popFirst() { given[option.spelling, default: []].append(value) }
    }

    private func canBeValue(_ word: String, of option: Declaration) -> Bool {
        !looksLikeOption(word) || option.allowsLeadingDash && !word.hasPrefix("--")
    }

    /// Whether a word is an option: it begins with a dash, but is neither a lone dash nor a negative number.
    private func looksLikeOption(_ word: String) -> Bool {
        guard word.utf8.first == UInt8(ascii: "-"), let second = word.utf8.dropFirst().first else { return false }
        let startsNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second) || second == UInt8(ascii: ".")
        return !(startsNumber && Double(word) != nil)
    }
}

// MARK: - Values

extension ArgumentParser {
    private mutating func values() throws(ArgumentError) -> [String: any Sendable] {
        try assignArguments()
        var values: [String: any Sendable] = [:]
        for parameter in parameters {
            let declaration = parameter.declaration
            let words = given[declaration.spelling] ?? []
            if words.count < declaration.minimum {
                throw .missingOption(declaration, in: node)
            }
            if !declaration.choices.isEmpty, let word = words.first(where: { !declaration.choices.contains($0) }) {
                throw .unknownChoice(word, of: declaration, in: node)
            }
            do throws(InvalidArgument) {
                values[declaration.spelling] = try parameter.value(from: words)
            } catch {
                throw .invalidValue(error, of: declaration, in: node)
            }
        }
        return values
    }

    /// Assigns each argument the words it requires, and the rest to the first arguments that accept more.
    private mutating func assignArguments() throws(ArgumentError) {
        var rest = arguments[...]
        var spare = arguments.count - node.arguments.reduce(0) { $0 + $1.minimum }
        for argument in node.arguments {
            let room = argument.repeats ? .max : 1 - argument.minimum
            let extra = max(0, min(spare, room))
            let share = rest.prefix(argument.minimum + extra)
            if share.count < argument.minimum { throw .missingArgument(argument, in: node) }
            given[argument.spelling] = Array(share)
            rest = rest.dropFirst(share.count)
            spare -= extra
        }
        if let word = rest.first { throw .unexpectedArgument(word, in: node) }
    }
}
