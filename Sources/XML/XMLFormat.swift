// SPDX-License-Identifier: Apache-2.0
// How a tree is laid out when it is written.

/// The choices a writer leaves open.
public struct XMLFormat: Hashable, Sendable {
    /// The first line of a document.
    public enum Declaration: Hashable, Sendable {
        case none
        /// `<?xml version="1.0" encoding="UTF-8"?>`
        case plain
        /// The same with `standalone="yes"`, as in data models.
        case standalone
    }

    /// What a level of nesting adds before a line.
    public enum Indentation: Hashable, Sendable {
        /// Everything on one line, with no white space added.
        case none
        case spaces(Int)
        case tab
    }

    public var declaration: Declaration
    public var indentation: Indentation
    /// False where the children of the root start their lines like the root does, as in property lists.
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
    /// The element alone on one line; reading it gives back an equal tree.
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
