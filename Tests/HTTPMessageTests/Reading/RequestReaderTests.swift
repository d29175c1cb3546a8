// SPDX-License-Identifier: Apache-2.0

// Valid requests.

import HTTPMessage
import Testing

@Suite("Request reader")
struct RequestReaderTests {
    @Test("a request line and its fields are read unchanged")
    func head() throws {
        let transcript = Transcript(
            of: "GET /api/posts?a=b HTTP/1.1\r\nHost: localhost:8080\r\naccept:\t */* \r\nX-Empty:\r\nX-A: ä\r\n\r\n"
        )
        let request = try #require(transcript.requests.first)
        #expect(transcript.refusal == nil)
        #expect(request.head.method == .get)
        #expect(request.head.target == "/api/posts?a=b")
        #expect(request.head.minorVersion == 1)
        #expect(request.head.framing == .none)
        #expect(request.head.isKeepAlive)
        #expect(!request.head.expectsContinue)
        #expect(request.head.fields == ["Host": "localhost:8080", "Accept": "*/*", "X-Empty": "", "X-A": "ä"])
        #expect(request.head.fields[.accept] == "*/*")
        var lines: [UInt8] = []
        request.head.fields.write(into: &lines)
        #expect(
            String(decoding: lines, as: UTF8.self)
                == "Host: localhost:8080\r\naccept: */*\r\nX-Empty: \r\nX-A: ä\r\n"
        )
        #expect(request.isComplete)
    }

    @Test(
        "methods are tokens, and targets are any text without spaces",
        arguments: [
            ("POST", "/"), ("M-SEARCH", "/ä"), ("get", "/?q=\"<>[]{}|^`"), ("OPTIONS", "*"), ("GET", "http://host/a"),
            ("!#$%&'*+-.^_`|~09az", "/"), ("CONNECT", "host:443"),
        ]
    )
    func requestLines(method: String, target: String) {
        let transcript = Transcript(of: "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.map(\.head.method.name) == [method])
        #expect(transcript.requests.map(\.head.target) == [target])
    }

    @Test("field names consist of letters, digits and some punctuation only", arguments: 0...UInt8.max)
    func tokens(byte: UInt8) {
        let signs = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let bytes = Array("GET / HTTP/1.0\r\nX".utf8) + [byte] + Array("X: a\r\n\r\n".utf8)
        // A colon ends the name.
        let isPart = signs.utf8.contains(byte) || byte == UInt8(ascii: ":")
        #expect((Transcript(of: [bytes]).refusal == nil) == isPart)
    }

    @Test("a body ends after its length, and the next request follows")
    func lengths() {
        let transcript = Transcript(
            of: "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloPUT /b HTTP/1.1\r\nHost: a\r\n"
                + "content-length:0\r\n\r\n\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\nGET /d"
        )
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.map(\.head.target) == ["/a", "/b", "/c"])
        #expect(transcript.requests.map(\.head.framing) == [.length(5), .length(0), .none])
        #expect(transcript.requests.map(\.text) == ["hello", "", ""])
        #expect(transcript.isComplete)
    }

    @Test("a chunked body is joined, without chunk extensions and trailer fields")
    func chunks() {
        let transcript = Transcript(
            of: "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "5\r\nhello\r\n00C;name=\"value\";other\r\n, big\r\nworld\r\n0;x\r\nContent-Length: 7\r\nX: y\r\n\r\n"
                + "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.map(\.head.framing) == [.chunked, .chunked])
        #expect(transcript.requests.map(\.text) == ["hello, big\r\nworld", ""])
        #expect(transcript.requests.map(\.head.fields.count) == [2, 2])
        #expect(transcript.isComplete)
    }

    @Test(
        "the version and the Connection fields decide whether a connection is kept open",
        arguments: [
            ("1", "", true), ("1", "Connection: close\r\n", false), ("1", "Connection: x, CLOSE ,\r\n", false),
            ("1", "Connection: keep-alive\r\nConnection: close\r\n", false), ("1", "Connection: closed\r\n", true),
            ("0", "", false), ("0", "Connection: Keep-Alive\r\n", true),
            ("0", "connection: keep-alive, close\r\n", false),
        ]
    )
    func persistence(minor: String, fields: String, stays: Bool) {
        let request = "GET / HTTP/1.\(minor)\r\nHost: a\r\n\(fields)\r\n"
        let transcript = Transcript(of: request + request)
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.map(\.head.isKeepAlive) == (stays ? [true, true] : [false]))
        #expect(transcript.isComplete)
    }

    @Test(
        "the Expect field counts only with a body and HTTP/1.1",
        arguments: [
            ("1", "Content-Length: 3", true), ("1", "Transfer-Encoding: chunked", true), ("1", "X: y", false),
            ("1", "Content-Length: 0", false), ("0", "Content-Length: 3", false),
        ]
    )
    func expectation(minor: String, field: String, isExpected: Bool) throws {
        let transcript = Transcript(of: "PUT / HTTP/1.\(minor)\r\nHost: a\r\nExpect: 100-Continue\r\n\(field)\r\n\r\n")
        #expect(try #require(transcript.requests.first).head.expectsContinue == isExpected)
    }

    @Test("a request of HTTP/1.0 needs no Host")
    func oldVersion() {
        let transcript = Transcript(of: "GET / HTTP/1.0\r\n\r\n")
        #expect(transcript.requests.map(\.head.minorVersion) == [0])
    }

    @Test(
        "a host is a name, an IPv4 or an IPv6 address, with or without a port",
        arguments: [
            "a", "example.com", "my_service-1:8080", "127.0.0.1:", "[::1]", "[2001:db8::1.2.3.4]:65535", "a.:1",
        ]
    )
    func hosts(_ host: String) {
        #expect(Transcript(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").refusal == nil)
    }

    @Test("a reader reports the number of unread bytes and whether it is between requests")
    func idling() throws {
        var reader = HTTPRequestReader()
        #expect(reader.isBetweenRequests)
        reader.receive(Array("G".utf8))
        #expect(try reader.next() == .needMore)
        #expect(!reader.isBetweenRequests)
        #expect(reader.unreadCount == 1)
        reader.receive(Array("ET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8))
        _ = try reader.next()
        #expect(!reader.isBetweenRequests)
        reader.receive(Array("abG".utf8))
        #expect(try reader.next() == .body(Array("ab".utf8)))
        #expect(try reader.next() == .end)
        #expect(!reader.isBetweenRequests)
        #expect(reader.unreadCount == 1)
    }

    @Test("bytes after a connection's last request are discarded")
    func closing() throws {
        var reader = HTTPRequestReader()
        reader.receive(Array("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n".utf8))
        _ = try reader.next()
        #expect(try reader.next() == .end)
        reader.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        #expect(try reader.next() == .needMore)
        #expect(reader.unreadCount == 0)
        #expect(reader.isBetweenRequests)
    }

    @Test("a refusal is final")
    func refusal() {
        var reader = HTTPRequestReader()
        reader.receive(Array("\n".utf8))
        #expect(throws: HTTPRefusal.self) { try reader.next() }
        reader.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        #expect(throws: HTTPRefusal.self) { try reader.next() }
        #expect(reader.unreadCount == 0)
    }
}
