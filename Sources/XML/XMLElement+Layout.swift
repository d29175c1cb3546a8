// SPDX-License-Identifier: Apache-2.0
// Distinguishes white space for layout from text.

extension XMLElement {
    /// Whether its only text is white space beside other nodes, as in indented documents.
    public var hasLayout: Bool {
        var hasText = false
        var hasOther = false
        for child in children {
            if !child.isText {
                hasOther = true
            } else if child.isWhitespace {
                hasText = true
            } else {
                return false
            }
        }
        return hasText && hasOther
    }

    /// The same tree without layout. White space in mixed content and in otherwise empty elements (`<a> </a>`) remains.
    public func withoutLayout() -> XMLElement {
        let isLaidOut = hasLayout
        var copy = self
        copy.children = children.compactMap { child in
            switch child {
            case .element(let element): .element(element.withoutLayout())
            case .text: isLaidOut ? nil : child
            case .comment: child
            }
        }
        return copy
    }
}
