// SPDX-License-Identifier: Apache-2.0

// The program is killed while clients send requests with keys, which they repeat afterwards.

import Foundation
import HTTPServer
import HTTPTestClient
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Requests repeated after a server was killed")
struct RepeatedRequestTests {
    private static let rounds = ProcessInfo.processInfo.environment["OUTCROP_KILL_ROUNDS"].flatMap(Int.init) ?? 3

    /// A sent request, and the response if it arrived.
    private struct Sent: Sendable {
        let key: String
        var body: [UInt8]?
    }

    @Test("each repeated request is done once, and an answered one gets the same response")
    func kill() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        try Checkout.withFolder { folder in
            var all: [Sent] = []
            var post = ""
            for round in 0..<Self.rounds {
                let server = try ServerProcess(in: folder)
                let address = try Self.address(of: server)
                if post.isEmpty {
                    let posts = try server.curl(server.address() + "/api/posts?limit=1&result=ids").body
                    post = try #require(try JSONValue(parsing: posts)["items"]?[0]?.string)
                }
                let sent = Mutex<[Sent]>([])
                let done = DispatchGroup()
                for client in 1...4 {
                    DispatchQueue(label: "client \(client)").async(group: done) { [post] in
                        Self.insert("\(round)-\(client)", on: post, at: address, sent)
                    }
                }
                for _ in 0..<3_000 where sent.withLock({ $0.count < 40 }) { usleep(1_000) }
                usleep(UInt32.random(in: 0...100_000, using: &random))
                server.signal(SIGKILL)
                #expect(server.end() == -SIGKILL)
                done.wait()
                all += sent.withLock { $0 }
                try Checkout.remove(server.log)
            }
            #expect(all.count { $0.body == nil } > 0 && all.count { $0.body != nil } > 10, "seed \(seed)")
            let server = try ServerProcess(in: folder)
            let address = try Self.address(of: server)
            let client = try TestClient(address, patience: 60)
            for request in all {
                let again = try client.request(Self.request(request.key, post))
                #expect(again.status == 201, "\(request.key), seed \(seed)")
                if let body = request.body {
                    #expect(again.body == body, "\(request.key), seed \(seed)")
                    #expect(again["idempotency-replayed"] == "true", "\(request.key), seed \(seed)")
                }
            }
            let count = try server.curl(
                server.address() + "/api/comments?result=count&text=once"
            )
            #expect(try JSONValue(parsing: count.body)["count"]?.int64 == Int64(all.count), "seed \(seed)")
            server.signal(SIGTERM)
            #expect(server.end() == 0)
        }
    }

    private static func address(of server: ServerProcess) throws -> ListenAddress {
        try #require(ListenAddress(String(server.address().dropFirst("http://".count))))
    }

    private static func request(_ key: String, _ post: String) -> String {
        let body = """
            {"text":"once","createdAt":"2026-11-21T09:30:00Z","post":"\(post)"}
            """
        return """
            POST /api/comments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
            Idempotency-Key: \(key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
    }

    /// Sends one request after the other until the server is gone.
    private static func insert(
        _ name: String,
        on post: String,
        at address: ListenAddress,
        _ sent: borrowing Mutex<[Sent]>
    ) {
        var number = 0
        while let client = try? TestClient(address, patience: 60) {
            while true {
                number += 1
                let key = "\(name)-\(number)"
                sent.withLock { $0.append(Sent(key: key)) }
                guard let answer = try? client.request(request(key, post)) else { return }
                sent.withLock { sent in
                    if let place = sent.firstIndex(where: { $0.key == key }) { sent[place].body = answer.body }
                }
                if answer["connection"] == "close" { break }
            }
        }
    }
}
