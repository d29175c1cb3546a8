// SPDX-License-Identifier: Apache-2.0
// The limits of reading untrusted text.

/// Limits of a reader; a text that exceeds one is refused with `XMLError.Code.limitExceeded`.
public struct XMLLimits: Hashable, Sendable {
    /// The nesting of elements. Trees are compared, written and freed recursively, so this bounds the stack.
    public var depth: Int
    /// The size of the text, since its tree uses several times that memory.
    public var bytes: Int
    /// The attributes of one element, since a lookup is a linear search. Real documents have a few dozen.
    public var attributes: Int

    public static let `default` = XMLLimits()

    public init(depth: Int = 128, bytes: Int = 64 << 20, attributes: Int = 256) {
        self.depth = depth
        self.bytes = bytes
        self.attributes = attributes
    }
}
