// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A key that verifies signatures of one algorithm.
///
///     let key = try VerificationKey(pem: text)
///     key.verifies(signature, of: message)
///
/// Safe to use: pointers into arrays are used within one call.
@safe
package struct VerificationKey: Sendable {
    package let algorithm: SignatureAlgorithm
    private let material: Material

    enum Material: Sendable {
        case key(KeyHandle)
        case secret([UInt8])
    }

    init(_ algorithm: SignatureAlgorithm, _ material: Material) {
        self.algorithm = algorithm
        self.material = material
    }

    private init(_ handle: KeyHandle) throws(CryptographyError) {
        guard let algorithm = handle.algorithm else { throw .unsupportedKey }
        self.init(algorithm, .key(handle))
    }

    /// The public key in a PEM text, or that of a certificate.
    package init(pem: String) throws(CryptographyError) {
        guard let handle = KeyHandle.publicKey(pem: pem) else { throw .noKey }
        try self.init(handle)
    }

    /// The members `n` and `e` of a JSON Web Key.
    package init(rsaModulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        // More would take seconds to verify.
        guard rsaModulus.count <= 1_024, exponent.count <= 8 else { throw .unsupportedKey }
        Library.prepare()
        let n = unsafe BN_bin2bn(rsaModulus, CInt(rsaModulus.count), nil)
        let e = unsafe BN_bin2bn(exponent, CInt(exponent.count), nil)
        defer {
            unsafe BN_free(n)
            unsafe BN_free(e)
        }
        guard let handle = unsafe KeyHandle(owning: outcrop_rsa_key(n, e)), handle.isValid else {
            throw .invalidKey("RSA")
        }
        try self.init(handle)
    }

    /// The members `x` and `y` of a JSON Web Key on the curve P-256.
    package init(p256X x: [UInt8], y: [UInt8]) throws(CryptographyError) {
        guard x.count == 32, y.count == 32 else { throw .invalidKey("P-256") }
        Library.prepare()
        // An uncompressed point.
        let point = [0x04] + x + y
        guard let handle = unsafe KeyHandle(owning: outcrop_p256_key(point, point.count)), handle.isValid else {
            throw .invalidKey("P-256")
        }
        try self.init(handle)
    }

    /// The member `x` of a JSON Web Key on the curve Ed25519.
    package init(ed25519 x: [UInt8]) throws(CryptographyError) {
        Library.prepare()
        guard x.count == 32,
            let handle = unsafe KeyHandle(
                owning: EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count)
            )
        else { throw .invalidKey("Ed25519") }
        try self.init(handle)
    }

    /// The member `k` of a JSON Web Key: a secret that is shared with the signer.
    package init(secret: [UInt8]) throws(CryptographyError) {
        guard secret.count >= SHA256.count else { throw .shortSecret }
        self.init(.hs256, .secret(secret))
    }

    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch material {
        case .secret(let secret): ConstantTime.areEqual(HMACSHA256.code(of: message, key: secret), signature)
        case .key(let handle): verifies(signature, of: message, handle)
        }
    }

    private func verifies(_ signature: [UInt8], of message: [UInt8], _ handle: KeyHandle) -> Bool {
        defer { ERR_clear_error() }
        var signature = signature
        if algorithm == .es256 {
            guard let pair = ECDSASignature(bytes: signature), let encoded = pair.encoded else { return false }
            signature = encoded
        }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit(context, nil, algorithm.digest?.pointer, nil, handle.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
