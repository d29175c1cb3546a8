// SPDX-License-Identifier: Apache-2.0

// The words that the format language keeps for itself, in any case of letters.

/// A reserved word. A property of that name is written with `#` in front: `#in`.
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

    /// The words that mean something only in brackets or before a parenthesis, and are names elsewhere.
    var isContextual: Bool {
        switch self {
        case .first, .last, .size, .subquery, .ternary, .cast, .function, .fetch: true
        default: false
        }
    }

    /// The keyword that a name is, whatever its case.
    init?(_ name: some StringProtocol) {
        guard name.utf8.count <= 14, let keyword = Self.byName[name.lowercased()] else { return nil }
        self = keyword
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
}
