// SPDX-License-Identifier: Apache-2.0

// The only user of zlib, which counts bytes in 32 bits. No pointer leaves this file.

import CZlib

/// A zlib stream.
///
/// Safe: the stream is allocated because zlib requires a stable address, and freed once; pointers into arrays are
/// valid for one call.
@safe
struct ZlibStream: ~Copyable {
    enum Status {
        case working
        case finished
        case damaged
        case outOfMemory
    }

    private static let chunkSize = 64 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private let isInflating: Bool
    private var bytes: [UInt8]
    /// Whether these are the last bytes.
    private var isLast: Bool
    /// How many of the bytes zlib has consumed.
    private(set) var offset = 0

    init(inflating bytes: [UInt8], format: CompressionFormat) throws(CompressionError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isInflating = true
        self.bytes = bytes
        isLast = true
        guard unsafe outcrop_inflate_init(stream, format.windowBits) == Z_OK else { throw .outOfMemory }
    }

    init(
        deflating bytes: [UInt8],
        isLast: Bool = true,
        format: CompressionFormat,
        level: Int
    ) throws(CompressionError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isInflating = false
        self.bytes = bytes
        self.isLast = isLast
        guard unsafe outcrop_deflate_init(stream, Int32(min(max(level, 1), 9)), format.windowBits) == Z_OK else {
            throw .outOfMemory
        }
    }

    // After a failed initializer zlib has already freed its state, and these calls return an error without effect.
    deinit {
        if isInflating {
            unsafe inflateEnd(stream)
        } else {
            unsafe deflateEnd(stream)
        }
        unsafe stream.deallocate()
    }

    /// Replaces the bytes, which zlib must have consumed.
    mutating func append(_ bytes: [UInt8], isLast: Bool) {
        self.bytes = bytes
        self.isLast = isLast
        offset = 0
    }

    /// Whether zlib has consumed all bytes.
    var isEmpty: Bool { offset == bytes.count }

    /// Calls zlib once, and returns its status and output.
    mutating func step() -> (status: Status, output: [UInt8]) {
        let end = min(bytes.count, offset + Self.chunkSize)
        let flush = !isInflating && isLast && end == bytes.count ? Z_FINISH : Z_NO_FLUSH
        var input = Array(bytes[offset..<end])
        let inputCount = input.count
        var status = Z_OK
        let output = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.pointee.next_in = input.baseAddress
                unsafe stream.pointee.avail_in = UInt32(inputCount)
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(buffer.count)
                status = unsafe isInflating ? inflate(stream, flush) : deflate(stream, flush)
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
            count = unsafe buffer.count - Int(stream.pointee.avail_out)
        }
        // Input that zlib didn't consume is passed again in the next step.
        offset += unsafe inputCount - Int(stream.pointee.avail_in)
        return (Status(status), output)
    }
}

extension ZlibStream.Status {
    fileprivate init(_ status: Int32) {
        switch status {
        case Z_OK, Z_BUF_ERROR: self = .working
        case Z_STREAM_END: self = .finished
        case Z_MEM_ERROR: self = .outOfMemory
        default: self = .damaged
        }
    }
}
