// SPDX-License-Identifier: Apache-2.0

// Makes lines of JSON one JSON array.

/// Converts lines of JSON, in pieces of any size, to an array with an element in each line.
struct ArrayWriter {
    private var isEmpty = true
    /// Whether a line has ended, and what follows it isn't known yet.
    private var hasLineEnd = false

    /// The bytes of the array that are known after more bytes of lines.
    mutating func bytes(adding piece: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count + 8)
        for byte in piece {
            if byte == UInt8(ascii: "\n") {
                hasLineEnd = true
                continue
            }
            if isEmpty { bytes += Array("[\n".utf8) } else if hasLineEnd { bytes += Array(",\n".utf8) }
            isEmpty = false
            hasLineEnd = false
            bytes.append(byte)
        }
        return bytes
    }

    /// The bytes after those of the last line.
    var end: [UInt8] { Array((isEmpty ? "[]\n" : "\n]\n").utf8) }
}
