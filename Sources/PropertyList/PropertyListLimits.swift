// SPDX-License-Identifier: Apache-2.0

// The limits of reading untrusted property lists.

/// Limits of a reader; input that exceeds one is refused with `PropertyListError.Code.limitExceeded`.
package struct PropertyListLimits: Hashable, Sendable {
    /// The nesting of containers. Values are compared and freed recursively, so this bounds the stack.
    package var depth: Int
    /// The number of values, plus one for every eight bytes of text or data. A value of a binary list counts once for
    /// each reference, which needs only a few bytes of the file.
    package var size: Int

    package static let `default` = PropertyListLimits()

    package init(depth: Int = 100, size: Int = 32 << 20) {
        self.depth = depth
        self.size = size
    }
}
