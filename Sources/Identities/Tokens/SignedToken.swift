// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON

/// The parts of a JSON Web Token in compact form (RFC 7515), whose signature isn't verified yet.
struct SignedToken {
    let algorithm: String
    /// The `kid` of the header, or nil.
    let keyID: String?
    /// What is signed.
    let message: [UInt8]
    let signature: [UInt8]
    /// The claims as they were sent.
    let payload: [UInt8]

    private static let headerLimits = JSONLimits(depth: 4, bytes: 4 << 10, values: 100)
    private static let keyIDLength = 256

    init(_ token: String, maximumLength: Int) throws(CredentialRefusal) {
        guard token.utf8.count <= maximumLength else {
            throw CredentialRefusal(.tooLong, "The token has more than \(maximumLength) bytes.")
        }
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else {
            throw CredentialRefusal(.malformed, "The token isn't three parts with full stops between them.")
        }
        guard let header = Base64.decode(parts[0]), let payload = Base64.decode(parts[1]),
            let signature = Base64.decode(parts[2])
        else {
            throw CredentialRefusal(.malformed, "A part of the token isn't Base 64 for URLs without padding.")
        }
        let object = try Self.object(header, limits: Self.headerLimits, named: "header")
        guard let algorithm = object["alg"]?.string else {
            throw CredentialRefusal(.malformed, "The token's header has no “alg”.")
        }
        // Extensions that must be understood (RFC 7515, 4.1.11). None is.
        guard object["crit"] == nil else {
            throw CredentialRefusal(.unsupported, "The token's header demands extensions by “crit”.")
        }
        if let value = object["kid"] {
            guard let id = value.string, id.utf8.count <= Self.keyIDLength else {
                throw CredentialRefusal(
                    .malformed,
                    "The token's “kid” isn't a text of up to \(Self.keyIDLength) bytes."
                )
            }
            keyID = id
        } else {
            keyID = nil
        }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        message = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// The claims. Only for a token whose signature is verified.
    func claims() throws(CredentialRefusal) -> JSONObject {
        try Self.object(payload, limits: JSONLimits(depth: 16, bytes: payload.count, values: 2_000), named: "payload")
    }

    private static func object(
        _ bytes: [UInt8],
        limits: JSONLimits,
        named name: String
    ) throws(CredentialRefusal) -> JSONObject {
        // The error would have a part of the token.
        let value = try? JSONValue(parsing: bytes, limits: limits)
        guard let object = value?.object else {
            throw CredentialRefusal(
                .malformed,
                "The token's \(name) isn't a JSON object of unique members within the limits."
            )
        }
        return object
    }
}
