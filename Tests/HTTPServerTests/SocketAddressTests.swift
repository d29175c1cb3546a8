// SPDX-License-Identifier: Apache-2.0

// What addresses say of clients.

import Testing

@testable import HTTPServer

@Suite("An address")
struct SocketAddressTests {
    @Test(
        "stands for a client: all of IPv4, also within IPv6, and the network of IPv6",
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

    @Test("of a file stands for nobody")
    func path() throws {
        #expect(try #require(SocketAddress(path: "/tmp/x")).client == nil)
    }
}
