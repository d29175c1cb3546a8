// SPDX-License-Identifier: Apache-2.0

// Turns the text of a search into a tree of terms.

/// Parses the text of a search.
///
///     query  = group { "OR" group }
///     group  = [ "NOT" ] part { [ "AND" ] [ "NOT" ] part }
///     part   = word [ "*" ] | "\"" words "\"" [ "*" ] | "(" query ")"
///
/// 1. It recurses for parentheses only, up to `depthLimit`, so that the tree can be walked recursively too.
/// 2. Text without letters or digits is skipped where a word is expected.
struct SearchParser {
    static let lengthLimit = 1_000
    static let termLimit = 32
    static let depthLimit = 16

    fileprivate enum Token: Equatable {
        case words([UInt8], isPrefix: Bool)
        case and, or, not, open, close
    }

    private(set) var terms: [SearchQuery.Term] = []
    private var tokens: [(token: Token, position: Int)] = []
    private var next = 0
    private let end: Int
    private var depth = 0
    /// The number of enclosing NOTs.
    private var negations = 0

    init(_ text: String) throws(SearchError) {
        let scalars = Array(text.unicodeScalars.prefix(Self.lengthLimit + 1))
        guard scalars.count <= Self.lengthLimit else { throw .tooLong(Self.lengthLimit) }
        end = scalars.count
        var position = 0
        while position < end {
            let start = position
            position += 1
            switch scalars[start] {
            case "(": tokens.append((.open, start))
            case ")": tokens.append((.close, start))
            case "\"":
                guard let close = scalars[position...].firstIndex(of: "\"") else { throw .openPhrase(at: start) }
                let isPrefix = close + 1 < end && scalars[close + 1] == "*"
                append(scalars[position..<close], isPrefix: isPrefix, at: start)
                position = close + (isPrefix ? 2 : 1)
            case let scalar where scalar.properties.isWhitespace: break
            default:
                while position < end, !scalars[position].endsWord { position += 1 }
                switch String(String.UnicodeScalarView(scalars[start..<position])) {
                case "AND": tokens.append((.and, start))
                case "OR": tokens.append((.or, start))
                case "NOT": tokens.append((.not, start))
                default: append(scalars[start..<position], isPrefix: scalars[position - 1] == "*", at: start)
                }
            }
        }
    }

    private mutating func append(_ scalars: ArraySlice<Unicode.Scalar>, isPrefix: Bool, at position: Int) {
        let folded = SearchWords.folded(String(String.UnicodeScalarView(scalars)))
        if !folded.isEmpty { tokens.append((.words(folded, isPrefix: isPrefix), position)) }
    }

    /// Parses the whole text.
    mutating func query() throws(SearchError) -> SearchQuery.Node {
        let root = try alternatives()
        if let (_, position) = peek { throw .closedGroup(at: position) }
        return root
    }

    private var peek: (token: Token, position: Int)? { next < tokens.count ? tokens[next] : nil }

    private mutating func alternatives() throws(SearchError) -> SearchQuery.Node {
        var parts = [try group()]
        while let (token, position) = peek, token == .or {
            next += 1
            guard let (following, _) = peek, following != .or, following != .close else {
                throw .operatorAlone("OR", at: position)
            }
            parts.append(try group())
        }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Parses required and excluded parts.
    private mutating func group() throws(SearchError) -> SearchQuery.Node {
        var wanted: [SearchQuery.Node] = []
        var unwanted: [SearchQuery.Node] = []
        let start = peek?.position ?? end
        loop: while let (token, position) = peek {
            switch token {
            case .or, .close:
                if token == .or, wanted.isEmpty, unwanted.isEmpty { throw .operatorAlone("OR", at: position) }
                break loop
            case .and:
                next += 1
                let isFirst = wanted.isEmpty && unwanted.isEmpty
                guard !isFirst, let (following, _) = peek, following.isOperand || following == .not else {
                    throw .operatorAlone("AND", at: position)
                }
            case .not:
                next += 1
                guard let (following, _) = peek, following.isOperand else { throw .operatorAlone("NOT", at: position) }
                negations += 1
                unwanted.append(try part())
                negations -= 1
            case .words, .open: wanted.append(try part())
            }
        }
        guard !wanted.isEmpty else {
            throw unwanted.isEmpty ? .empty(at: start) : .onlyRuledOut(at: start)
        }
        let found = wanted.count == 1 ? wanted[0] : SearchQuery.Node.and(wanted)
        if unwanted.isEmpty { return found }
        return .not(found, without: unwanted.count == 1 ? unwanted[0] : .or(unwanted))
    }

    private mutating func part() throws(SearchError) -> SearchQuery.Node {
        guard let (token, position) = peek else { throw .empty(at: end) }
        next += 1
        guard case .words(let pattern, let isPrefix) = token else {
            guard depth < Self.depthLimit else { throw .tooDeep(Self.depthLimit, at: position) }
            depth += 1
            let inner = try alternatives()
            depth -= 1
            guard let (closing, _) = peek, closing == .close else { throw .openGroup(at: position) }
            next += 1
            return inner
        }
        guard terms.count < Self.termLimit else { throw .tooManyTerms(Self.termLimit, at: position) }
        terms.append(SearchQuery.Term(pattern: pattern, isPrefix: isPrefix, isWanted: negations == 0))
        return .term(terms.count - 1)
    }
}

extension SearchParser.Token {
    fileprivate var isOperand: Bool {
        switch self {
        case .words, .open: true
        case .and, .or, .not, .close: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var endsWord: Bool { self == "(" || self == ")" || self == "\"" || properties.isWhitespace }
}
