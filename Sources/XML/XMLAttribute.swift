// SPDX-License-Identifier: Apache-2.0
// Attributes of elements.

/// An attribute of an element; all references in its value are resolved.
public struct XMLAttribute: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
