// SPDX-License-Identifier: Apache-2.0

// Hands bytes to zlib piece by piece, since it counts in 32 bits. Nothing else sees zlib, and no pointer leaves this file.

import CZlib

/// Bytes on their way through zlib.
///
/// Safe to use: the pointer is its own, at an address that stays since zlib insists on that, and is freed with it once; those
/// into arrays last for one call.
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
    /// Whether nothing follows the bytes.
    private var isLast: Bool
    /// How many of the bytes zlib has taken.
    private(set) var offset = 0

    init(inflating bytes: [UInt8], _ format: CompressionFormat) throws(CompressionError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isInflating = true
        (self.bytes, isLast) = (bytes, true)
        guard unsafe outcrop_inflate_init(stream, format.windowBits) == Z_OK else { throw .outOfMemory }
    }

    init(
        deflating bytes: [UInt8],
        isLast: Bool = true,
        _ format: CompressionFormat,
        level: Int
    ) throws(CompressionError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isInflating = false
        (self.bytes, self.isLast) = (bytes, isLast)
        guard unsafe outcrop_deflate_init(stream, Int32(min(max(level, 1), 9)), format.windowBits) == Z_OK else {
            throw .outOfMemory
        }
    }

    // After an initializer that failed, zlib has freed what it had, and says so without harm.
    deinit {
        if isInflating {
            unsafe inflateEnd(stream)
        } else {
            unsafe deflateEnd(stream)
        }
        unsafe stream.deallocate()
    }

    /// Goes on with other bytes, when zlib has taken those before.
    mutating func append(_ bytes: [UInt8], isLast: Bool) {
        (self.bytes, self.isLast, offset) = (bytes, isLast, 0)
    }

    /// Whether zlib has taken all bytes.
    var isEmpty: Bool { offset == bytes.count }

    /// One call of zlib: how that went, and what it made.
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
        // What zlib left is handed to it again in the next step.
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
