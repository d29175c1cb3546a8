// SPDX-License-Identifier: Apache-2.0

// The keyed hash, by the vectors of RFC 4231, signatures, and the addresses of receivers.

import HTTPMessage
import Testing

@testable import RESTAPI

@Suite("Signatures and addresses of hooks")
struct HookSignatureTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    static let vectors = [
        Vector(
            key: [UInt8](repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 20),
            message: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            key: Array(1...25),
            message: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
                    + "hashed before being used by the HMAC algorithm.").utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("the code of each vector of RFC 4231", arguments: vectors)
    func code(vector: Vector) {
        let code = HMACSHA256.code(of: vector.message, key: vector.key)
        #expect(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == vector.code)
    }

    @Test("a request is signed over its time and its body")
    func request() throws {
        let hook = Hook(name: "search", url: try HookURL("http://localhost:9000/in?key=1"), secret: Array("Jefe".utf8))
        let request = HookRequest(hook, delivery: "search-1", body: Array("{}".utf8), seconds: 1_700_000_000)
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac Jefe
        #expect(
            request.fields["Outcrop-Signature"]
                == "sha256=d3793e2b4103edfbd98cc19591832f5fad701d413db9fcae0ae7dab8184ed207"
        )
        #expect(request.fields["Outcrop-Hook"] == "search")
        #expect(request.fields["Outcrop-Delivery"] == "search-1")
        #expect(request.fields["Outcrop-Timestamp"] == "1700000000")
    }

    @Test("an address has a host, a port and a target, and is shown without its path")
    func address() throws {
        let url = try HookURL("http://LocalHost:9000/in?key=1")
        #expect(url.host == "localhost" && url.port == 9_000 && url.target == "/in?key=1")
        #expect(url.authority == "localhost:9000")
        #expect(url.description == "http://localhost:9000/…")
        let plain = try HookURL("http://[::1]")
        #expect(plain.host == "[::1]" && plain.port == 80 && plain.target == "/" && plain.authority == "[::1]")
        #expect(plain.description == "http://[::1]/")
        #expect(try HookURL("http://a.example?x").target == "/?x")
    }

    @Test(
        "what isn't such an address is refused with a remedy",
        arguments: [
            "https://a.example/", "ftp://a.example/", "a.example", "http://", "http://a:b@c/", "http://a:0/",
            "http://a:99999/", "http://a:/", "http://a/b c", "http://a/\r\nX: y", "http://a/#b", "http://a/é",
            "http://[::1", "http:///x",
        ]
    )
    func badAddresses(text: String) {
        let error = #expect(throws: HookURL.Failure.self) { try HookURL(text) }
        #expect(error?.hint != nil)
    }

    @Test("names are those of files and consumers")
    func names() {
        for name in ["search", "a.b-c_9", "A"] { #expect(Hook.isName(name)) }
        for name in ["", ".", "..", ".x", "a/b", "a b", "é", String(repeating: "a", count: 65)] {
            #expect(!Hook.isName(name), "\(name)")
        }
    }
}
