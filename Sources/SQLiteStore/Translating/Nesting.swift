// SPDX-License-Identifier: Apache-2.0

// Limits of SQLite on a statement: its depth of nesting and its number of bound values.

import SQLiteDriver

/// An upper bound of SQL's nesting as SQLite counts it.
///
/// SQLite's parser has a stack of 100 entries. Each open bracket takes some of them, for itself and for
/// what precedes it on its level: `a AND b = (` takes five. An expression may be 1000 operators high, and
/// each operator of a chain counts.
struct Nesting {
    private(set) var stack = 0
    private(set) var height = 0

    private var levels = [Level()]
    private var taken = 0
    private var previous = Token.other
    private var prefixes = 0

    private struct Level {
        var isCase = false
        /// The stack entries that the level takes.
        var places = 0
        var operators = 0
        var highest = 0
        /// Whether an AND or OR, or a list or CASE, is waiting for an operand.
        var isJoining = false
        var isListing = false

        var height: Int { operators + highest + 1 }
    }

    private enum Token {
        case name, `operator`, other
    }

    init(_ text: String) {
        let bytes = text.utf8
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let start = place
            let byte = bytes[place]
            bytes.formIndex(after: &place)
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                place = bytes[place...].firstIndex(of: byte).map { bytes.index(after: $0) } ?? bytes.endIndex
                recordToken(byte == UInt8(ascii: "\"") ? .name : .other)
            case UInt8(ascii: "("): open()
            case UInt8(ascii: ")"): close()
            case UInt8(ascii: ","):
                levels[levels.count - 1].isListing = true
                levels[levels.count - 1].isJoining = false
                recordToken(.other)
            case _ where byte.isOfOperator:
                place = bytes[place...].firstIndex { !$0.isOfOperator } ?? bytes.endIndex
                recordOperator()
            case _ where byte.isOfWord:
                place = bytes[place...].firstIndex { !$0.isOfWord } ?? bytes.endIndex
                word(text[start..<place])
            case UInt8(ascii: " "): break
            default: recordToken(.other)
            }
        }
        while levels.count > 1 { closeLevel() }
        height = levels[0].height
    }

    private mutating func word(_ word: Substring) {
        let last = levels.count - 1
        switch word {
        case "NOT", "EXISTS": prefixes += 1
        case "AND", "OR":
            levels[last].operators += 1
            levels[last].isJoining = true
            recordToken(.other)
        case "IS", "IN": recordOperator()
        case "CASE": open(isCase: true)
        case "THEN", "ELSE", "WHEN":
            levels[last].isListing = word != "WHEN"
            levels[last].isJoining = false
            recordToken(.other)
        case "END": if levels[last].isCase { closeLevel() }
        case "SELECT":
            reserve(6)
            recordToken(.other)
        case "FROM", "ON", "WHERE", "HAVING", "BY", "LIMIT", "OFFSET", "JOIN":
            levels[last].isListing = false
            levels[last].isJoining = false
            recordToken(.other)
        default: recordToken(.name)
        }
    }

    private mutating func recordToken(_ token: Token) {
        previous = token
        prefixes = 0
    }

    private mutating func recordOperator() {
        levels[levels.count - 1].operators += 1
        recordToken(.operator)
    }

    private mutating func open(isCase: Bool = false) {
        let level = levels[levels.count - 1]
        let waiting = [level.isJoining, level.isListing, previous != .other].count { $0 }
        levels.append(Level(isCase: isCase))
        reserve((isCase ? 3 : 1) + prefixes + 2 * waiting)
        recordToken(.other)
    }

    private mutating func reserve(_ places: Int) {
        levels[levels.count - 1].places += places
        taken += places
        stack = max(stack, taken)
    }

    private mutating func close() {
        while levels.count > 1, levels[levels.count - 1].isCase { closeLevel() }
        if levels.count > 1 { closeLevel() }
        recordToken(.other)
    }

    private mutating func closeLevel() {
        let level = levels.removeLast()
        taken -= level.places
        levels[levels.count - 1].highest = max(levels[levels.count - 1].highest, level.height)
        recordToken(.other)
    }
}

extension UInt8 {
    fileprivate var isOfOperator: Bool { "=<>+-*/%&|~".utf8.contains(self) }

    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}

extension SQL {
    /// Throws if a part of a statement exceeds a limit, alone or together with other parts.
    func check(besideBindings count: Int = 0) throws(Untranslatable) {
        guard bindings.count + count <= Self.maximumBindings else {
            throw Untranslatable("has too many values for one statement")
        }
        let nesting = Nesting(text)
        // Leaves room for the rest of the statement.
        guard nesting.stack <= 60, nesting.height <= 800 else { throw Untranslatable("is nested too deeply for SQL") }
    }

    /// For conditions, order and columns each; SQLite allows 32,766.
    private static var maximumBindings: Int { 10_000 }
}
