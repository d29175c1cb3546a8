// SPDX-License-Identifier: Apache-2.0

// Reads numbers and texts from untrusted bytes.

/// Reads bytes sequentially. Allocations are bounded by the number of bytes.
struct ByteReader {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    func damaged(_ message: String) -> StoreFileError { .damaged(message, at: .offset(offset)) }

    mutating func byte() throws(StoreFileError) -> UInt8 { try read(1)[offset - 1] }

    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) throws(StoreFileError) -> Number {
        try read(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func count() throws(StoreFileError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            let byte = try byte()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits < 2 else { break }
            number |= bits << shift
            if byte < 0x80 { return number }
        }
        throw damaged("A number is too long.")
    }

    mutating func signed() throws(StoreFileError) -> Int64 {
        let bits = try count()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    /// A count of items that follow, each of which is at least one byte long.
    mutating func length() throws(StoreFileError) -> Int {
        let start = offset
        let count = try count()
        guard count <= UInt64(bytes.count - offset) else {
            throw .damaged("The file has fewer elements than the count says.", at: .offset(start))
        }
        return Int(count)
    }

    mutating func data() throws(StoreFileError) -> ArraySlice<UInt8> { try read(length()) }

    mutating func string() throws(StoreFileError) -> String {
        let start = offset
        guard let text = try String(validating: data(), as: UTF8.self) else {
            throw .damaged("A text isn't valid UTF-8.", at: .offset(start))
        }
        return text
    }

    mutating func read(_ count: Int) throws(StoreFileError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else { throw damaged("The file ends too early.") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
