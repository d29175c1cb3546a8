// SPDX-License-Identifier: Apache-2.0
// Equality of elements ignores their positions.

extension XMLElement: Hashable {
    public static func == (left: XMLElement, right: XMLElement) -> Bool {
        left.name == right.name && left.attributes == right.attributes && left.children == right.children
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(attributes)
        hasher.combine(children)
    }
}
