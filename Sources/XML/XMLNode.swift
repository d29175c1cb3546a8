// SPDX-License-Identifier: Apache-2.0
// What can stand inside an element.

/// A child of an element. CDATA sections are text like any other, and processing instructions are not kept.
public enum XMLNode: Hashable, Sendable {
    case element(XMLElement)
    case text(String)
    case comment(String)

    /// The element, if this is one.
    public var element: XMLElement? {
        if case .element(let element) = self { element } else { nil }
    }

    /// True for text of nothing but spaces, tabs and line ends, which is mostly there for layout.
    public var isWhitespace: Bool {
        guard case .text(let text) = self else { return false }
        return text.utf8.allSatisfy(\.isXMLSpace)
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }
}
