// SPDX-License-Identifier: Apache-2.0

// Patterns of LIKE: `?` matches one code point, `*` any number; `\` escapes the next character.

/// A compiled pattern of `LIKE`.
package struct LikePattern {
    /// A literal byte, or a wildcard.
    private enum Token: Equatable {
        case byte(UInt8)
        case one
        case any
    }

    private let pattern: String
    private let tokens: [Token]
    private let options: Comparison.Options

    package init(_ pattern: String, _ options: Comparison.Options = []) {
        self.pattern = pattern
        self.options = options.folding
        var tokens: [Token] = []
        var literal = String.UnicodeScalarView()
        func endLiteral() {
            tokens += Text.folded(String(literal), options).utf8.map(Token.byte)
            literal.removeAll()
        }
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped || scalar != "\\" && scalar != "*" && scalar != "?" {
                literal.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                endLiteral()
                // Consecutive stars are equivalent to one.
                if scalar == "?" || tokens.last != .any { tokens.append(scalar == "?" ? .one : .any) }
            }
        }
        if isEscaped { literal.append("\\") }
        endLiteral()
        self.tokens = tokens
    }

    /// Whether the pattern matches the whole text.
    ///
    /// Only the last star is retried, so the work is at most the product of the lengths, and it is limited further.
    package func matches(_ text: String) throws(EvaluationError) -> Bool {
        let folded = Text.folded(text, options)
        let bytes = folded.utf8.span
        var remaining = 1_000_000 + 64 * bytes.count
        var position = 0
        var token = 0
        var retry: (position: Int, token: Int)?
        while position < bytes.count {
            remaining -= 1
            if remaining < 0 { throw .patternTooExpensive(pattern) }
            if token < tokens.count {
                switch tokens[token] {
                case .any:
                    token += 1
                    retry = (position, token)
                    continue
                case .one:
                    position += Self.scalarLength(bytes[position])
                    token += 1
                    continue
                case .byte(bytes[position]):
                    position += 1
                    token += 1
                    continue
                case .byte:
                    break
                }
            }
            guard let last = retry else { return false }
            position = last.position + Self.scalarLength(bytes[last.position])
            token = last.token
            retry = (position, token)
        }
        return tokens[token...].allSatisfy { $0 == .any }
    }

    private static func scalarLength(_ lead: UInt8) -> Int {
        lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    }
}
