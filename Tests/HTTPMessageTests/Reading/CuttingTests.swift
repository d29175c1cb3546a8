// SPDX-License-Identifier: Apache-2.0

// The meaning of bytes doesn't depend on how the network splits them.

import HTTPMessage
import TestSupport
import Testing

@Suite("Requests in pieces")
struct CuttingTests {
    private static let limits = HTTPReadLimits(
        requestLine: 60,
        fieldLine: 50,
        fieldBytes: 120,
        fieldCount: 5,
        chunkLine: 20,
        chunkExtensions: 16,
        trailerBytes: 30,
        body: 40
    )

    @Test(
        "a request has the same meaning however its bytes are split, valid or not",
        arguments: SeededGenerator.seeds(20)
    )
    func cuts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = Self.bytes(&random)
            let whole = Transcript(of: [bytes], limits: Self.limits)
            #expect(Transcript(of: bytes.map { [$0] }, limits: Self.limits) == whole, "\(text(bytes))")
            for _ in 0..<4 {
                let pieces = Self.cut(bytes, &random)
                #expect(Transcript(of: pieces, limits: Self.limits) == whole, "\(pieces.map(text))")
            }
        }
    }

    @Test("a request has the same meaning when all its bytes arrive before the first is read")
    func readingLate() throws {
        let request = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8)
        var reader = HTTPRequestReader()
        for byte in request + request { reader.receive([byte]) }
        for _ in 0..<2 {
            guard case .head = try reader.next() else { throw HTTPRefusal(.internalServerError, "No head.") }
            #expect(try reader.next() == .body(Array("abc".utf8)))
            #expect(try reader.next() == .end)
        }
        #expect(try reader.next() == .needMore)
    }

    /// If earlier bytes were scanned again with each byte, none of these would end in time.
    @Test(
        "reading single bytes takes time proportional to their number",
        arguments: [
            ("GET /", "a", " HTTP/1.0\r\n\r\n"), ("GET / HTTP/1.0\r\nX: ", "a ", "\r\n\r\n"),
            ("GET / HTTP/1.0\r\n", "X: a\r\n", "\r\n"), ("", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1;x\r\na\r\n", "0\r\n\r\n"),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: a\r\n", "\r\n"),
        ]
    )
    func singleBytes(start: String, part: String, end: String) {
        let text = start + String(repeating: part, count: 200_000 / part.utf8.count) + end
        let large = 1 << 20
        let limits = HTTPReadLimits(
            requestLine: large,
            fieldLine: large,
            fieldBytes: large,
            fieldCount: large,
            chunkExtensions: large,
            trailerBytes: large
        )
        let transcript = Transcript(of: text.utf8.map { [$0] }, limits: limits)
        #expect(transcript.refusal == nil)
        #expect(transcript.isComplete && !transcript.requests.isEmpty)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self).debugDescription }

    private static func cut(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...(random.chance(50) ? 6 : 60), using: &random))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    /// A few requests with valid and invalid parts, half of them with a changed byte.
    private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if random.chance(10) { text += "\r\n" }
            text += pick(
                ["GET / HTTP/1.1", "POST /a?b=%20 HTTP/1.1", "PUT /ä HTTP/1.0", "GET /"],
                [40, 40, 15, 5],
                &random
            )
            text += "\r\nHost: a\r\n"
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                text += pick(
                    [
                        "X: y\r\n", "Connection: keep-alive\r\n", "Connection: close\r\n", "X: \r\n y\r\n",
                        "Expect: 100-continue\r\n",
                    ],
                    [40, 30, 10, 5, 15],
                    &random
                )
            }
            text += pick(
                [
                    "\r\n", "Content-Length: 5\r\n\r\nhello", "Content-Length: 41\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0A;x=y\r\n0123456789\r\n0\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n",
                ],
                [30, 20, 5, 25, 20],
                &random
            )
        }
        var bytes = Array(text.utf8)
        if random.chance(50) {
            let index = bytes.indices.randomElement(using: &random) ?? 0
            let odd = Array("\r\n \t\0:;0a\u{7F}".utf8) + [0xFF]
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = odd.randomElement(using: &random) ?? 0
            case 1: bytes.insert(odd.randomElement(using: &random) ?? 0, at: index)
            default: bytes.remove(at: index)
            }
        }
        return bytes
    }

    private static func pick(_ texts: [String], _ weights: [Int], _ random: inout SeededGenerator) -> String {
        var left = Int.random(in: 0..<weights.reduce(0, +), using: &random)
        for (text, weight) in zip(texts, weights) {
            left -= weight
            if left < 0 { return text }
        }
        return ""
    }
}
