// SPDX-License-Identifier: Apache-2.0

// Excessive requests, against the server's default limits.

import HTTPMessage
import HTTPServer
import HTTPTestClient
import Testing

@Suite("Excessive requests")
struct ExcessTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

    @Test(
        "an excessive body is refused at its limit, with and without a length",
        .overPlainTCP,
        arguments: [false, true]
    )
    func ofBody(isChunked: Bool) throws {
        let application = TestApplication(receive: { _ in .collect(limit: .max) })
        try serve(application) { serving in
            let client = try serving.client()
            let piece = [UInt8](repeating: 0x78, count: 1 << 16)
            let count = (100 << 20) / piece.count
            let head =
                Self.post + (isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(100 << 20)") + "\r\n\r\n"
            try client.send(head)
            let chunk = isChunked ? Array("10000\r\n".utf8) + piece + Array("\r\n".utf8) : piece
            let sender = try Sender(client, Array(repeating: chunk, count: count))
            let refused = try client.response()
            #expect(refused.status == 413)
            #expect(refused.text == "body")
            #expect(refused["connection"] == "close")
            sender.join()
            #expect(client.hasEnded())
            #expect(eventually { !application.records.isEmpty })
            #expect(application.records.map(\.received).allSatisfy { $0 <= (isChunked ? 16 << 20 : 0) })
            #expect(try serving.client().request(Self.get).status == 200)
        }
    }

    /// A megabyte of a head, and the limit that it exceeds.
    struct Head: Sendable, CustomTestStringConvertible {
        let start: String
        let piece: String
        let status: Int
        let limit: String

        var testDescription: String { limit }
    }

    @Test(
        "an excessive head is refused before its end",
        .overPlainTCP,
        arguments: [
            Head(start: "GET /", piece: "x", status: 414, limit: "requestLine"),
            Head(start: "GET / HTTP/1.1\r\nHost: a\r\nX: ", piece: "x", status: 431, limit: "fieldBytes"),
            Head(start: "GET / HTTP/1.1\r\nHost: a\r\n", piece: "X: y\r\n", status: 431, limit: "fieldCount"),
        ]
    )
    func ofHead(_ head: Head) throws {
        try serve(TestApplication()) { serving in
            let client = try serving.client()
            try client.send(head.start)
            let some = Array(String(repeating: head.piece, count: (1 << 16) / head.piece.utf8.count).utf8)
            let sender = try Sender(client, Array(repeating: some, count: 16))
            let refused = try client.response()
            #expect(refused.status == head.status)
            #expect(refused.text == head.limit)
            sender.join()
            #expect(client.hasEnded())
            #expect(try serving.client().request(Self.get).status == 200)
        }
    }
}
