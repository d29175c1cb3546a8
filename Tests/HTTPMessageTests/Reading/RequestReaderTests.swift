// SPDX-License-Identifier: Apache-2.0

// What is a request.

import HTTPMessage
import Testing

@Suite("Reading requests")
struct RequestReaderTests {
    @Test("A request line and fields are read as they were sent")
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
        "Methods are tokens, and targets any text without spaces",
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

    @Test("Names are of letters, digits and some signs alone", arguments: 0...UInt8.max)
    func tokens(byte: UInt8) {
        let signs = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let bytes = Array("GET / HTTP/1.0\r\nX".utf8) + [byte] + Array("X: a\r\n\r\n".utf8)
        // A colon ends the name.
        let isPart = signs.utf8.contains(byte) || byte == UInt8(ascii: ":")
        #expect((Transcript(of: [bytes]).refusal == nil) == isPart)
    }

    @Test("Bodies are read by their length, and what follows is the next request")
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

    @Test("Bodies in chunks are put together, without extensions and the fields behind them")
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
        "Whether a connection stays depends on the version and on the Connection fields",
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
        "100 Continue is awaited where a body comes, by clients that know it",
        arguments: [
            ("1", "Content-Length: 3", true), ("1", "Transfer-Encoding: chunked", true), ("1", "X: y", false),
            ("1", "Content-Length: 0", false), ("0", "Content-Length: 3", false),
        ]
    )
    func expectation(minor: String, field: String, isExpected: Bool) throws {
        let transcript = Transcript(of: "PUT / HTTP/1.\(minor)\r\nHost: a\r\nExpect: 100-Continue\r\n\(field)\r\n\r\n")
        #expect(try #require(transcript.requests.first).head.expectsContinue == isExpected)
    }

    @Test("HTTP/1.0 needs no Host")
    func oldVersion() {
        let transcript = Transcript(of: "GET / HTTP/1.0\r\n\r\n")
        #expect(transcript.requests.map(\.head.minorVersion) == [0])
    }

    @Test(
        "Hosts may be names, IPv4 and IPv6 addresses, with and without ports",
        arguments: [
            "a", "example.com", "my_service-1:8080", "127.0.0.1:", "[::1]", "[2001:db8::1.2.3.4]:65535", "a.:1",
        ]
    )
    func hosts(_ host: String) {
        #expect(Transcript(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").refusal == nil)
    }

    @Test("A reader says how much is unread, and when a connection may be closed without loss")
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

    @Test("Nothing is kept of what comes behind the last request of a connection")
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

    @Test("A refusal is final")
    func refusal() {
        var reader = HTTPRequestReader()
        reader.receive(Array("\n".utf8))
        #expect(throws: HTTPRefusal.self) { try reader.next() }
        reader.receive(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        #expect(throws: HTTPRefusal.self) { try reader.next() }
        #expect(reader.unreadCount == 0)
    }
}
