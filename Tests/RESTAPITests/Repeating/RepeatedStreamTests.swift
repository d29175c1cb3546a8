// SPDX-License-Identifier: Apache-2.0

// Batch inserts that arrive in pieces, and are repeated with their Idempotency-Key.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Streamed requests with an Idempotency-Key")
struct RepeatedStreamTests {
    private static let fields: HeaderFields = [
        .contentType: "application/x-ndjson", .idempotencyKey: "key",
    ]

    private func insert(_ text: String, size: Int, breaksOff: Bool = false, into world: APIWorld) throws -> Answer {
        try world.send(
            .post,
            "/api/posts/batch-insert?result=ids",
            body: .stream(PiecewiseBody(Array(text.utf8), size: size, breaksOff: breaksOff)),
            fields: Self.fields
        )
    }

    @Test("a repeated stream is recognized however its body is split", arguments: [1, 64, 1_000])
    func pieces(size: Int) throws {
        try APIWorld.each { world throws in
            let text = (1...20).map { "{\"title\":\"Row \($0)\"}\n" }.joined()
            let first = try insert(text, size: 17, into: world)
            #expect(first["count"] == 20)
            let again = try insert(text, size: size, into: world)
            #expect(again.bytes == first.bytes)
            #expect(again.fields.contains(.idempotencyReplayed))
            let longer = try insert(text + "\n", size: size, into: world)
            #expect(longer.status == 422)
            #expect(longer["code"] == "idempotency")
            #expect(try world.count("Post") == 26)
        }
    }

    @Test("a stream that broke off is done when it is repeated completely")
    func brokenOff() throws {
        try APIWorld.each { world throws in
            let text = (1...20).map { "{\"title\":\"Row \($0)\"}\n" }.joined()
            let broken = try? insert(String(text.prefix(100)), size: 10, breaksOff: true, into: world)
            #expect(Transport.isServer ? broken == nil : broken?.status == 400)
            #expect(try world.count("Post") == 6)
            #expect(try insert(text, size: 10, into: world)["count"] == 20)
        }
    }

    @Test("the whole body of a stream counts, even after its last row")
    func trailing() throws {
        try APIWorld.each { world throws in
            let array = "[{\"title\":\"a\"}]"
            func send(_ text: String) throws -> Answer {
                try world.send(
                    .post,
                    "/api/posts/batch-insert",
                    body: .stream(PiecewiseBody(Array(text.utf8), size: array.utf8.count)),
                    fields: [.idempotencyKey: "key"]
                )
            }
            #expect(try send(array + "  \n").status == 200)
            #expect(try send(array + "  \n").fields.contains(.idempotencyReplayed))
            #expect(try send(array + "   ").status == 422)
        }
    }
}
