// SPDX-License-Identifier: Apache-2.0

// The addresses at which a server listens.

import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import TestSupport
import Testing

@Suite("Listening")
struct ListeningTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let client = TestApplication(atOnce: { .text($0.client) })

    @Test(
        "addresses are parsed in their usual notation",
        arguments: [
            ("127.0.0.1:8080", ListenAddress.tcp(host: "127.0.0.1", port: 8080), true),
            ("[::1]:0", .tcp(host: "::1", port: 0), true),
            ("localhost:1", .tcp(host: "localhost", port: 1), true),
            ("*:65535", .tcp(host: "*", port: 65535), false),
            ("0.0.0.0:80", .tcp(host: "0.0.0.0", port: 80), false),
            ("127.evil.example:80", .tcp(host: "127.evil.example", port: 80), false),
            ("unix:a.sock", .unix(path: "a.sock"), true),
            ("unix:/run/a.sock", .unix(path: "/run/a.sock"), true),
            ("systemd", .activated, false),
        ]
    )
    func parsing(text: String, address: ListenAddress, isLocal: Bool) {
        #expect(ListenAddress(text) == address)
        #expect(address.description == text)
        #expect(address.isLocal == isLocal)
    }

    @Test(
        "text that isn't an address is refused",
        arguments: ["", "8080", "a:", ":80", "a:b", "a:65536", "::1:80", "unix:", "a:-1"]
    )
    func noAddresses(text: String) { #expect(ListenAddress(text) == nil) }

    @Test("a server can listen at several addresses, and reports their ports", .overPlainTCP)
    func several() throws {
        try withSocketPath { path in
            let addresses: [ListenAddress] = [
                .tcp(host: "127.0.0.1", port: 0), .tcp(host: "127.0.0.1", port: 0), .unix(path: path, mode: 0o600),
            ]
            let application = TestApplication(atOnce: { .text("\($0.client) \($0.isLocal)") })
            try serve(application, at: addresses) { serving in
                let bound = serving.server.boundAddresses
                #expect(bound.count == 3)
                #expect(Set(bound).count == 3)
                #expect(bound.allSatisfy { $0.isLocal })
                for (address, client) in zip(bound, ["127.0.0.1", "127.0.0.1", "unix:" + path]) {
                    let response = try TestClient(address).request(Self.get)
                    #expect(response.text == client + " true")
                }
                var status = stat()
                #expect(unsafe stat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
            }
            #expect(access(path) != 0)
        }
    }

    @Test("a server can listen on IPv6", .enabled(if: hasIPv6))
    func version6() throws {
        try serve(Self.client, at: [.tcp(host: "::1", port: 0)]) { serving in
            let response = try serving.client().request(Self.get)
            #expect(response.text == "::1")
        }
    }

    @Test("starting at an address in use fails and names the address")
    func inUse() throws {
        try serve(Self.client) { serving in
            let server = HTTPServer(
                application: Self.client,
                configuration: ServerConfiguration(addresses: [serving.address])
            )
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.code == .addressInUse)
            #expect(error?.address == serving.address.description)
        }
    }

    @Test("starting fails at unknown hosts, foreign addresses and in missing folders")
    func unavailable() throws {
        let cases: [(ListenAddress, ServerError.Code)] = [
            (.tcp(host: "no-such-host.invalid", port: 0), .invalidAddress),
            (.tcp(host: "192.0.2.1", port: 0), .addressNotAvailable),
            (.unix(path: "/no/such/folder/socket"), .addressNotAvailable),
            (.unix(path: String(repeating: "x", count: 200)), .invalidAddress),
            (.tcp(host: "127.0.0.1", port: 70_000), .invalidAddress),
            (.activated, .notActivated),
        ]
        for (address, code) in cases {
            let server = HTTPServer(application: Self.client, configuration: ServerConfiguration(addresses: [address]))
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.code == code, "\(address)")
        }
    }

    @Test("a server replaces a socket left by another process, but no other file")
    func staleSockets() throws {
        try withSocketPath { path in
            let address = ListenAddress.unix(path: path)
            try leaveSocket(at: path)
            try serve(Self.client, at: [address]) { serving in
                let other = HTTPServer(
                    application: Self.client,
                    configuration: ServerConfiguration(addresses: [address])
                )
                #expect(throws: ServerError.self) { try other.start() }
                // It has left the other server's socket in place.
                let response = try serving.client().request(Self.get)
                #expect(response.status == 200)
            }
            try makeFile(at: path)
            let server = HTTPServer(application: Self.client, configuration: ServerConfiguration(addresses: [address]))
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.code == .addressInUse)
            #expect(access(path) == 0)
        }
    }

    @Test("a server can listen on sockets passed by its parent process", .unsanitized)
    func activation() throws {
        let (descriptor, port) = try listeningSocket()
        let child = try startTests("isActivated", handingOver: descriptor)
        let client = try TestClient(.tcp(host: "127.0.0.1", port: port))
        let response = try client.request(Self.get)
        #expect(response.text == "127.0.0.1")
        client.close()
        #expect(exitStatus(of: child) == 0)
    }

    @Test("a process started with a socket serves on it", .enabled(if: unsafe getenv("LISTEN_FDS") != nil))
    func isActivated() throws {
        try serve(Self.client, at: [.activated]) { serving in
            #expect(serving.server.boundAddresses.count == 1)
            #expect(serving.address.isLocal)
            #expect(eventually { serving.application.records.count == 1 && serving.server.load.connections == 0 })
        }
    }

    private static let hasIPv6 = {
        let server = HTTPServer(
            application: client,
            configuration: ServerConfiguration(addresses: [.tcp(host: "::1", port: 0)])
        )
        do { try server.start() } catch { return false }
        server.stop()
        return true
    }()
}
