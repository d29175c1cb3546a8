// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A key that signs messages by one algorithm.
///
///     let key = try SigningKey(generating: .es256)
///     let signature = try key.signature(of: message)
///
/// Safe to use: pointers into arrays are used within one call.
@safe
package struct SigningKey: Sendable {
    package let algorithm: SignatureAlgorithm
    private let material: VerificationKey.Material

    private init(_ handle: KeyHandle) throws(CryptographyError) {
        guard let algorithm = handle.algorithm else { throw .unsupportedKey }
        self.algorithm = algorithm
        material = .key(handle)
    }

    /// Creates a random key; one of RSA has 2048 bits.
    package init(generating algorithm: SignatureAlgorithm) throws(CryptographyError) {
        Library.prepare()
        let pointer: OpaquePointer?
        switch algorithm {
        case .rs256: unsafe pointer = outcrop_generate_rsa(2_048)
        case .es256: unsafe pointer = outcrop_generate_p256()
        case .edDSA: unsafe pointer = outcrop_generate_ed25519()
        case .hs256:
            try self.init(secret: RandomBytes.make(count: SHA256.count))
            return
        }
        guard let handle = unsafe KeyHandle(owning: pointer) else { throw .failed }
        try self.init(handle)
    }

    /// The private key in a PEM text that isn't encrypted.
    package init(pem: String) throws(CryptographyError) {
        guard let handle = KeyHandle.privateKey(pem: pem) else {
            throw pem.contains("ENCRYPTED") ? .encryptedKey : .noKey
        }
        try self.init(handle)
    }

    /// A secret that is shared with the verifiers.
    package init(secret: [UInt8]) throws(CryptographyError) {
        guard secret.count >= SHA256.count else { throw .shortSecret }
        algorithm = .hs256
        material = .secret(secret)
    }

    package var verificationKey: VerificationKey { VerificationKey(algorithm, material) }

    /// The public key in PEM form, or nil for a shared secret.
    package var publicPEM: String? {
        guard case .key(let handle) = material else { return nil }
        return unsafe memoryText { unsafe PEM_write_bio_PUBKEY($0, handle.pointer) == 1 }
    }

    /// The private key in PEM form, or nil for a shared secret.
    package var privatePEM: String? {
        guard case .key(let handle) = material else { return nil }
        return unsafe memoryText { unsafe PEM_write_bio_PrivateKey($0, handle.pointer, nil, nil, 0, nil, nil) == 1 }
    }

    package func signature(of message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch material {
        case .secret(let secret): return HMACSHA256.code(of: message, key: secret)
        case .key(let handle):
            guard let signature = signature(of: message, handle) else { throw .failed }
            return signature
        }
    }

    private func signature(of message: [UInt8], _ handle: KeyHandle) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        var count = unsafe Int(EVP_PKEY_get_size(handle.pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSignInit(context, nil, algorithm.digest?.pointer, nil, handle.pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { return nil }
        signature.removeSubrange(count...)
        return algorithm == .es256 ? ECDSASignature(encoded: signature)?.bytes : signature
    }
}
