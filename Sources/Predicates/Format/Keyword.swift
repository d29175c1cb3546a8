// SPDX-License-Identifier: Apache-2.0

// The reserved words of the format language, in any case.

/// A reserved word. A property with this name is escaped with `#`: `#in`.
enum Keyword: String, CaseIterable {
    case and, or, not
    case `in`, like, matches, contains, beginswith, endswith, between
    case any, some, all, none
    case null, `nil`, `true`, yes, `false`, no
    case `self`
    case truepredicate, falsepredicate
    case first, last, size
    case subquery, ternary, cast, function, fetch
    case anykey

    /// Whether the word is reserved only in brackets or before a parenthesis.
    var isContextual: Bool {
        switch self {
        case .first, .last, .size, .subquery, .ternary, .cast, .function, .fetch: true
        default: false
        }
    }

    /// The keyword with this name in any case.
    init?(_ name: some StringProtocol) {
        guard name.utf8.count <= 14, let keyword = Self.byName[name.lowercased()] else { return nil }
        self = keyword
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
