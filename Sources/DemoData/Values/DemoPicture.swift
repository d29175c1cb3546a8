// SPDX-License-Identifier: Apache-2.0

// A small mirrored pattern in one colour, in a format that any browser displays.

enum DemoPicture {
    private static let side = 16

    /// A 24-bit BMP file of 16 by 16 pixels.
    static func bytes(of seed: UInt64) -> [UInt8] {
        let pixels = side * side * 3
        var bytes: [UInt8] = Array("BM".utf8)
        func append(_ number: Int, count: Int = 4) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
        }
        // File size, reserved, pixel offset; header size, width, height, planes, depth; compression, image size.
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
                // Four cells of two pixels in each half, in eight rows.
                let half = min(column, side - 1 - column) / 2
                let isInk = seed >> UInt64((row / 2) * 4 + half) & 1 == 1
                bytes += isInk ? ink : [0xF4, 0xF4, 0xF4]
            }
        }
        return bytes
    }
}
