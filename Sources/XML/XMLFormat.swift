// SPDX-License-Identifier: Apache-2.0
// The layout of written XML.

/// Options of the layout, where XML leaves a choice.
public struct XMLFormat: Hashable, Sendable {
    /// The first line of a document.
    public enum Declaration: Hashable, Sendable {
        case none
        /// `<?xml version="1.0" encoding="UTF-8"?>`
        case plain
        /// With `standalone="yes"`, as in data models.
        case standalone
    }

    /// The indentation of each level of nesting.
    public enum Indentation: Hashable, Sendable {
        /// Everything on one line, without added white space.
        case none
        case spaces(Int)
        case tab
    }

    public var declaration: Declaration
    public var indentation: Indentation
    /// If false, the children of the root are not indented, as in property lists.
    public var indentsRootChildren: Bool
    public var endsWithNewline: Bool

    /// As Xcode writes the `contents` of a data model: standalone, four spaces, no line end after the root.
    public static let model = XMLFormat()
    /// As property lists are written: tabs, and a line end after the root.
    public static let propertyList = XMLFormat(
        declaration: .plain,
        indentation: .tab,
        indentsRootChildren: false,
        endsWithNewline: true
    )
    /// Only the element, on one line; parsing it returns an equal tree.
    public static let compact = XMLFormat(declaration: .none, indentation: .none)

    public init(
        declaration: Declaration = .standalone,
        indentation: Indentation = .spaces(4),
        indentsRootChildren: Bool = true,
        endsWithNewline: Bool = false
    ) {
        self.declaration = declaration
        self.indentation = indentation
        self.indentsRootChildren = indentsRootChildren
        self.endsWithNewline = endsWithNewline
    }
}
