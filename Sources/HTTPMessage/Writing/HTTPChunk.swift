// SPDX-License-Identifier: Apache-2.0

// A body in chunks, as it is written.

public enum HTTPChunk {
    /// What stands behind the bytes of each chunk.
    public static let end: [UInt8] = [.carriageReturn, .lineFeed]
    /// What ends a body.
    public static let last = Array("0\r\n\r\n".utf8)

    /// What stands before the bytes of a chunk: their number, which must not be 0.
    public static func start(count: Int) -> [UInt8] { Array((String(count, radix: 16) + "\r\n").utf8) }

    /// Writes bytes as a chunk; none for no bytes, since an empty chunk would end the body.
    public static func write(_ bytes: [UInt8], into output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output += start(count: bytes.count)
        output += bytes
        output += end
    }
}
