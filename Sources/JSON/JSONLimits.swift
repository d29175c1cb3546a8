// SPDX-License-Identifier: Apache-2.0
// The limits of reading untrusted text.

/// Limits of a reader; a text that exceeds one is refused with `JSONError.Code.limitExceeded`.
public struct JSONLimits: Hashable, Sendable {
    /// The nesting of arrays and objects. Values are read, written and freed recursively, so this bounds the stack.
    public var depth: Int
    /// The size of the text, since its values use several times that memory.
    public var bytes: Int
    /// The length of a number, since arithmetic costs grow with its digits.
    public var numberLength: Int
    /// The number of values, including nested ones. Each uses far more memory than its text, which may be two bytes.
    public var values: Int

    public static let `default` = JSONLimits()

    public init(depth: Int = 128, bytes: Int = 64 << 20, numberLength: Int = 1024, values: Int = .max) {
        self.depth = depth
        self.bytes = bytes
        self.numberLength = numberLength
        self.values = values
    }
}
