// SPDX-License-Identifier: Apache-2.0

// Deflating and inflating whole byte arrays.

extension [UInt8] {
    /// The bytes inflated, if they are no more than that many.
    ///
    /// What follows the end of the compressed bytes is an error, too.
    public func inflated(_ format: CompressionFormat = .raw, limit: Int) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream(inflating: self, format)
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

    /// The bytes deflated, at a level from 1, fast, to 9, small.
    public func deflated(_ format: CompressionFormat = .raw, level: Int = 6) throws(CompressionError) -> [UInt8] {
        var stream = try ZlibStream(deflating: self, format, level: level)
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
