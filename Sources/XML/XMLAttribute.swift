// SPDX-License-Identifier: Apache-2.0
// A name and value in a start tag.

/// An attribute of an element; its value has all references resolved.
public struct XMLAttribute: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
