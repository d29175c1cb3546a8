// SPDX-License-Identifier: Apache-2.0

/// Limits that protect against hostile format strings. They are checked while parsing, so nothing exceeds them.
public struct FormatLimits: Hashable, Sendable {
    /// The maximum length in bytes, checked before parsing. Long lists of values should be arguments.
    public var maximumLength: Int
    /// How deeply parentheses, expressions and the values of arguments can be nested. Each level uses stack, here and
    /// in all code that walks the predicate: 100 levels need less than 512 KB, or 2 MB without optimization.
    public var maximumDepth: Int
    /// The maximum number of operands and comparisons. Each is evaluated for every object.
    public var maximumTerms: Int

    public init(maximumLength: Int = 65_536, maximumDepth: Int = 100, maximumTerms: Int = 5_000) {
        self.maximumLength = maximumLength
        self.maximumDepth = maximumDepth
        self.maximumTerms = maximumTerms
    }

    public static let standard = FormatLimits()
}
