// SPDX-License-Identifier: Apache-2.0

// A small picture that any browser shows: a pattern, mirrored, in a colour of its own.

enum DemoPicture {
    private static let side = 16

    /// A bitmap file of 16 by 16 pixels.
    static func bytes(of seed: UInt64) -> [UInt8] {
        let pixels = side * side * 3
        var bytes: [UInt8] = Array("BM".utf8)
        func append(_ number: Int, count: Int = 4) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
        }
        // The file's size, then where the pixels begin; the size of the head, width, height, planes and depth.
        append(54 + pixels)
        append(0)
        append(54)
        append(40)
        append(side)
        append(side)
        append(1, count: 2)
        append(24, count: 2)
        append(0)
        append(pixels)
        for _ in 0..<4 { append(0) }
        let ink = (0..<3).map { UInt8(truncatingIfNeeded: seed >> (40 + 8 * $0)) & 0x7F }
        for row in 0..<side {
            for column in 0..<side {
                // Four cells of two pixels in each half, eight rows of them.
                let half = min(column, side - 1 - column) / 2
                let isInk = seed >> UInt64((row / 2) * 4 + half) & 1 == 1
                bytes += isInk ? ink : [0xF4, 0xF4, 0xF4]
            }
        }
        return bytes
    }
}
