// SPDX-License-Identifier: Apache-2.0

// What a request proves its sender with: RFC 9110, 6750 and 7617, read strictly.

import Cryptography
package import HTTPMessage

/// The content of an `Authorization` field: a token, or a name and a key.
///
///     guard let credential = try Credential(in: request.fields) else { return anonymous }
package struct Credential: Hashable, Sendable {
    /// An API key or a JSON Web Token; of Basic, the password.
    package let token: String
    /// The name that came with Basic, which identifies nothing; nil for Bearer.
    package let name: String?

    /// The longest value of the field, in bytes.
    package static let maximumLength = 16 << 10

    /// The credential of a request, or nil without the field. A field that can't be read is never nil, since the request
    /// would be served as an anonymous one.
    package init?(in fields: HeaderFields) throws(CredentialRefusal) {
        let values = fields.values(of: "Authorization")
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            throw CredentialRefusal(.malformed, "The request has more than one Authorization field.")
        }
        try self.init(value)
    }

    /// Reads the value of a field.
    package init(_ value: String) throws(CredentialRefusal) {
        guard value.utf8.count <= Self.maximumLength else {
            throw CredentialRefusal(.tooLong, "The Authorization field has more than \(Self.maximumLength) bytes.")
        }
        guard let blank = value.utf8.firstIndex(of: UInt8(ascii: " ")) else {
            throw CredentialRefusal(.malformed, "The Authorization field has no scheme, or nothing after it.")
        }
        let content = String(value[blank...].drop { $0 == " " })
        switch value[..<blank].lowercased() {
        case "bearer":
            guard Self.isToken(content) else {
                throw CredentialRefusal(.malformed, "The Authorization field has no well-formed token.")
            }
            token = content
            name = nil
        case "basic":
            guard let pair = Self.pair(content) else {
                throw CredentialRefusal(
                    .malformed,
                    "The Authorization field isn't Base 64 of a name, a colon and a password in UTF-8."
                )
            }
            token = pair.password
            name = pair.name
        default:
            throw CredentialRefusal(.malformed, "The Authorization field's scheme is neither Bearer nor Basic.")
        }
    }

    /// Whether a text is a `b64token`: at least one of its characters, then any number of equals signs.
    private static func isToken(_ text: String) -> Bool {
        let characters = text.utf8.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        let rest = text.utf8.dropFirst(characters.count)
        return !characters.isEmpty && rest.allSatisfy { $0 == UInt8(ascii: "=") }
    }

    private static func pair(_ text: String) -> (name: String, password: String)? {
        let unpadded = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.dropFirst(unpadded.count)
        guard text.utf8.count % 4 == 0, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
            let bytes = Base64.decode(String(Substring(unpadded)), .standard),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let decoded = String(validating: bytes, as: UTF8.self),
            let colon = decoded.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let password = String(decoded[decoded.utf8.index(after: colon)...])
        return password.isEmpty ? nil : (String(decoded[..<colon]), password)
    }
}
