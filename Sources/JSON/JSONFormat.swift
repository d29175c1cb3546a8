// SPDX-License-Identifier: Apache-2.0
// The layout of written JSON.

/// Options of the layout, where JSON leaves a choice.
public struct JSONFormat: Hashable, Sendable {
    /// The number of spaces for each level of nesting, or nil for a single line without spaces.
    public var indentation: Int?
    /// The line length in bytes up to which an array of scalars is written on one line.
    public var width: Int
    /// How many levels of objects are always written over several lines. Deeper ones are written on one line like
    /// arrays, if they contain only scalars and arrays of scalars.
    public var openLevels: Int
    public var endsWithNewline: Bool

    public static let compact = JSONFormat(indentation: nil)
    /// For display: two spaces, and short arrays on one line.
    public static let pretty = JSONFormat(indentation: 2)

    public init(indentation: Int?, width: Int = 100, openLevels: Int = .max, endsWithNewline: Bool = false) {
        self.indentation = indentation
        self.width = width
        self.openLevels = openLevels
        self.endsWithNewline = endsWithNewline
    }
}
