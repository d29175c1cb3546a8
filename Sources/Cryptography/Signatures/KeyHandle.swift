// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A key of OpenSSL: a public key, or a pair.
///
/// Unchecked, since keys don't change after their creation, and OpenSSL counts and locks by itself. Safe to use: it owns the
/// key, and pointers are used within one call.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Owns the key. Nil for a null pointer.
    init?(owning pointer: OpaquePointer?) {
        ERR_clear_error()
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// The only algorithm for which the key is used, so that no message can select another.
    var algorithm: SignatureAlgorithm? {
        defer { ERR_clear_error() }
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 {
            return unsafe EVP_PKEY_get_bits(pointer) >= 2_048 ? .rs256 : nil
        }
        if unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .edDSA }
        return isOnP256 ? .es256 : nil
    }

    private var isOnP256: Bool {
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1,
            unsafe EVP_PKEY_get_utf8_string_param(pointer, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, nil) == 1
        else { return false }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text == "prime256v1"
    }

    // MARK: - PEM

    /// The public key in a PEM text, or that of a certificate.
    static func publicKey(pem: String) -> KeyHandle? {
        let bytes = Array(pem.utf8)
        if let key = unsafe reading(bytes, { unsafe PEM_read_bio_PUBKEY($0, nil, noPassphrase, nil) }) { return key }
        return unsafe reading(bytes) { bio in
            guard let certificate = unsafe PEM_read_bio_X509(bio, nil, noPassphrase, nil) else { return nil }
            defer { unsafe X509_free(certificate) }
            return unsafe X509_get_pubkey(certificate)
        }
    }

    static func privateKey(pem: String) -> KeyHandle? {
        unsafe reading(Array(pem.utf8)) { unsafe PEM_read_bio_PrivateKey($0, nil, noPassphrase, nil) }
    }

    private static func reading(_ bytes: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?) -> KeyHandle? {
        Library.prepare()
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe KeyHandle(owning: read(bio))
        }
    }

    /// Whether the public key is possible, such as a point on its curve.
    var isValid: Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_public_check(context) == 1
    }
}

/// Refuses encrypted keys, for which the library would otherwise ask at the terminal.
func noPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: CInt,
    _ isWriting: CInt,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    -1
}
