// SPDX-License-Identifier: Apache-2.0

// TLS between two sessions on a pair of sockets.

import Cryptography
import Glibc
import TestSupport
import Testing

@Suite struct TLSTests {
    private let authority: TestAuthority

    init() throws { authority = try TestAuthority.shared.get() }

    private func certificate(
        _ subject: String,
        for names: [String] = ["DNS:localhost", "IP:127.0.0.1"],
        key: TestAuthority.KeyKind = .p256,
        days: Int = 2
    ) throws -> TLSCertificate {
        let issued = try authority.issue(subject, for: names, key: key, days: days)
        return try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
    }

    private func server(_ certificates: TLSCertificate...) throws -> TLSServer {
        try TLSServer(TLSServerConfiguration(certificates: certificates))
    }

    private func client(_ certificate: TLSCertificate? = nil) throws -> TLSClient {
        try TLSClient(authorities: authority.text, certificate: certificate)
    }

    @Test("bytes arrive in both directions, and each side sees the other's end")
    func bytes() throws {
        let pair = try SessionPair(server(certificate("server")), client())
        try pair.handshake()
        #expect(pair.server.version == "TLSv1.3")
        let message = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try pair.transfer(message, from: pair.client, to: pair.server) == message)
        #expect(try pair.transfer(message, from: pair.server, to: pair.client) == message)
        pair.client.endWriting()
        #expect(pair.read(from: pair.server) == .end)
        #expect(try pair.transfer([1, 2, 3], from: pair.server, to: pair.client) == [1, 2, 3])
        pair.server.endWriting()
        #expect(pair.read(from: pair.client) == .end)
    }

    @Test("a connection that just ends is an end for a server, and a failure for a client")
    func truncation() throws {
        let server = try server(certificate("server"))
        let one = try SessionPair(server, client())
        try one.handshake()
        shutdown(one.descriptors.client, CInt(SHUT_WR))
        #expect(one.read(from: one.server) == .end)
        let other = try SessionPair(server, client())
        try other.handshake()
        shutdown(other.descriptors.server, CInt(SHUT_WR))
        #expect(other.read(from: other.client) == .failed)
        #expect(other.client.write([1], from: 0, isMoreComing: false) == nil)
    }

    @Test("a client accepts a certificate only for its host, in time, and from an authority that it knows")
    func verification() throws {
        let good = try server(certificate("server"))
        for host in ["localhost", "127.0.0.1"] { try SessionPair(good, client(), host: host).handshake() }
        for host in ["other.example", "127.0.0.2", ""] {
            #expect(throws: SessionFailure.self) { try SessionPair(good, client(), host: host).handshake() }
        }
        #expect(throws: SessionFailure.self) { try SessionPair(good, TLSClient()).handshake() }
        let stranger = try TestAuthority(name: "Stranger")
        #expect(throws: SessionFailure.self) {
            try SessionPair(good, TLSClient(authorities: stranger.text)).handshake()
        }
        let expired = try certificate("expired", days: -1)
        #expect(expired.expiry < time(nil))
        let failure = #expect(throws: SessionFailure.self) {
            try SessionPair(server(expired), client()).handshake()
        }
        #expect(failure?.description == "certificate has expired")
    }

    @Test("a client gets the certificate for its host, and the first one if there is none")
    func hosts() throws {
        let server = try server(
            certificate("first", for: ["DNS:first.example", "DNS:else.example"]),
            certificate("wild", for: ["DNS:*.wild.example"]),
            certificate("second", for: ["DNS:second.example"])
        )
        for (host, subject) in [
            ("first.example", "CN=first"), ("second.example", "CN=second"), ("a.wild.example", "CN=wild"),
            ("else.example", "CN=first"), ("SECOND.example", "CN=second"),
        ] {
            let pair = try SessionPair(server, client(), host: host)
            try pair.handshake()
            #expect(pair.client.peerSubject == subject)
        }
        let failure = #expect(throws: SessionFailure.self) {
            try SessionPair(server, client(), host: "none.example").handshake()
        }
        #expect(failure?.description == "hostname mismatch")
    }

    @Test("of certificates for one host with different keys, a client gets one that it supports")
    func kinds() throws {
        let server = try server(certificate("rsa", key: .rsa), certificate("p256"))
        let pair = try SessionPair(server, client())
        try pair.handshake()
        #expect(["CN=rsa", "CN=p256"].contains(pair.client.peerSubject))
    }

    @Test("a client's certificate is asked for, checked, and known by its subject")
    func clients() throws {
        var configuration = TLSServerConfiguration(certificates: [try certificate("server")])
        configuration.clientAuthorities = try authority.text
        let optional = try TLSServer(configuration)
        configuration.requiresClientCertificate = true
        let required = try TLSServer(configuration)
        let known = try client(certificate("backup", for: ["DNS:backup.example"]))
        for server in [optional, required] {
            let pair = try SessionPair(server, known)
            try pair.handshake()
            #expect(pair.server.peerSubject == "CN=backup")
        }
        let anonymous = try SessionPair(optional, client())
        try anonymous.handshake()
        #expect(anonymous.server.peerSubject == nil)
        #expect(throws: SessionFailure.self) { try SessionPair(required, client()).handshake() }
        let stranger = try TestAuthority(name: "Stranger").issue("backup")
        let other = try client(TLSCertificate(chain: stranger.certificateText, key: stranger.keyText))
        for server in [optional, required] {
            #expect(throws: SessionFailure.self) { try SessionPair(server, other).handshake() }
        }
    }

    @Test("replaced certificates are used by new sessions, and sessions that exist go on")
    func replacement() throws {
        let server = try server(certificate("old"))
        let before = try SessionPair(server, client())
        try before.handshake()
        let begun = try SessionPair(server, client())
        #expect(begun.client.handshake() == .needsInput)
        #expect(begun.server.handshake() == .needsInput)
        try server.replace(by: TLSServerConfiguration(certificates: [certificate("new")]))
        try begun.handshake()
        #expect(begun.client.peerSubject == "CN=old")
        #expect(try before.transfer([1, 2], from: before.client, to: before.server) == [1, 2])
        let after = try SessionPair(server, client())
        try after.handshake()
        #expect(after.client.peerSubject == "CN=new")
        #expect(throws: CryptographyError.self) { try server.replace(by: TLSServerConfiguration(certificates: [])) }
        let last = try SessionPair(server, client())
        try last.handshake()
        #expect(last.client.peerSubject == "CN=new")
    }

    @Test("input that doesn't fit into the buffer is announced, and input after it isn't missed")
    func pendingInput() throws {
        let pair = try SessionPair(server(certificate("server")), client())
        try pair.handshake()
        #expect(pair.client.write([UInt8](repeating: 7, count: 1_000), from: 0, isMoreComing: false) == 1_000)
        var small = [UInt8](repeating: 0, count: 600)
        #expect(pair.server.read(into: &small) == .bytes(600))
        #expect(pair.server.hasInput)
        #expect(pair.server.read(into: &small) == .bytes(400))
        #expect(!pair.server.hasInput)
        #expect(pair.server.read(into: &small) == .blocked)
    }

    @Test("many small records don't keep a reader")
    func smallRecords() throws {
        let pair = try SessionPair(server(certificate("server")), client())
        try pair.handshake()
        for _ in 0..<200 { #expect(pair.client.write([7], from: 0, isMoreComing: false) == 1) }
        var buffer = [UInt8](repeating: 0, count: 1_000)
        #expect(pair.server.read(into: &buffer) == .bytes(64))
        #expect(pair.server.hasInput)
        var rest = 0
        while case .bytes(let count) = pair.server.read(into: &buffer) { rest += count }
        #expect(rest == 136)
        #expect(!pair.server.hasInput)
    }

    @Test("bytes that aren't TLS end a session, and so do records that were changed")
    func garbage() throws {
        let server = try server(certificate("server"))
        for text in ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}xxxxxxxxxxxxxxxx", String(repeating: "\0", count: 100)]
        {
            let pair = try SessionPair(server, client())
            try pair.send(Array(text.utf8), at: pair.descriptors.client)
            guard case .failed = pair.server.handshake() else {
                Issue.record("“\(text)” is accepted")
                continue
            }
            #expect(pair.read(from: pair.server) == .failed)
        }
        let pair = try SessionPair(server, client())
        try pair.handshake()
        try pair.send([0x17, 3, 3, 0, 32] + [UInt8](repeating: 1, count: 32), at: pair.descriptors.client)
        #expect(pair.read(from: pair.server) == .failed)
    }

    @Test("a certificate whose key is too short is refused before any handshake")
    func weakKey() throws {
        let error = #expect(throws: CryptographyError.self) { try server(certificate("weak", key: .weak)) }
        #expect(error?.message == "OpenSSL doesn't accept the certificate: ee key too small.")
    }

    @Test("texts that aren't a certificate with its key are refused")
    func invalid() throws {
        let one = try authority.issue("one")
        let other = try authority.issue("other")
        let error = #expect(throws: CryptographyError.self) {
            try TLSCertificate(chain: one.certificateText, key: other.keyText)
        }
        #expect(error?.code == .keyMismatch)
        for text in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", try one.keyText] {
            #expect(throws: CryptographyError.self) { try TLSCertificate(chain: text, key: one.keyText) }
            #expect(throws: CryptographyError.self) { try TLSClient(authorities: text) }
        }
        let cut = try one.certificateText + other.certificateText.prefix(200)
        #expect(throws: CryptographyError.self) { try TLSCertificate(chain: cut, key: one.keyText) }
        #expect(throws: CryptographyError.self) { try TLSCertificate(chain: one.certificateText, key: "") }
        #expect(try TLSCertificate(chain: one.certificateText, key: one.keyText).subject == "CN=one")
    }
}

private struct SessionFailure: Error {
    let description: String
}

/// A server's and a client's session, connected without blocking.
private final class SessionPair {
    let descriptors: (server: CInt, client: CInt)
    let server: TLSSession
    let client: TLSSession

    init(_ server: TLSServer, _ client: TLSClient, host: String = "localhost") throws {
        var pair: [CInt] = [0, 0]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0 else {
            throw SessionFailure(description: "no sockets")
        }
        descriptors = (pair[0], pair[1])
        guard let own = server.session(on: pair[0]), let other = client.session(on: pair[1], with: host) else {
            close(pair[0])
            close(pair[1])
            throw SessionFailure(description: "no session")
        }
        self.server = own
        self.client = other
    }

    deinit {
        close(descriptors.server)
        close(descriptors.client)
    }

    /// Takes steps until both are done, or one fails.
    func handshake() throws {
        for _ in 0..<10 {
            let steps = [client.handshake(), server.handshake()]
            for case .failed(let reason) in steps { throw SessionFailure(description: reason) }
            // A server finds out only afterwards that a client has no certificate.
            if steps == [.done, .done] { return }
        }
        throw SessionFailure(description: "the handshake doesn't end")
    }

    /// Messages without data, such as tickets for further sessions, look like no input.
    func read(from session: TLSSession) -> TLSSession.Reading {
        var buffer = [UInt8](repeating: 0, count: 100)
        for _ in 0..<5 {
            let reading = session.read(into: &buffer)
            if reading != .blocked { return reading }
        }
        return .blocked
    }

    func transfer(_ bytes: [UInt8], from sender: TLSSession, to receiver: TLSSession) throws -> [UInt8] {
        var received: [UInt8] = []
        var sent = 0
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        for _ in 0..<10_000 {
            if sent < bytes.count {
                guard let count = sender.write(bytes, from: sent, isMoreComing: false) else { break }
                sent += count
            }
            if case .bytes(let count) = receiver.read(into: &buffer) { received += buffer[..<count] }
            if received.count == bytes.count { return received }
        }
        throw SessionFailure(description: "\(received.count) bytes arrive")
    }

    func send(_ bytes: [UInt8], at descriptor: CInt) throws {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, 0)
        }
        guard count == bytes.count else { throw SessionFailure(description: "sending fails") }
    }
}
