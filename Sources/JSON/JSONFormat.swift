// SPDX-License-Identifier: Apache-2.0
// How values are laid out when they are written.

/// The choices a writer leaves open.
public struct JSONFormat: Hashable, Sendable {
    /// Spaces for each level of nesting, or nil for everything on one line without any.
    public var indentation: Int?
    /// Up to which line length in bytes an array without arrays and objects stays on one line.
    public var width: Int
    /// How many levels of objects are always written over several lines. Those further in stay on one line like arrays,
    /// if nothing in them is nested deeper.
    public var openLevels: Int
    public var endsWithNewline: Bool

    public static let compact = JSONFormat(indentation: nil)
    /// For people: two spaces, and short arrays on one line.
    public static let pretty = JSONFormat(indentation: 2)

    public init(indentation: Int?, width: Int = 100, openLevels: Int = .max, endsWithNewline: Bool = false) {
        self.indentation = indentation
        self.width = width
        self.openLevels = openLevels
        self.endsWithNewline = endsWithNewline
    }
}
