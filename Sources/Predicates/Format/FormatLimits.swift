// SPDX-License-Identifier: Apache-2.0

// What keeps a hostile format string from costing more than it is worth.

/// Bounds on a format string. They are checked while it is read, so nothing grows beyond them.
public struct FormatLimits: Hashable, Sendable {
    /// Longer formats are refused unread. Long lists of values belong into arguments.
    public var maximumLength: Int
    /// How deep parentheses and expressions may nest, and the values of arguments. Each level takes stack, here and in all
    /// that walks the predicate: a hundred take less than 512 KB of it, and without optimization less than 2 MB.
    public var maximumDepth: Int
    /// How many operands and comparisons there may be. Each is evaluated for each object.
    public var maximumTerms: Int

    public init(maximumLength: Int = 65_536, maximumDepth: Int = 100, maximumTerms: Int = 5_000) {
        self.maximumLength = maximumLength
        self.maximumDepth = maximumDepth
        self.maximumTerms = maximumTerms
    }

    public static let standard = FormatLimits()
}
