// SPDX-License-Identifier: Apache-2.0

// How clients reach servers: over plain TCP, or over TLS if OUTCROP_TEST_TRANSPORT is `tls`.

import Cryptography
import Foundation
import TestSupport
import Testing

enum TestTransport {
    static let isSecure = ProcessInfo.processInfo.environment["OUTCROP_TEST_TRANSPORT"] == "tls"

    /// Both sides of TLS, or nil.
    static let secure: Result<(server: TLSServer, client: TLSClient), any Error>? =
        isSecure ? Result { try makeSides() } : nil

    private static func makeSides() throws -> (server: TLSServer, client: TLSClient) {
        let authority = try TestAuthority.shared.get()
        let issued = try authority.issue("server")
        let certificate = try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
        return (
            try TLSServer(TLSServerConfiguration(certificates: [certificate])),
            try TLSClient(authorities: authority.text)
        )
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that use the socket of a client from two threads, reset it while TLS may still be established, or open
    /// connections of their own.
    static var overPlainTCP: Self { .enabled(if: !TestTransport.isSecure, "the test uses the socket itself") }
}
