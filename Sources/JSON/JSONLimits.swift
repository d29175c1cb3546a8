// SPDX-License-Identifier: Apache-2.0
// How much of a hostile text the reader takes before it refuses.

/// Bounds on what a reader accepts; a text beyond one of them is refused with `JSONError.Code.limitExceeded`.
public struct JSONLimits: Hashable, Sendable {
    /// Arrays and objects within each other. Values are read, compared, written and freed by recursion, so this
    /// bounds the stack.
    public var depth: Int
    /// The size of the whole text, since the values take several times as much memory.
    public var bytes: Int
    /// The length of one number, since whoever computes with a number pays for each of its digits.
    public var numberLength: Int
    /// The values of one text, those within others included: each takes many times the memory of the two bytes that it may be
    /// written with.
    public var values: Int

    public static let `default` = JSONLimits()

    public init(depth: Int = 128, bytes: Int = 64 << 20, numberLength: Int = 1024, values: Int = .max) {
        self.depth = depth
        self.bytes = bytes
        self.numberLength = numberLength
        self.values = values
    }
}
