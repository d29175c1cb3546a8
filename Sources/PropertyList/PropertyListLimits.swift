// SPDX-License-Identifier: Apache-2.0

// How much of a hostile property list the readers take before they refuse.

/// Bounds on what a reader accepts; what is beyond one of them is refused with `PropertyListError.Code.limitExceeded`.
public struct PropertyListLimits: Hashable, Sendable {
    /// Containers within each other. Values are compared and freed by recursion, so this bounds the stack.
    public var depth: Int
    /// Values in all, each counted wherever it stands, with one more for every eight bytes of text or data. Binary lists
    /// may name a value many times, and are not much larger for it.
    public var size: Int

    public static let `default` = PropertyListLimits()

    public init(depth: Int = 100, size: Int = 32 << 20) {
        self.depth = depth
        self.size = size
    }
}
