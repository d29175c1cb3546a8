// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// What the sessions of a server, or of a client, have in common.
///
/// Unchecked, since it isn't changed once it is set up, and OpenSSL counts and locks contexts by itself. Safe to use: it owns
/// the context, and its sessions retain it.
@safe
class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ method: OpaquePointer?) throws(CryptographyError) {
        Library.prepare()
        defer { ERR_clear_error() }
        guard let context = unsafe SSL_CTX_new(method) else { throw .failed }
        unsafe pointer = context
        guard unsafe outcrop_tls_set_lowest_version(context, TLS1_2_VERSION) == 1 else { throw .failed }
        unsafe SSL_CTX_set_options(context, outcrop_tls_no_renegotiation)
        unsafe outcrop_tls_set_modes(context)
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    /// Makes a certificate the one of all sessions. Throws if it is too weak for the system's settings.
    func use(_ certificate: TLSCertificate) throws(CryptographyError) {
        ERR_clear_error()
        let result = unsafe SSL_CTX_use_cert_and_key(
            pointer,
            certificate.pointer,
            certificate.key.pointer,
            certificate.chain,
            1
        )
        guard result == 1 else {
            defer { ERR_clear_error() }
            let reason = unsafe ERR_reason_error_string(ERR_peek_error()).map { unsafe String(cString: $0) }
            throw .unusableCertificate(reason ?? "it failed")
        }
    }

    /// Trusts the certificates of a PEM text.
    func trust(_ certificates: CertificateList) throws(CryptographyError) {
        defer { ERR_clear_error() }
        for index in 0..<certificates.count {
            guard let certificate = unsafe certificates.certificate(index),
                unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), certificate) == 1
            else { throw .failed }
        }
    }
}
