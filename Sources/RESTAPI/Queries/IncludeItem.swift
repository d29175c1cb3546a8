// SPDX-License-Identifier: Apache-2.0

// Parses `include`: `tags(sort=name,limit=5),author.company`.

import SourceText

/// One key path of `include` with the options of its steps.
struct IncludeItem: Equatable {
    struct Step: Equatable {
        var name: String
        /// In Unicode scalars from the start of the parameter.
        var position: Int
        var options: [Option] = []
    }

    struct Option: Equatable {
        var name: String
        var value: String
        var position: Int
    }

    var steps: [Step]

    static let optionNames = ["where", "sort", "limit", "select"]

    /// How to include relationships of included objects.
    static let nestingHint = "Write a path for each relationship: include=author,author.groups(select=name)."

    /// Throws the position and message of a syntax error.
    static func list(_ text: String) throws(IncludeError) -> [IncludeItem] {
        var parser = IncludeParser(scalars: Array(text.unicodeScalars))
        return try parser.items()
    }
}

struct IncludeError: Error, Equatable {
    let message: String
    var hint: String?
    let position: Int
}

private struct IncludeParser {
    let scalars: [Unicode.Scalar]
    var place = 0

    mutating func items() throws(IncludeError) -> [IncludeItem] {
        var items: [IncludeItem] = []
        skipSpaces()
        while place < scalars.count {
            items.append(try item())
            guard place < scalars.count else { break }
            guard skip(",") else { throw unexpected("a comma") }
            skipSpaces()
            if place == scalars.count { throw unexpected("a relationship") }
        }
        return items
    }

    private mutating func item() throws(IncludeError) -> IncludeItem {
        var item = IncludeItem(steps: [])
        repeat {
            let start = place
            let name = text { !".,()= ".unicodeScalars.contains($0) }
            guard !name.isEmpty else { throw unexpected("a relationship") }
            skipSpaces()
            let options = skip("(") ? try options() : []
            item.steps.append(IncludeItem.Step(name: name, position: start, options: options))
        } while skip(".")
        return item
    }

    private mutating func options() throws(IncludeError) -> [IncludeItem.Option] {
        var options: [IncludeItem.Option] = []
        repeat {
            skipSpaces()
            let start = place
            guard let name = optionName() else { throw unknownOption(at: start) }
            let position = place
            let value = value()
            options.append(IncludeItem.Option(name: name, value: value, position: position))
        } while skip(",")
        guard skip(")") else { throw unexpected("a closing parenthesis") }
        skipSpaces()
        return options
    }

    /// Reads an option's name and equals sign.
    private mutating func optionName() -> String? {
        for name in IncludeItem.optionNames {
            let end = place + name.unicodeScalars.count
            guard end < scalars.count, scalars[end] == "=", scalars[place..<end].elementsEqual(name.unicodeScalars)
            else {
                continue
            }
            place = end + 1
            return name
        }
        return nil
    }

    /// Reads up to the closing bracket, or to a comma before another option, ignoring those in
    /// quotes or nested brackets.
    private mutating func value() -> String {
        let start = place
        var depth = 0
        var quote: Unicode.Scalar?
        while place < scalars.count {
            let scalar = scalars[place]
            if let open = quote {
                if scalar == "\\" { place += 1 } else if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if scalar == "(" {
                depth += 1
            } else if scalar == ")" {
                if depth == 0 { break }
                depth -= 1
            } else if scalar == ",", depth == 0, isBeforeOption {
                break
            }
            place += 1
        }
        place = min(place, scalars.count)
        return string(start..<place)
    }

    private var isBeforeOption: Bool {
        var ahead = self
        ahead.place += 1
        ahead.skipSpaces()
        return ahead.optionName() != nil
    }

    private mutating func text(while isPart: (Unicode.Scalar) -> Bool) -> String {
        let start = place
        while place < scalars.count, isPart(scalars[place]) { place += 1 }
        return string(start..<place)
    }

    private func string(_ range: Range<Int>) -> String {
        scalars[range].reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard place < scalars.count, scalars[place] == scalar else { return false }
        place += 1
        return true
    }

    private mutating func skipSpaces() {
        while place < scalars.count, scalars[place] == " " { place += 1 }
    }

    private func unknownOption(at position: Int) -> IncludeError {
        let word = String(String.UnicodeScalarView(scalars[position...].prefix { $0.properties.isAlphabetic }))
        let names = IncludeItem.optionNames
        let end = position + word.unicodeScalars.count
        let isBeforeSign = end < scalars.count && "(),.".unicodeScalars.contains(scalars[end])
        let isRelationship = !word.isEmpty && (word.hasPrefix("include") || isBeforeSign)
        return IncludeError(
            message: "An option is expected, one of \(names.joined(separator: ", ")).",
            hint: Spelling.hint(for: word, among: names) ?? (isRelationship ? IncludeItem.nestingHint : nil),
            position: position
        )
    }

    private func unexpected(_ expected: String) -> IncludeError {
        let found = place < scalars.count ? "“\(String(scalars[place]))”" : "the end"
        return IncludeError(message: "Expected \(expected), but found \(found).", position: place)
    }
}
