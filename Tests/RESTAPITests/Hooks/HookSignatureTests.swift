// SPDX-License-Identifier: Apache-2.0

// Signatures, and the addresses of receivers.

import HTTPMessage
import Testing

@testable import RESTAPI

@Suite("Signatures and addresses of hooks")
struct HookSignatureTests {
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
            "https:/a.example/", "ftp://a.example/", "a.example", "http://", "http://a:b@c/", "http://a:0/",
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
