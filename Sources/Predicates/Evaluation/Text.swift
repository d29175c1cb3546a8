// SPDX-License-Identifier: Apache-2.0

// Text operations that need ICU: folding, the root locale's order, regular expressions. This is the only file that
// imports Foundation. ASCII text takes a fast path without ICU.

package import Foundation

/// Text comparison of predicates. SQL stores register these functions, so that both agree.
package enum Text {
    /// Folds the text as the options require.
    ///
    /// The length can change: `[c]` folds `ß` to `ss`, `[d]` folds `e` with a combining accent to `e`.
    package static func folded(_ text: String, _ options: Comparison.Options) -> String {
        let options = options.folding
        if options.isEmpty { return text }
        switch ascii(text) {
        case .lowercase: return text
        case .mixedCase: return options.contains(.caseInsensitive) ? text.lowercased() : text
        case .none: break
        }
        var folding: String.CompareOptions = []
        if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
        return text.folding(options: folding, locale: nil)
    }

    /// The text without case and diacritics, the result of `canonical:`.
    package static func canonical(_ text: String) -> String {
        folded(text, [.caseInsensitive, .diacriticInsensitive])
    }

    /// The order of two texts: by code point after folding, or by the root locale for `[l]`.
    package static func order(_ left: String, _ right: String, _ options: Comparison.Options = []) -> ComparisonResult {
        if options.isEmpty { return codePointOrder(left, right) }
        let left = folded(left, options)
        let right = folded(right, options)
        return options.contains(.localeSensitive)
            ? left.compare(right, options: [], range: nil, locale: rootLocale) : codePointOrder(left, right)
    }

    /// Whether two texts are equal under the options; without options, by code points.
    package static func equal(_ left: String, _ right: String, _ options: Comparison.Options = []) -> Bool {
        if options.isEmpty { return left.utf8.count == right.utf8.count && codePointOrder(left, right) == .orderedSame }
        return order(left, right, options) == .orderedSame
    }

    private static let rootLocale = Locale(identifier: "")

    /// UTF-8 bytes have the same order as their code points.
    private static func codePointOrder(_ left: String, _ right: String) -> ComparisonResult {
        let left = left.utf8.span
        let right = right.utf8.span
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index] ? .orderedAscending : .orderedDescending
        }
        return left.count == right.count
            ? .orderedSame : left.count < right.count ? .orderedAscending : .orderedDescending
    }

    private enum ASCII { case lowercase, mixedCase }

    private static func ascii(_ text: String) -> ASCII? {
        let bytes = text.utf8.span
        var result = ASCII.lowercase
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte >= 0x80 { return nil }
            if byte >= 0x41 && byte <= 0x5A { result = .mixedCase }
        }
        return result
    }
}

/// A regular expression of `MATCHES`: ICU's syntax, matching the whole text, with limited work.
package final class RegularExpression {
    private let pattern: String
    private let expression: NSRegularExpression
    private let folding: Comparison.Options

    package init(_ pattern: String, _ options: Comparison.Options = []) throws(EvaluationError) {
        let folding = options.folding.intersection(.diacriticInsensitive)
        let text = Text.folded(pattern, folding)
        let flags: NSRegularExpression.Options = options.folding.contains(.caseInsensitive) ? .caseInsensitive : []
        guard text.utf8.count <= Self.longestPattern else {
            throw .invalidRegularExpression(pattern, reason: "it is longer than \(Self.longestPattern) bytes.")
        }
        // The pattern must be valid by itself: `a)|(b` becomes balanced only by the wrapping.
        guard text.isEmpty || (try? NSRegularExpression(pattern: text, options: flags)) != nil else {
            throw .invalidRegularExpression(pattern, reason: "ICU can't parse “\(pattern)”.")
        }
        // An unanchored match can be too short (`a|ab` on `ab`), hence the anchors. The closing parenthesis could be
        // part of a comment under `(?x)`, or quoted by a `\Q` without `\E`, hence the second and third form.
        let wrapped = [")\\z", "\n)\\z", "\\E)\\z"].lazy.compactMap { end in
            try? NSRegularExpression(pattern: "\\A(?:" + text + end, options: flags)
        }
        guard let expression = wrapped.first else {
            throw .invalidRegularExpression(pattern, reason: "ICU can't parse “\(pattern)”.")
        }
        self.pattern = pattern
        self.expression = expression
        self.folding = folding
    }

    /// Whether the expression matches the whole text.
    package func matches(_ text: String) throws(EvaluationError) -> Bool {
        let text = Text.folded(text, folding)
        let length = text.utf16.count
        // ICU reports progress about every 10,000 steps, and on completion whether it ran out of memory.
        var remaining = 1_000 + length / 5_000
        var found = false
        var failed = false
        unsafe expression.enumerateMatches(
            in: text,
            options: [.anchored, .reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: length)
        ) { match, flags, stop in
            found = found || match != nil
            remaining -= 1
            failed = failed || flags.contains(.internalError) || remaining < 0
            if found || failed { unsafe stop.pointee = true }
        }
        guard !failed else { throw .patternTooExpensive(pattern) }
        return found
    }

    private static let longestPattern = 10_000
}

extension Comparison.Options {
    /// The effective `[c]` and `[d]`, which `[n]` overrides.
    var folding: Comparison.Options {
        contains(.normalized) ? [] : intersection([.caseInsensitive, .diacriticInsensitive])
    }
}
