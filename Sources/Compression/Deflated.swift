// SPDX-License-Identifier: Apache-2.0

// Deflating and inflating of whole byte arrays.

extension [UInt8] {
    /// Inflates the bytes, up to a limit of the result.
    ///
    /// Bytes after the end of the compressed data are an error.
    package func inflated(_ format: CompressionFormat = .raw, limit: Int) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream(inflating: self, format: format)
        var output: [UInt8] = []
        while true {
            let offset = stream.offset
            let (status, chunk) = stream.step()
            output += chunk
            guard output.count <= limit else { throw .limitExceeded(limit, at: stream.offset) }
            switch status {
            case .finished where stream.offset == count: return output
            case .working where !chunk.isEmpty || stream.offset > offset: continue
            case .working: throw .unexpectedEnd(at: stream.offset)
            case .finished, .damaged: throw .damaged(at: stream.offset)
            case .outOfMemory: throw .outOfMemory
            }
        }
    }

    /// Deflates the bytes, at a level from 1 (fast) to 9 (small).
    package func deflated(_ format: CompressionFormat = .raw, level: Int = 6) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream(deflating: self, format: format, level: level)
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
