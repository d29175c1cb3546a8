// SPDX-License-Identifier: Apache-2.0

// What addresses tell about clients.

import Testing

@testable import HTTPServer

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "a client is identified by its IPv4 address, also within IPv6, or its IPv6 network",
        arguments: [
            ("192.0.2.7", [192, 0, 2, 7]),
            ("::ffff:192.0.2.7", [192, 0, 2, 7]),
            ("::ffff:192.0.2.8", [192, 0, 2, 8]),
            ("2001:db8:1:2:3:4:5:6", [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, [UInt8])]
    )
    func client(text: String, client: [UInt8]) throws {
        let address = try #require(SocketAddress.addresses(of: text, port: 80).first)
        #expect(address.client == client)
    }

    @Test("a Unix socket's address identifies no client")
    func path() throws {
        #expect(try #require(SocketAddress(path: "/tmp/x")).client == nil)
    }
}
