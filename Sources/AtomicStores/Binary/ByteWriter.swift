// SPDX-License-Identifier: Apache-2.0

// Writes numbers and texts as bytes.

struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func fixed(_ number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// A varint: seven bits per byte, the lowest first; the highest bit is set on all bytes but the last.
    mutating func count(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func count(_ number: Int) { count(UInt64(number)) }

    /// A signed varint in zigzag encoding.
    mutating func signed(_ number: Int64) { count(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func data(_ data: some Collection<UInt8>) {
        count(data.count)
        bytes.append(contentsOf: data)
    }

    mutating func string(_ text: String) { data(text.utf8) }
}
