// SPDX-License-Identifier: Apache-2.0

// Requests whose end or meaning another reader on the way could understand differently.

import HTTPMessage
import Testing

@Suite("Refused requests")
struct SmugglingTests {
    @Test(
        "a malformed request line is refused",
        arguments: [
            ("GET / HTTP/1.1\n", 400), ("\nGET / HTTP/1.1\r\n", 400), ("\rGET / HTTP/1.1\r\n", 400),
            ("GET /\r HTTP/1.1\r\n", 400), ("GET / HTTP/1.1\r\r\n", 400), ("GET  / HTTP/1.1\r\n", 400),
            ("GET /  HTTP/1.1\r\n", 400), ("GET / HTTP/1.1 \r\n", 400), (" GET / HTTP/1.1\r\n", 400),
            ("GET\t/ HTTP/1.1\r\n", 400), ("GET /\tHTTP/1.1\r\n", 400), ("GET / a HTTP/1.1\r\n", 400),
            ("GET /\r\n", 400),
            ("GET\r\n", 400), ("GET \r\n", 400), ("GET  HTTP/1.1\r\n", 400), ("/ HTTP/1.1\r\n", 400),
            ("G(T / HTTP/1.1\r\n", 400), ("GÄT / HTTP/1.1\r\n", 400), ("GET /\u{0} HTTP/1.1\r\n", 400),
            ("GET /\u{7F} HTTP/1.1\r\n", 400), ("GET / http/1.1\r\n", 400), ("GET / HTTP/1,1\r\n", 400),
            ("GET / HTTP/11\r\n", 400), ("GET / HTTP/1.\r\n", 400), ("GET / HTTP/1.1a\r\n", 400),
            ("GET / HTTP/+1.1\r\n", 400), ("GET / HTTP/a.1\r\n", 400), ("GET / XTTP/1.1\r\n", 400),
            ("GET * HTTP/1.1\r\n", 400),
            ("\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", 400), ("\u{16}\u{3}\u{1}", 400), ("GET / HTTP/1.2\r\n", 505),
            ("GET / HTTP/2.0\r\n", 505), ("GET / HTTP/0.9\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ]
    )
    func requestLines(text: String, status: Int) {
        let transcript = Transcript(of: text)
        #expect(transcript.requests.isEmpty)
        #expect(transcript.refusal?.status == HTTPStatus(status))
    }

    @Test("a target that isn't UTF-8 is refused")
    func encoding() {
        let transcript = Transcript(of: [Array("GET /".utf8) + [0xFF] + Array(" HTTP/1.1\r\n".utf8)])
        #expect(transcript.refusal?.status == .badRequest)
    }

    @Test(
        "a malformed field is refused",
        arguments: [
            "X: a\n", "X: a\rb\r\n", "X: a\r\r\n", "X: a\r\n b\r\n", "X: a\r\n\tb\r\n", "X : a\r\n", "X\t: a\r\n",
            " X: a\r\n",
            "X\r\n", "X a\r\n", ": a\r\n", "X(: a\r\n", "X/Y: a\r\n", "\"X\": a\r\n", "Ä: a\r\n", "X: a\u{0}b\r\n",
            "X: \u{1}\r\n",
            "X: \u{7F}\r\n", "X: \u{8}\r\n", "X\u{0}: a\r\n", "X\u{B}: a\r\n", "Transfer-Encoding\u{B}: chunked\r\n",
            "\r\n\n: a\r\n",
        ]
    )
    func fields(_ lines: String) {
        let text = "GET / HTTP/1.1\r\n\(lines)Host: a\r\n\r\n"
        let transcript = Transcript(of: text)
        #expect(transcript.requests.isEmpty)
        #expect(transcript.refusal?.status == .badRequest)
    }

    @Test(
        "a missing, repeated or malformed host is refused",
        arguments: [
            "", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host:\r\n", "Host: a, b\r\n", "Host: a b\r\n",
            "Host: a/b\r\n",
            "Host: u@a\r\n", "Host: http://a\r\n", "Host: a:b\r\n", "Host: a:1:2\r\n", "Host: a:65536\r\n",
            "Host: :80\r\n",
            "Host: [::1\r\n", "Host: []\r\n", "Host: [::1]a\r\n", "Host: [g]\r\n", "Host: a?\r\n", "Host: a#\r\n",
            "Host: ä\r\n",
            "Host: a:99999999999999999999\r\n", "Host: a:-1\r\n",
        ]
    )
    func hosts(_ lines: String) {
        #expect(Transcript(of: "GET / HTTP/1.1\r\n\(lines)\r\n").refusal?.status == .badRequest)
    }

    @Test(
        "a body with an ambiguous end is refused",
        arguments: [
            ("Content-Length: 3\r\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: chunked\r\nContent-Length: 3", 400),
            ("Content-Length: 3\r\nContent-Length: 3", 400), ("Content-Length: 3\r\nContent-Length: 4", 400),
            ("Content-Length: 3, 3", 400), ("Content-Length: 3,4", 400), ("Content-Length: +3", 400),
            ("Content-Length: -3", 400), ("Content-Length: 0x3", 400), ("Content-Length: 3.0", 400),
            ("Content-Length: 3 3", 400),
            ("Content-Length:", 400), ("Content-Length: a", 400), ("Content-Length: 3\u{B}", 400),
            ("Content-Length: ٣", 400),
            ("Content-Length: 9223372036854775808", 400), ("Content-Length: 18446744073709551617", 400),
            ("Content-Length: 99999999999999999999999999999999", 400), ("Content-Length: \"3\"", 400),
            ("Content_Length: 3\r\nContent-Length: 3\r\ncontent-length: 3", 400),
            ("Transfer-Encoding: chunked, identity", 400), ("Transfer-Encoding: chunked, chunked", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400), ("Transfer-Encoding: chunked,", 400),
            ("Transfer-Encoding: ,chunked", 400), ("Transfer-Encoding:", 400), ("Transfer-Encoding: identity", 501),
            ("Transfer-Encoding: gzip, chunked", 501), ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", 501),
            ("Transfer-Encoding: xchunked", 501), ("Transfer-Encoding: chunkedx", 501),
            ("Transfer-Encoding: \"chunked\"", 501),
            ("Transfer-Encoding: 'chunked'", 501), ("Transfer-Encoding: chunked;q=1", 501),
            ("Transfer-Encoding: chunk", 501),
            ("Transfer-Encoding: x chunked", 501), ("Transfer-Encoding: cow\r\nContent-Length: 3", 501),
            ("Expect: 200-ok\r\nContent-Length: 3", 417), ("Expect: 100-continue, x\r\nContent-Length: 3", 417),
        ]
    )
    func framing(lines: String, status: Int) {
        let transcript = Transcript(of: "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
        #expect(transcript.requests.isEmpty)
        #expect(transcript.refusal?.status == HTTPStatus(status))
    }

    @Test("chunks in HTTP/1.0 are refused")
    func oldChunks() {
        let transcript = Transcript(of: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(transcript.refusal?.status == .badRequest)
        #expect(transcript.requests.isEmpty)
    }

    @Test(
        "a malformed chunk is refused after the valid chunks before it",
        arguments: [
            "\r\n", "x\r\n", "-1\r\n", "+1\r\n", " 1\r\n", "1 \r\n", "1\t\r\n", "0x1\r\n", "1 ;a\r\n", ";a\r\n",
            "1,\r\n", "1.\r\n",
            "1\n", "1\ra\r\n", "1;a\n", "1;\u{0}\r\n", "1;a\r\rb\r\n", "1\u{0}\r\n", "10000000000000000\r\n",
            "FFFFFFFFFFFFFFFF\r\n", "7FFFFFFFFFFFFFFF\r\n", "0000000000000001\r\n", "1\r\nab", "1\r\na\n", "1\r\na\r\r",
            "1\r\na0",
            "0\r\nX : a\r\n\r\n", "0\r\n a: b\r\n\r\n", "0\r\na\r\n\r\n", "0\r\na: b\n\r\n", "0\r\n\n", "0\r\n\rx",
        ]
    )
    func chunks(_ chunks: String) throws {
        let transcript = Transcript(
            of: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n\(chunks)"
        )
        #expect(transcript.refusal?.status == .badRequest)
        let request = try #require(transcript.requests.first)
        #expect(transcript.requests.count == 1)
        #expect(request.text.hasPrefix("abc"))
        #expect(!request.isComplete)
    }

    @Test("the refusal of a TLS handshake mentions TLS")
    func transportLayerSecurity() {
        #expect(Transcript(of: [[0x16, 3, 1, 2, 0]]).refusal?.message.contains("TLS") == true)
    }
}
