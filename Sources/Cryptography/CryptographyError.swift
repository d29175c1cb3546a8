// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The reason why a key, a certificate or a stored hash can't be used.
package struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, stable across versions, unlike messages.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The text or the parameters aren't a key.
        package static let invalidKey = Code(description: "invalidKey")
        /// The key is of a kind or size that isn't accepted.
        package static let unsupportedKey = Code(description: "unsupportedKey")
        /// The text isn't a hash of a password, or its parameters are out of bounds.
        package static let invalidHash = Code(description: "invalidHash")
        /// The text has no certificate, or one that can't be read.
        package static let invalidCertificate = Code(description: "invalidCertificate")
        /// The key isn't that of the certificate.
        package static let keyMismatch = Code(description: "keyMismatch")
        /// The library failed, as it does without memory.
        package static let failed = Code(description: "failed")
    }

    package let code: Code
    /// A sentence in plain English.
    package let message: String

    package var description: String { message }
}

extension CryptographyError {
    static let noKey = CryptographyError(code: .invalidKey, message: "The text isn't a key in PEM form.")

    static let encryptedKey = CryptographyError(
        code: .unsupportedKey,
        message: "The key is encrypted with a passphrase, which can't be given."
    )

    static func invalidKey(_ kind: String) -> CryptographyError {
        CryptographyError(code: .invalidKey, message: "These parameters aren't a key for \(kind).")
    }

    static let unsupportedKey = CryptographyError(
        code: .unsupportedKey,
        message: "The key is neither of RSA with 2048 bits or more, nor of P-256, nor of Ed25519."
    )

    static let shortSecret = CryptographyError(
        code: .unsupportedKey,
        message: "A secret for HS256 must have 32 bytes or more."
    )

    static let noCertificate = CryptographyError(
        code: .invalidCertificate,
        message: "The text has no certificate in PEM form, or one that can't be read."
    )

    static func unusableCertificate(_ reason: String) -> CryptographyError {
        CryptographyError(code: .invalidCertificate, message: "OpenSSL doesn't accept the certificate: \(reason).")
    }

    static let keyMismatch = CryptographyError(code: .keyMismatch, message: "The key isn't that of the certificate.")

    static let invalidHash = CryptographyError(
        code: .invalidHash,
        message: "The text isn't a hash of a password by scrypt within the limits of its parameters."
    )

    static let failed = CryptographyError(code: .failed, message: "The cryptographic library failed.")
}
