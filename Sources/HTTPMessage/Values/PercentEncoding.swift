// SPDX-License-Identifier: Apache-2.0

// Percent-encoding of URLs.

enum PercentEncoding {
    /// Decodes percent-encoded bytes.
    static func decode(
        _ encoded: ArraySlice<UInt8>,
        plusIsSpace: Bool = false
    ) throws(HTTPRefusal) -> ArraySlice<UInt8> {
        let isEncoded = encoded.contains { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }
        return isEncoded ? try unescaped(encoded, plusIsSpace: plusIsSpace)[...] : encoded
    }

    /// Percent-encodes a text, except letters, digits, `-._~` and the characters to keep.
    static func encode(_ text: String, keeping kept: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isUnreserved || kept.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ encoded: ArraySlice<UInt8>, plusIsSpace: Bool) throws(HTTPRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = encoded.startIndex
        while index < encoded.endIndex {
            switch encoded[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < encoded.endIndex, let high = encoded[index + 1].hexadecimalDigit,
                    let low = encoded[index + 2].hexadecimalDigit
                else {
                    throw .unescaped("The target has a percent sign that isn't followed by two hexadecimal digits.")
                }
                bytes.append(high << 4 | low)
                index += 3
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(.space)
                index += 1
            case let byte:
                bytes.append(byte)
                index += 1
            }
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
