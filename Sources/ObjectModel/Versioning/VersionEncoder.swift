// SPDX-License-Identifier: Apache-2.0

// The bytes that version hashes are computed over. Every part has a fixed size or a length prefix, so different models
// never have the same encoding.

///
///     flag     1 byte: 0 or 1
///     number   8 bytes: two's complement, big-endian
///     text     its count of UTF-8 bytes as a number, then these
///     maybe    a flag, then the part if there is one
///     list     its count as a number, then its members
///     set      a list of texts or hashes in ascending order of their bytes
struct VersionEncoder {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func add(_ number: Int) {
        bytes += Int64(number).bigEndianBytes
    }

    mutating func add(_ text: String) {
        let utf8 = Array(text.utf8)
        add(utf8.count)
        bytes += utf8
    }

    mutating func add(_ text: String?) {
        add(text != nil)
        if let text { add(text) }
    }

    mutating func add(_ hash: VersionHash) {
        bytes += hash.bytes
    }

    mutating func add(set hashes: [VersionHash]) {
        add(hashes.count)
        for hash in hashes.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) { add(hash) }
    }

    mutating func add(set texts: [String]) {
        add(texts.count)
        for text in texts.inBinaryOrder() { add(text) }
    }

    /// The hash over the parts that `write` adds.
    static func hash(_ write: (inout VersionEncoder) -> Void) -> VersionHash {
        var encoder = VersionEncoder()
        write(&encoder)
        return VersionHash(digestOf: encoder.bytes)
    }
}

extension Sequence where Element == String {
    /// The strings in the order of their UTF-8 bytes, independent of locale and normalisation.
    func inBinaryOrder() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, most significant first.
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
