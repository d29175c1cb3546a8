// SPDX-License-Identifier: Apache-2.0

// Hosts, ports and the origins of pages.

import HTTPMessage
import Testing

@Suite("Origins and authorities")
struct OriginTests {
    @Test(
        "an authority is a host with or without a port",
        arguments: [
            ("localhost:8080", "localhost", 8080), ("App.Example", "app.example", nil), ("[::1]:80", "[::1]", 80),
            ("[FD00::1]", "[fd00::1]", nil), ("127.0.0.1:", "127.0.0.1", nil),
        ] as [(String, String, Int?)]
    )
    func authority(text: String, host: String, port: Int?) {
        let authority = Authority(text)
        #expect(authority?.host == host && authority?.port == port)
    }

    @Test(
        "text that isn't a host with an optional port is no authority",
        arguments: ["", ":80", "a b", "a:b", "a/b", "::1", "u@a"]
    )
    func noAuthority(text: String) { #expect(Authority(text) == nil) }

    @Test(
        "loopback names and addresses are distinguished from similar ones",
        arguments: [
            ("localhost", true), ("LOCALHOST:1", true), ("127.0.0.1", true), ("127.255.0.9:80", true),
            ("[::1]:80", true),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("127.evil.example", false),
            ("127.0.0", false), ("127.0.0.256", false), ("127.0.0.1.", false), ("127.0..1", false),
            ("128.0.0.1", false),
            ("[::2]", false), ("0.0.0.0", false), ("evil.example", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) { #expect(Authority(text)?.isLoopback == isLoopback) }

    @Test(
        "an origin is written as browsers write it",
        arguments: [
            ("https://app.example", "https://app.example"), ("HTTPS://App.Example:443", "https://app.example"),
            ("http://localhost:3000", "http://localhost:3000"), ("http://[::1]:80", "http://[::1]"),
            ("https://app.example:80", "https://app.example:80"), ("capacitor://localhost", "capacitor://localhost"),
        ]
    )
    func origin(text: String, written: String) { #expect(Origin(text)?.description == written) }

    @Test(
        "text with a path, a user or no host is no origin",
        arguments: [
            "", "null", "*", "app.example", "https://", "https:app.example", "https://app.example/",
            "https://u@app.example",
            "https://app.example?x", "://app.example", "9://app.example", "https://a b",
        ]
    )
    func noOrigin(text: String) { #expect(Origin(text) == nil) }

    @Test(
        "an origin belongs to the server with its host and port, even if a proxy terminates TLS",
        arguments: [
            ("http://localhost:8080", "localhost:8080", true), ("http://localhost", "localhost", true),
            ("http://localhost", "localhost:80", true), ("https://app.example", "app.example", true),
            ("https://app.example", "app.example:443", true), ("https://app.example:8443", "app.example:8443", true),
            ("https://app.example", "app.example:80", false), ("http://localhost:3000", "localhost:8080", false),
            ("http://127.0.0.1:8080", "localhost:8080", false), ("http://localhost:8080", "localhost", false),
            ("app://localhost", "localhost", false),
        ]
    )
    func serving(origin: String, host: String, isServed: Bool) throws {
        #expect(try #require(Origin(origin)).isServed(by: #require(Authority(host))) == isServed)
    }
}
