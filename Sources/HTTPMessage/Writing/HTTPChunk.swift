// SPDX-License-Identifier: Apache-2.0

// Encoding of chunked bodies.

public enum HTTPChunk {
    /// The line end after the bytes of a chunk.
    public static let end: [UInt8] = [.carriageReturn, .lineFeed]
    /// The last chunk, which ends the body.
    public static let last = Array("0\r\n\r\n".utf8)

    /// The line before the bytes of a chunk; the count must not be 0.
    public static func start(count: Int) -> [UInt8] { Array((String(count, radix: 16) + "\r\n").utf8) }

    /// Writes bytes as a chunk. Empty bytes are skipped, since an empty chunk would end the body.
    public static func write(_ bytes: [UInt8], into output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output += start(count: bytes.count)
        output += bytes
        output += end
    }
}
