// SPDX-License-Identifier: Apache-2.0

// The hash FNV-1a.

/// A hash of bytes that is the same in every process. It detects each change of a single byte and misses one in 2⁶⁴ of
/// others, but it is no protection against forgery.
@usableFromInline
package struct FNV1a {
    @usableFromInline
    package var value: UInt64 = 0xcbf2_9ce4_8422_2325

    @inlinable
    package init() {}

    @inlinable
    package mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}

extension Sequence<UInt8> {
    /// The FNV-1a hash of the bytes.
    @inlinable
    package var fnv1a: UInt64 {
        var hash = FNV1a()
        for byte in self { hash.add(byte) }
        return hash.value
    }
}
