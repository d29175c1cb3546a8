// SPDX-License-Identifier: Apache-2.0

// Written responses.

import HTTPMessage
import Testing

@Suite("Response heads")
struct ResponseHeadTests {
    private static let date = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
    private static let dateLine = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    private func head(
        _ response: HTTPResponse,
        _ framing: HTTPResponse.Framing,
        isKeepAlive: Bool = true,
        minorVersion: Int = 1
    ) -> String {
        var output: [UInt8] = []
        response.writeHead(
            into: &output,
            framing: framing,
            isKeepAlive: isKeepAlive,
            minorVersion: minorVersion,
            date: Self.date
        )
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "a response head gives the end of the body in exactly one way",
        arguments: [
            (HTTPResponse.Framing.none, ""), (.length(0), "Content-Length: 0\r\n"),
            (.length(1_234_567_890), "Content-Length: 1234567890\r\n"), (.chunked, "Transfer-Encoding: chunked\r\n"),
            (.untilClose, "Connection: close\r\n"),
        ]
    )
    func framing(_ framing: HTTPResponse.Framing, _ line: String) {
        let response = HTTPResponse(.ok, fields: ["Content-Type": "text/plain", "X": ""])
        #expect(
            head(response, framing)
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX: \r\n\(Self.dateLine)\(line)\r\n"
        )
    }

    @Test("a response head has a Connection field if it differs from the version's default")
    func persistence() {
        let response = HTTPResponse(.noContent)
        let start = "HTTP/1.1 204 No Content\r\n" + Self.dateLine
        #expect(head(response, .none) == start + "\r\n")
        #expect(head(response, .none, isKeepAlive: false) == start + "Connection: close\r\n\r\n")
        #expect(head(response, .none, minorVersion: 0) == start + "Connection: keep-alive\r\n\r\n")
        #expect(head(response, .none, isKeepAlive: false, minorVersion: 0) == start + "Connection: close\r\n\r\n")
    }

    @Test("a response's own fields can't contradict those of the connection")
    func ownFields() {
        let fields: HeaderFields = [
            "content-length": "7", "Transfer-Encoding": "gzip", "CONNECTION": "upgrade", "Date": "now", "Dates": "x",
        ]
        #expect(
            head(HTTPResponse(.ok, fields: fields), .length(1))
                == "HTTP/1.1 200 OK\r\nDates: x\r\n\(Self.dateLine)Content-Length: 1\r\n\r\n"
        )
    }

    @Test(
        "every status has a status line, even without a reason phrase",
        arguments: [(404, "Not Found"), (299, ""), (600, "")]
    )
    func statusLines(code: Int, reason: String) {
        var output: [UInt8] = []
        HTTPStatus(code).writeLine(into: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 \(code) \(reason)\r\n")
    }

    @Test("a chunked body is read back unchanged")
    func chunks() throws {
        let parts = [Array("hello".utf8), [], [UInt8](repeating: 0x0D, count: 300), [0]]
        var output = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for part in parts { HTTPChunk.write(part, into: &output) }
        output += HTTPChunk.last
        let transcript = Transcript(of: [output])
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.map(\.body) == [Array(parts.joined())])
        #expect(transcript.isComplete)
        #expect(HTTPChunk.start(count: 300) == Array("12c\r\n".utf8))
    }
}
