// SPDX-License-Identifier: Apache-2.0

// Functions on text that match the evaluator. SQLite's own know only ASCII, and some end at a NUL character.

import FoundationEssentials
import Predicates
import SQLiteDriver

extension Connection {
    func defineTextFunctions() throws {
        try defineOnText("outcrop_fold", 2) { arguments in
            .text(Text.folded(arguments.string(0), arguments.options(1)))
        }
        try defineOnText("outcrop_length", 1) { .integer(Int64($0.string(0).utf16.count)) }
        try defineOnText("outcrop_begins", 2) { .integer($0.hasBytes(of: 1, at: { _, _ in 0 }) ? 1 : 0) }
        try defineOnText("outcrop_ends", 2) { .integer($0.hasBytes(of: 1, at: { $0 - $1 }) ? 1 : 0) }
        try defineOnText("outcrop_like", 3) { arguments in
            let pattern = arguments.cached(1) { LikePattern(arguments.string(1), arguments.options(2)) }
            return .integer(try pattern.matches(arguments.string(0)) ? 1 : 0)
        }
        try defineOnText("outcrop_matches", 3) { arguments in
            let pattern = try arguments.cached(1) {
                try RegularExpression(arguments.string(1), arguments.options(2))
            }
            return .integer(try pattern.matches(arguments.string(0)) ? 1 : 0)
        }
        try defineOnText("outcrop_locale_order", 2) { arguments in
            .integer(Int64(Text.order(arguments.string(0), arguments.string(1), .localeSensitive).rawValue))
        }
        try defineCollation("outcrop_locale") { left, right in
            let left = String(utf8: left)
            let right = String(utf8: right)
            return Text.order(left, right, .localeSensitive).rawValue
        }
    }

    /// Defines a function that returns NULL if any argument is NULL.
    private func defineOnText(_ name: String, _ count: Int, _ body: @escaping Function) throws {
        try define(function: name, arguments: count) { arguments in
            for index in 0..<count where arguments.isNull(index) { return .null }
            return try body(arguments)
        }
    }
}

extension FunctionArguments {
    /// The options of a comparison.
    fileprivate func options(_ index: Int) -> Comparison.Options {
        Comparison.Options(rawValue: UInt8(truncatingIfNeeded: int64(index)))
    }

    /// Whether the first argument contains another one's bytes at a position.
    fileprivate func hasBytes(of index: Int, at place: (_ whole: Int, _ part: Int) -> Int) -> Bool {
        let whole = bytes(0)
        let part = bytes(index)
        let start = place(whole.count, part.count)
        guard start >= 0, whole.count - start >= part.count else { return false }
        for offset in part.indices where whole[start + offset] != part[offset] { return false }
        return true
    }
}

extension String {
    fileprivate init(utf8 bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        self.init(decoding: copy, as: UTF8.self)
    }
}
