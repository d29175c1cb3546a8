// SPDX-License-Identifier: Apache-2.0
// How much of a hostile text the reader takes before it refuses.

/// Bounds on what a reader accepts; a text beyond one of them is refused with `XMLError.Code.limitExceeded`.
public struct XMLLimits: Hashable, Sendable {
    /// Elements within elements. Trees are compared, written and freed by recursion, so this bounds the stack.
    public var depth: Int
    /// The size of the whole text, since the tree takes several times as much memory.
    public var bytes: Int
    /// Attributes of one element; real documents have a few dozen, and users look them up one by one.
    public var attributes: Int

    public static let `default` = XMLLimits()

    public init(depth: Int = 128, bytes: Int = 64 << 20, attributes: Int = 256) {
        self.depth = depth
        self.bytes = bytes
        self.attributes = attributes
    }
}
