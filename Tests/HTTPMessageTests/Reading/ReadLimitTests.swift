// SPDX-License-Identifier: Apache-2.0

// Requests at their limits and beyond them.

import HTTPMessage
import Testing

@Suite("Reading limits")
struct ReadLimitTests {
    private static let limits = HTTPReadLimits(
        requestLine: 20,
        fieldLine: 20,
        fieldBytes: 50,
        fieldCount: 3,
        chunkLine: 10,
        chunkExtensions: 12,
        trailerBytes: 14,
        body: 8
    )

    struct Case: Sendable {
        let limit: String
        let status: HTTPStatus
        /// The longest accepted text, and a text with one byte or field more.
        let within: String
        let beyond: String
    }

    private static let fields = "GET / HTTP/1.1\r\nHost: a\r\n"
    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:chunked\r\n\r\n"

    @Test(
        "a request at a limit is accepted, and one byte beyond it is refused with the limit's name",
        arguments: [
            Case(
                limit: "requestLine",
                status: .uriTooLong,
                within: "GET /1234 HTTP/1.1\r\nHost: a\r\n\r\n",
                beyond: "GET /12345 HTTP/1.1\r"
            ),
            Case(
                limit: "requestLine",
                status: .uriTooLong,
                within: "\r\n\r\nGET /1234 HTTP/1.1\r\nHost: a\r\n\r\n",
                beyond: "GET /123456789012345"
            ),
            Case(
                limit: "fieldLine",
                status: .headerFieldsTooLarge,
                within: fields + "X: 456789012345678\r\n\r\n",
                beyond: fields + "X: 4567890123456789\r"
            ),
            Case(
                limit: "fieldBytes",
                status: .headerFieldsTooLarge,
                within: fields + "X: 456789012345678\r\nX: 4567890123456\r\n" + "Y: x\r\n\r\n".suffix(2),
                beyond: fields + "X: 456789012345678\r\nX: 456789012345678\r\n\r"
            ),
            Case(
                limit: "fieldCount",
                status: .headerFieldsTooLarge,
                within: fields + "X:1\r\nX:2\r\n\r\n",
                beyond: fields + "X:1\r\nX:2\r\nX:3\r\n"
            ),
            Case(limit: "body", status: .contentTooLarge, within: length(8), beyond: length(9)),
            Case(
                limit: "body",
                status: .contentTooLarge,
                within: chunked("5\r\nabcde\r\n3\r\nabc\r\n0\r\n\r\n"),
                beyond: chunked("5\r\nabcde\r\n4\r\n")
            ),
            Case(
                limit: "chunkLine",
                status: .contentTooLarge,
                within: chunked("0;567890\r\n\r\n"),
                beyond: chunked("0;5678901\r")
            ),
            Case(
                limit: "chunkExtensions",
                status: .contentTooLarge,
                within: chunked("1;34567\r\na\r\n1;34567\r\na\r\n0\r\n\r\n"),
                beyond: chunked("1;34567\r\na\r\n1;34567\r\na\r\n0;\r\n")
            ),
            Case(
                limit: "trailerBytes",
                status: .headerFieldsTooLarge,
                within: chunked("0\r\nX: 4567890\r\n\r\n"),
                beyond: chunked("0\r\nX: 45678901\r\n\r")
            ),
            Case(
                limit: "fieldCount",
                status: .headerFieldsTooLarge,
                within: chunked("0\r\nX:\r\nX:\r\nX:\r\n\r\n"),
                beyond: chunked("0\r\nX:\r\nX:\r\nX:\r\nY:\r\n")
            ),
        ]
    )
    func limits(_ limit: Case) {
        var limits = Self.limits
        if limit.within.contains("chunked") { (limits.fieldLine, limits.fieldBytes) = (60, 100) }
        if limit.limit == "fieldCount", limit.within.contains("chunked") { limits.trailerBytes = 50 }
        let within = Transcript(of: limit.within, limits: limits)
        #expect(within.refusal == nil)
        #expect(within.requests.map(\.isComplete) == [true])
        let beyond = Transcript(of: limit.beyond, limits: limits)
        #expect(beyond.refusal?.limit == limit.limit)
        #expect(beyond.refusal?.status == limit.status)
    }

    @Test("each request on a connection gets the full limits")
    func renewal() {
        let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n12345678"
        let transcript = Transcript(of: String(repeating: request, count: 3), limits: Self.limits)
        #expect(transcript.refusal == nil)
        #expect(transcript.requests.count == 3)
    }

    @Test("the limit of a body can be changed after its head, for that body only")
    func bodies() throws {
        var reader = HTTPRequestReader(limits: Self.limits)
        let request = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123456789".utf8)
        reader.receive(request + request)
        _ = try reader.next()
        reader.bodyLimit = .max
        #expect(try reader.next() == .body(Array("123456789".utf8)))
        #expect(try reader.next() == .end)
        _ = try reader.next()
        #expect(performing: { try reader.next() }, throws: { ($0 as? HTTPRefusal)?.limit == "body" })
    }

    private static func length(_ length: Int) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n" + "123456789".prefix(length)
    }

    private static func chunked(_ chunks: String) -> String { chunked + chunks }
}
