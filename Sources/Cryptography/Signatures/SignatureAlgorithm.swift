// SPDX-License-Identifier: Apache-2.0

/// An algorithm of signatures, by its name in JSON Web Signatures (RFC 7518, RFC 8037).
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSA with PKCS #1 padding and SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256; a signature is two numbers of 32 bytes.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// HMAC with SHA-256 and a shared secret.
    case hs256 = "HS256"

    /// The hash that the library applies to the message, or nil if the algorithm has its own.
    var digest: MessageDigest? { self == .edDSA ? nil : .sha256 }
}
