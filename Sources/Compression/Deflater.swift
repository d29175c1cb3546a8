// SPDX-License-Identifier: Apache-2.0

// Incremental deflating.

/// Deflates bytes that arrive in parts.
///
///     var deflater = try Deflater(.gzip)
///     for piece in pieces { send(try deflater.deflate(piece)) }
///     send(try deflater.finish())
package struct Deflater: ~Copyable {
    private var stream: ZlibStream

    /// - Parameter level: From 1 (fast) to 9 (small).
    package init(_ format: CompressionFormat = .raw, level: Int = 6) throws(CompressionError) {
        stream = try ZlibStream(deflating: [], isLast: false, format: format, level: level)
    }

    /// Consumes bytes, and returns the output that is available, which is often empty because zlib buffers.
    package mutating func deflate(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        stream.append(bytes, isLast: false)
        var output: [UInt8] = []
        while !stream.isEmpty {
            let (status, chunk) = stream.step()
            guard status == .working else { throw .outOfMemory }
            output += chunk
        }
        return output
    }

    /// Returns the remaining output, and ends the stream.
    package mutating func finish() throws(CompressionError) -> [UInt8] {
        stream.append([], isLast: true)
        var output: [UInt8] = []
        while true {
            let (status, chunk) = stream.step()
            output += chunk
            switch status {
            case .finished: return output
            case .working: continue
            case .damaged, .outOfMemory: throw .outOfMemory
            }
        }
    }
}
