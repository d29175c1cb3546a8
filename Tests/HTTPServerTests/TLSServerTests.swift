// SPDX-License-Identifier: Apache-2.0

// Servers over TLS.

import Cryptography
import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import TestSupport
import Testing

@Suite struct TLSServerTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private let authority: TestAuthority
    private let trusting: TLSClient

    init() throws {
        authority = try TestAuthority.shared.get()
        trusting = try TLSClient(authorities: authority.text)
    }

    private func certificate(_ subject: String) throws -> TLSCertificate {
        let issued = try authority.issue(subject)
        return try TLSCertificate(chain: issued.certificateText, key: issued.keyText)
    }

    private func serve<R>(
        _ application: TestApplication = TestApplication(atOnce: { .text($0.target) }),
        with configuration: ServerConfiguration = .testing(),
        tls: TLSServer? = nil,
        _ body: (Serving) throws -> R
    ) throws -> R {
        let tls = try tls ?? TLSServer(TLSServerConfiguration(certificates: [certificate("server")]))
        let server = HTTPServer(application: application, configuration: configuration, tls: tls)
        try server.start()
        defer { server.stop() }
        return try body(Serving(server: server, application: application))
    }

    /// Serves without TLS, whatever other tests use.
    private func servePlainly<R>(
        _ application: TestApplication,
        with configuration: ServerConfiguration = .testing(),
        _ body: (Serving) throws -> R
    ) throws -> R {
        let server = HTTPServer(application: application, configuration: configuration)
        try server.start()
        defer { server.stop() }
        return try body(Serving(server: server, application: application))
    }

    private func client(_ serving: Serving, _ tls: TLSClient? = nil) throws -> TestClient {
        let client = try serving.client()
        try client.secure(tls ?? trusting)
        return client
    }

    @Test("requests are answered on one connection, also those that arrive together or with the handshake")
    func requests() throws {
        try serve { serving in
            for _ in 0..<20 {
                let client = try client(serving)
                try client.send(Self.get + Self.get)
                #expect(try client.response().text == "/a")
                #expect(try client.response().text == "/a")
                #expect(try client.request(Self.get).text == "/a")
            }
        }
    }

    @Test("an application sees that a request came over TLS")
    func security() throws {
        let application = TestApplication(atOnce: { .text($0.security == nil ? "plain" : "secure") })
        try serve(application) { (serving) throws in #expect(try client(serving).request(Self.get).text == "secure") }
        try servePlainly(application) { (serving) throws in
            #expect(try serving.client().request(Self.get).text == "plain")
        }
    }

    @Test("long bodies arrive in both directions", arguments: [1, 20_000, 3_000_000])
    func bodies(count: Int) throws {
        let application = TestApplication(
            receive: { _ in .collect(limit: 4 << 20) },
            later: { request in
                HTTPResponse(.ok, body: .bytes((try? request.wholeBody()) ?? []))
            }
        )
        try serve(application) { serving in
            let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let client = try client(serving)
            for _ in 0..<2 {
                try client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n")
                try client.send(body)
                #expect(try client.response().body == body)
            }
        }
    }

    @Test("a streamed response and a feed arrive")
    func streams() throws {
        let application = TestApplication(later: { request in
            HTTPResponse(
                .ok,
                body: .stream(length: nil) { writer in
                    for _ in 0..<100 { try writer.write([UInt8](repeating: 7, count: 30_000)) }
                }
            )
        })
        try serve(application) { (serving) throws in
            #expect(try client(serving).request(Self.get).body.count == 3_000_000)
        }
    }

    @Test("a request without TLS is refused in plain text, and other bytes end the connection")
    func plainRequest() throws {
        try serve { serving in
            let response = try serving.client().request("DELETE /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(response.status == 400)
            #expect(response.text == "This address speaks HTTP over TLS. Use https.")
            for bytes in [[0x16, 3, 1, 0, 4, 1, 2, 3, 4], [0x16, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
                let client = try serving.client()
                try client.send(bytes)
                client.endWriting()
                _ = try? client.receive()
                #expect(client.hasEnded())
            }
            #expect(try client(serving).request(Self.get).text == "/a")
        }
    }

    @Test("connections that don't complete the handshake in time are closed, and others are served meanwhile")
    func slowHandshakes() throws {
        let configuration = ServerConfiguration.testing { $0.limits.handshake = .milliseconds(300) }
        try serve(with: configuration) { serving in
            let silent = try (0..<20).map { _ in try serving.client() }
            // The beginning of a message.
            for client in silent.dropFirst(10) { try client.send([0x16, 3, 1, 2, 0, 1, 0]) }
            #expect(eventually { serving.server.load.connections == 20 })
            #expect(try client(serving).request(Self.get).text == "/a")
            for client in silent { #expect(client.hasEnded()) }
            #expect(eventually { serving.server.load.connections == 0 })
            #expect(serving.application.failures == [String](repeating: "it took too long", count: 20))
        }
    }

    @Test("clients that disconnect or reset in the handshake leave nothing behind")
    func brokenHandshakes() throws {
        try serve { serving in
            for index in 0..<30 {
                let client = try serving.client()
                if index % 2 == 0 { try client.send([0x16, 3, 1, 2, 0, 1, 0]) }
                if index % 3 == 0 { client.reset() } else { client.close() }
            }
            for index in 0..<30 {
                let client = try client(serving)
                if index % 2 == 0 { try client.send("GET /") }
                if index % 3 == 0 { client.reset() } else { client.close() }
            }
            #expect(eventually { serving.server.load.connections == 0 })
            #expect(try client(serving).request(Self.get).text == "/a")
        }
    }

    @Test("connections in the handshake count, and one too many is refused over TLS")
    func connectionLimit() throws {
        let configuration = ServerConfiguration.testing { $0.limits.connections = 2 }
        try serve(with: configuration) { serving in
            let silent = try serving.client()
            let client = try client(serving)
            #expect(try client.request(Self.get).text == "/a")
            let refused = try self.client(serving)
            let response = try refused.response()
            #expect(response.status == 503)
            #expect(response.text == "connections")
            silent.close()
        }
    }

    @Test("clients are told when a connection ends, and answers to those that end first still arrive")
    func ends() throws {
        try serve { serving in
            let closing = try client(serving)
            let request = "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            #expect(try closing.request(request).text == "/a")
            // Without the message that ends TLS this would throw.
            #expect(try closing.receive().isEmpty)
            let ended = try client(serving)
            try ended.send(Self.get)
            ended.endWriting()
            #expect(try ended.response().text == "/a")
            #expect(try ended.receive().isEmpty)
        }
    }

    @Test("a server that drains completes requests, and closes connections in the handshake")
    func draining() throws {
        let gate = Gate()
        let application = TestApplication(later: { _ in
            gate.pass()
            return .text("done")
        })
        try serve(application) { serving in
            let silent = try serving.client()
            let client = try client(serving)
            try client.send(Self.get)
            #expect(eventually { gate.arrivals == 1 })
            let draining = Draining(serving.server, timeout: .seconds(30))
            #expect(silent.hasEnded())
            gate.open()
            #expect(try client.response().text == "done")
            #expect(draining.result())
        }
    }

    @Test("replaced certificates are shown to new connections, and open ones go on")
    func replacement() throws {
        let tls = try TLSServer(TLSServerConfiguration(certificates: [certificate("old")]))
        try serve(tls: tls) { serving in
            let before = try client(serving)
            #expect(before.session?.peerSubject == "CN=old")
            try tls.replace(by: TLSServerConfiguration(certificates: [certificate("new")]))
            #expect(try before.request(Self.get).text == "/a")
            #expect(try client(serving).session?.peerSubject == "CN=new")
        }
    }

    @Test("the subject of a client's certificate comes with its requests")
    func clientCertificates() throws {
        var configuration = TLSServerConfiguration(certificates: [try certificate("server")])
        configuration.clientAuthorities = try authority.text
        let application = TestApplication(atOnce: { .text($0.security?.clientSubject ?? "anonymous") })
        let known = try TLSClient(authorities: authority.text, certificate: certificate("backup"))
        try serve(application, tls: TLSServer(configuration)) { (serving) throws in
            #expect(try client(serving, known).request(Self.get).text == "CN=backup")
            #expect(try client(serving).request(Self.get).text == "anonymous")
        }
        configuration.requiresClientCertificate = true
        try serve(application, tls: TLSServer(configuration)) { (serving) throws in
            #expect(try client(serving, known).request(Self.get).text == "CN=backup")
            #expect(serving.application.failures.isEmpty)
            // The handshake of TLS 1.3 ends for the client before the server has its answer.
            #expect(throws: TestClient.Failure.self) { try client(serving).request(Self.get) }
            #expect(eventually { serving.application.failures == ["peer did not return a certificate"] })
        }
    }

    @Test("Unix sockets have no TLS")
    func unixSockets() throws {
        try withSocketPath { path in
            let configuration = ServerConfiguration.testing { $0.addresses = [.unix(path: path)] }
            try serve(with: configuration) { (serving) throws in
                #expect(try serving.client().request(Self.get).text == "/a")
            }
        }
    }

    @Test("answers over TLS tell browsers to use only TLS, if that is wanted")
    func transportSecurity() throws {
        let field = "strict-transport-security"
        let configuration = ServerConfiguration.testing { $0.strictTransportSecurity = .seconds(3_600) }
        try serve(with: configuration) { (serving) throws in
            #expect(try client(serving).request(Self.get)[field] == "max-age=3600")
        }
        try serve { (serving) throws in #expect(try client(serving).request(Self.get)[field] == nil) }
        try servePlainly(TestApplication(), with: configuration) { (serving) throws in
            #expect(try serving.client().request(Self.get)[field] == nil)
        }
    }

    @Test("requests at an address that redirects are sent to the same place with TLS")
    func redirection() throws {
        let configuration = ServerConfiguration.testing { $0.redirectAddresses = [.tcp(host: "127.0.0.1", port: 0)] }
        try serve(with: configuration) { serving in
            let port = try #require(serving.address.port)
            let client = try TestClient(serving.server.boundRedirectAddresses[0])
            for (request, location) in [
                ("GET /a/b?c=d%20e HTTP/1.1\r\nHost: app.example\r\n\r\n", "https://app.example:\(port)/a/b?c=d%20e"),
                ("GET / HTTP/1.1\r\nHost: app.example:8080\r\n\r\n", "https://app.example:\(port)/"),
                ("GET http://app.example/x HTTP/1.1\r\nHost: y\r\n\r\n", "https://app.example:\(port)/x"),
                (
                    "POST /a HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 3\r\n\r\nabc", "https://[::1]:\(port)/a"
                ),
            ] {
                let response = try client.request(request)
                #expect(response.status == 308)
                #expect(response["location"] == location)
            }
            #expect(try client.request("GET / HTTP/1.0\r\n\r\n").status == 400)
            #expect(eventually { serving.application.records.count == 5 })
        }
    }
}
