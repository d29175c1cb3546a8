// SPDX-License-Identifier: Apache-2.0

// Random requests, split at random positions.

import Glibc
import HTTPMessage
import HTTPServer
import HTTPTestClient
import TestSupport
import Testing

@Suite("Random requests")
struct RandomRequestTests {
    /// A request, and its expected response.
    private struct Case {
        var bytes: [UInt8]
        var expected: String
        var isHead = false
    }

    private static let application = TestApplication(
        receive: { $0.target.hasPrefix("/stream") ? .stream : .collect(limit: 1 << 20) },
        atOnce: { $0.target.hasPrefix("/now") ? answer($0) : nil },
        later: { answer($0) }
    )

    /// Responds with the request that was read; the body is streamed if the target says so.
    private static let answer: @Sendable (HTTPRequest) -> HTTPResponse = { request in
        let body = (try? request.wholeBody()) ?? []
        let text =
            "\(request.method) \(request.target) \(request.fields["X-Value"] ?? "-") \(String(decoding: body, as: UTF8.self))"
        guard request.target.hasSuffix("s") else { return .text(text) }
        return HTTPResponse(
            .ok,
            body: .stream(length: nil) { writer in
                for part in text.split(separator: " ", omittingEmptySubsequences: false) {
                    try writer.write(Array(part.utf8))
                    try writer.write([0x20])
                }
            }
        )
    }

    @Test(
        "random requests on one connection are answered in order, however they are split",
        .overPlainTCP,
        arguments: SeededGenerator.seeds(12)
    )
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let cases = (0..<40).map { _ in Self.request(&generator) }
        try serve(Self.application) { serving in
            let client = try serving.client()
            let bytes = cases.flatMap(\.bytes)
            let sender = try Sender(client, Self.cut(bytes, &generator))
            for one in cases {
                let response = try client.response(isHead: one.isHead)
                #expect(response.status == 200)
                #expect(one.isHead ? response.body.isEmpty : response.text.trimmingEnd == one.expected)
            }
            sender.join()
            #expect(try client.request("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test("truncated random requests leave nothing behind", arguments: SeededGenerator.seeds(4))
    func cutOff(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        try serve(Self.application) { serving in
            for _ in 0..<40 {
                let bytes = (0..<3).flatMap { _ in Self.request(&generator).bytes }
                let client = try serving.client()
                try client.send(Array(bytes[..<Int.random(in: 0...bytes.count, using: &generator)]))
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: client.reset()
                case 1: client.close()
                default:
                    client.endWriting()
                    _ = try? client.receiveAll()
                }
            }
            #expect(eventually { serving.server.load == (0, 0) })
        }
    }

    private static func request(_ generator: inout SeededGenerator) -> Case {
        let way = ["/now", "/stream", "/work"].randomElement(using: &generator) ?? ""
        let target = way + (generator.chance(30) ? "s" : "/\(Int.random(in: 0..<1_000, using: &generator))")
        let method = ["GET", "POST", "PUT", "HEAD"].randomElement(using: &generator) ?? ""
        var text = "\(method) \(target) HTTP/1.1\r\nHost: a\r\n"
        var value = "-"
        if generator.chance(50) {
            value = String(repeating: "v", count: Int.random(in: 1..<200, using: &generator))
            text += "x-VALUE:\(value) \r\n"
        }
        var body = ""
        if method.hasPrefix("P"), generator.chance(80) {
            body = String(repeating: "b", count: Int.random(in: 0..<5_000, using: &generator))
            if generator.chance(50) {
                text += "Content-Length: \(body.utf8.count)\r\n\r\n" + body
            } else {
                text += "Transfer-Encoding: chunked\r\n\r\n" + chunks(body, &generator)
            }
        } else {
            text += "\r\n"
        }
        let expected = "\(method) \(target) \(value) \(body)".trimmingEnd
        return Case(bytes: Array(text.utf8), expected: expected, isHead: method == "HEAD")
    }

    private static func chunks(_ body: String, _ generator: inout SeededGenerator) -> String {
        var text = ""
        var rest = Substring(body)
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...rest.count, using: &generator))
            text += String(piece.count, radix: 16, uppercase: generator.chance(50)) + "\r\n\(piece)\r\n"
            rest = rest.dropFirst(piece.count)
        }
        return text + "0\r\n" + (generator.chance(20) ? "X-Trailer: t\r\n\r\n" : "\r\n")
    }

    private static func cut(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let most = generator.chance(70) ? 50 : 20_000
            let piece = rest.prefix(Int.random(in: 1...most, using: &generator))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
