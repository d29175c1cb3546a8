// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// A certificate with its key, and the certificates that lead from it to one that clients know.
///
/// Unchecked, since OpenSSL counts and locks certificates and keys by itself, and they aren't changed. Safe to use: it owns
/// what its pointers refer to.
@safe
package final class TLSCertificate: @unchecked Sendable {
    let pointer: OpaquePointer
    let key: KeyHandle
    /// A stack of further certificates.
    let chain: OpaquePointer

    /// - Parameters:
    ///   - chain: PEM texts of the certificate and, after it, of those that lead to a known one.
    ///   - key: The PEM text of the private key, which isn't encrypted.
    package init(chain text: String, key keyText: String) throws(CryptographyError) {
        defer { ERR_clear_error() }
        guard let key = KeyHandle.privateKey(pem: keyText) else {
            throw keyText.contains("ENCRYPTED") ? .encryptedKey : .noKey
        }
        self.key = key
        let certificates = try CertificateList(pem: text)
        guard let own = unsafe certificates.removeFirst() else { throw .noCertificate }
        unsafe pointer = own
        unsafe chain = certificates.release()
        guard unsafe X509_check_private_key(pointer, key.pointer) == 1 else { throw .keyMismatch }
    }

    deinit {
        unsafe X509_free(pointer)
        unsafe outcrop_certificates_free(chain)
    }

    /// Whether the certificate is for a host: a name or, with a star in its place, one of several.
    func covers(_ host: String) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_host(pointer, host, 0, 0, nil) == 1
    }

    /// When it expires, in seconds since 1970.
    package var expiry: Int { unsafe Int(outcrop_certificate_expiry(pointer)) }

    /// The name of the certificate's owner, such as `CN=app.example`.
    package var subject: String { unsafe Self.subject(of: pointer) }

    static func subject(of certificate: OpaquePointer) -> String {
        unsafe memoryText { bio in
            unsafe X509_NAME_print_ex(bio, X509_get_subject_name(certificate), 0, UInt(outcrop_rfc2253)) >= 0
        } ?? ""
    }
}

/// Certificates of a PEM text.
///
/// Safe to use: it owns the stack until it is released.
@safe
final class CertificateList {
    private var stack: OpaquePointer?

    /// Throws if there is none, or if one can't be read.
    init(pem: String) throws(CryptographyError) {
        unsafe stack = outcrop_certificates_new()
        let bytes = Array(pem.utf8)
        let isComplete = unsafe bytes.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return false }
            defer { unsafe BIO_free(bio) }
            while let certificate = unsafe PEM_read_bio_X509(bio, nil, noPassphrase, nil) {
                guard unsafe outcrop_certificates_add(stack, certificate) > 0 else {
                    unsafe X509_free(certificate)
                    return false
                }
            }
            // The text's end is an error too: no further one begins.
            return outcrop_is_end_of_pem(ERR_peek_last_error()) != 0
        }
        ERR_clear_error()
        guard isComplete, count > 0 else { throw .noCertificate }
    }

    deinit { unsafe outcrop_certificates_free(stack) }

    var count: Int { unsafe Int(outcrop_certificates_count(stack)) }

    /// The certificate at an index, which stays the list's.
    func certificate(_ index: Int) -> OpaquePointer? { unsafe outcrop_certificates_get(stack, CInt(index)) }

    /// Removes the first certificate, which is the caller's to free.
    func removeFirst() -> OpaquePointer? { unsafe outcrop_certificates_shift(stack) }

    /// The stack, which is the caller's to free. The list is empty afterwards.
    func release() -> OpaquePointer {
        defer { unsafe stack = nil }
        guard let stack = unsafe stack else { fatalError("released twice") }
        return unsafe stack
    }
}

/// The text that a closure writes, or nil if it returns false.
func memoryText(_ write: (OpaquePointer) -> Bool) -> String? {
    guard let bio = unsafe BIO_new(BIO_s_secmem()) else { return nil }
    defer { unsafe BIO_free(bio) }
    guard unsafe write(bio) else { return nil }
    var contents: UnsafeMutablePointer<CChar>?
    let count = unsafe outcrop_bio_contents(bio, &contents)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: contents, count: count), as: UTF8.self)
}
