// SPDX-License-Identifier: Apache-2.0
// Children of elements.

/// A child of an element. CDATA sections are represented as text, and processing instructions are discarded.
public enum XMLNode: Hashable, Sendable {
    case element(XMLElement)
    case text(String)
    case comment(String)

    /// The element, if this is one.
    public var element: XMLElement? {
        if case .element(let element) = self { element } else { nil }
    }

    /// Whether this is text that consists of white space, which is usually layout.
    public var isWhitespace: Bool {
        guard case .text(let text) = self else { return false }
        return text.utf8.allSatisfy(\.isXMLSpace)
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }
}
