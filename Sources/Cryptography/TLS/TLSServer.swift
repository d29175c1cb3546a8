// SPDX-License-Identifier: Apache-2.0

import CLibSSL
import Synchronization

/// The certificates of a server, and what it demands of clients.
package struct TLSServerConfiguration: Sendable {
    /// Clients that ask for a host get the certificate that is for it, and the first one otherwise. Of several for one host,
    /// with keys of different kinds, they get one that they support.
    package var certificates: [TLSCertificate]
    /// A PEM text of certificates. Clients are asked for a certificate that one of them has signed.
    package var clientAuthorities: String?
    /// Whether clients without a certificate are refused.
    package var requiresClientCertificate = false

    package init(certificates: [TLSCertificate], clientAuthorities: String? = nil) {
        self.certificates = certificates
        self.clientAuthorities = clientAuthorities
    }
}

/// The server's side of TLS, with certificates that can be replaced while connections are open.
package final class TLSServer: Sendable {
    private let context: Mutex<TLSServerContext>

    package init(_ configuration: TLSServerConfiguration) throws(CryptographyError) {
        context = Mutex(try TLSServerContext(configuration))
    }

    /// Uses another configuration for new connections. If it throws, nothing changes.
    package func replace(by configuration: TLSServerConfiguration) throws(CryptographyError) {
        let next = try TLSServerContext(configuration)
        context.withLock { $0 = next }
    }

    /// A session on a connected socket, which must outlive it; nil without memory.
    package func session(on descriptor: CInt) -> TLSSession? {
        TLSSession(context.withLock { $0 }, on: descriptor, isServer: true)
    }
}

/// A context of a server. Connections choose among its certificates in the callback of `SSL_CTX_set_cert_cb`.
final class TLSServerContext: TLSContext, @unchecked Sendable {
    private let certificates: [TLSCertificate]

    init(_ configuration: TLSServerConfiguration) throws(CryptographyError) {
        certificates = configuration.certificates
        guard !certificates.isEmpty else { throw .noCertificate }
        unsafe try super.init(TLS_server_method())
        // In a context of its own, since sessions choose among them. A handshake would find out too late.
        let check = try unsafe TLSContext(TLS_server_method())
        for certificate in certificates { try check.use(certificate) }
        // Requests and answers have their own ends, and many clients leave out the message that ends a session.
        unsafe SSL_CTX_set_options(pointer, outcrop_tls_ignore_missing_end)
        // Sessions are resumed by tickets, which take no memory here.
        unsafe outcrop_tls_disable_session_cache(pointer)
        let name = Array("outcrop".utf8)
        unsafe SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
        unsafe SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
        unsafe SSL_CTX_set_cert_cb(pointer, chooseCertificate, Unmanaged.passUnretained(self).toOpaque())
        if let text = configuration.clientAuthorities {
            try requestCertificates(signedBy: text, isRequired: configuration.requiresClientCertificate)
        }
    }

    private func requestCertificates(signedBy text: String, isRequired: Bool) throws(CryptographyError) {
        let authorities = try CertificateList(pem: text)
        try trust(authorities)
        for index in 0..<authorities.count {
            guard unsafe SSL_CTX_add_client_CA(pointer, authorities.certificate(index)) == 1 else { throw .failed }
        }
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | (isRequired ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
    }

    /// Gives a session the certificates for its host.
    fileprivate func addCertificates(to session: OpaquePointer) -> Bool {
        var host: String?
        if let name = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name) {
            unsafe host = String(cString: name)
        }
        let matching = host.map { host in certificates.filter { $0.covers(host) } } ?? []
        // The last one of a kind of key remains.
        for certificate in matching.isEmpty ? certificates.prefix(1) : matching.reversed()[...] {
            let result = unsafe SSL_use_cert_and_key(
                session,
                certificate.pointer,
                certificate.key.pointer,
                certificate.chain,
                1
            )
            guard result == 1 else { return false }
        }
        return true
    }
}

/// Selects HTTP/1.1 of the protocols that a client offers, or ends the handshake.
private func chooseProtocol(
    _ session: OpaquePointer?,
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ offeredCount: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    unsafe outcrop_tls_choose_http(chosen, chosenCount, offered, offeredCount)
}

private func chooseCertificate(_ session: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> CInt {
    guard let session = unsafe session, let context = unsafe context else { return 0 }
    // Sessions retain their context.
    let server = unsafe Unmanaged<TLSServerContext>.fromOpaque(context).takeUnretainedValue()
    return unsafe server.addCertificates(to: session) ? 1 : 0
}
