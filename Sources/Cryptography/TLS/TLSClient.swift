// SPDX-License-Identifier: Apache-2.0

import CLibSSL

/// The client's side of TLS. A server's certificate must be for its host, and be signed by an authority that the system or
/// the settings name.
package final class TLSClient: Sendable {
    private let context: TLSContext

    /// - Parameters:
    ///   - authorities: A PEM text of certificates that are trusted in addition to the system's.
    ///   - certificate: What is shown to servers that ask for a certificate.
    package init(authorities: String? = nil, certificate: TLSCertificate? = nil) throws(CryptographyError) {
        unsafe context = try TLSContext(TLS_client_method())
        defer { ERR_clear_error() }
        unsafe SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        guard unsafe SSL_CTX_set_default_verify_paths(context.pointer) == 1 else { throw .failed }
        if let authorities { try context.trust(CertificateList(pem: authorities)) }
        if let certificate { try context.use(certificate) }
    }

    /// A client that accepts any certificate, for questions without secrets to a server of this machine.
    package static func ofAnyServer() throws(CryptographyError) -> TLSClient {
        let client = try TLSClient()
        unsafe SSL_CTX_set_verify(client.context.pointer, SSL_VERIFY_NONE, nil)
        return client
    }

    /// A session on a connected socket, which must outlive it; nil without memory, or for an impossible host.
    ///
    /// - Parameter host: The name or address of the server, without brackets.
    package func session(on descriptor: CInt, with host: String) -> TLSSession? {
        guard let session = TLSSession(context, on: descriptor, isServer: false), session.expect(host) else {
            return nil
        }
        return session
    }
}
