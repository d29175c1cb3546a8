// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// Base 64 without padding, in one of the alphabets of RFC 4648.
package enum Base64 {
    package enum Alphabet: Sendable {
        case standard
        /// For URLs and tokens: `-` and `_` instead of `+` and `/`.
        case url
    }

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .url) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe Int(EVP_EncodeBlock(&text, bytes, CInt(bytes.count)))
        text.removeSubrange(count...)
        while text.last == UInt8(ascii: "=") { text.removeLast() }
        if alphabet == .url {
            text = text.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text that `encode` returns, or nil for any other text.
    package static func decode(_ text: String, _ alphabet: Alphabet = .url) -> [UInt8]? {
        guard let bytes = decodeLeniently(text, alphabet), encode(bytes, alphabet) == text else { return nil }
        return bytes
    }

    /// Also accepts texts with spaces, padding, or unused bits that aren't zero.
    private static func decodeLeniently(_ text: String, _ alphabet: Alphabet) -> [UInt8]? {
        var characters = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-") where alphabet == .url: UInt8(ascii: "+")
            case UInt8(ascii: "_") where alphabet == .url: UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = (4 - characters.count % 4) % 4
        guard padding < 3 else { return nil }
        characters += [UInt8](repeating: UInt8(ascii: "="), count: padding)
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
        let count = unsafe Int(EVP_DecodeBlock(&bytes, characters, CInt(characters.count)))
        guard count >= padding else { return nil }
        return Array(bytes[..<(count - padding)])
    }
}
