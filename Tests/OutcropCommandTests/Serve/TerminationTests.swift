// SPDX-License-Identifier: Apache-2.0

// The program, ended under load.

import Foundation
import HTTPServer
import HTTPTestClient
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Termination under load")
struct TerminationTests {
    @Test("after SIGTERM under load the saved changes are exactly the answered ones")
    func termination() throws {
        try Checkout.withFolder { folder in
            let keys = 1...4
            let server = try ServerProcess(in: folder)
            let before = try keys.map { try Self.views($0, server) }
            let address = try #require(ListenAddress(String(server.address().dropFirst("http://".count))))
            let answered = Mutex([Int](repeating: 0, count: keys.count))
            let done = DispatchGroup()
            for key in keys {
                DispatchQueue(label: "client \(key)").async(group: done) {
                    Self.increment(key, at: address) { answered.withLock { $0[key - 1] += 1 } }
                }
            }
            for _ in 0..<3_000 where answered.withLock({ $0.contains { $0 < 10 } }) { usleep(10_000) }
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            done.wait()
            let counts = answered.withLock(\.self)
            #expect(counts.allSatisfy { $0 >= 10 })
            // The second server writes a log of its own.
            try Checkout.remove(server.log)
            let second = try ServerProcess(in: folder)
            #expect(try keys.map { try Self.views($0, second) } == zip(before, counts).map(+))
            second.signal(SIGTERM)
            #expect(second.end() == 0)
        }
    }

    /// Increments the views of a post, on one connection after the other, until the server is gone.
    private static func increment(_ key: Int, at address: ListenAddress, _ answered: () -> Void) {
        let body = "{\"views\":{\"$inc\":1}}"
        let request = """
            PATCH /api/posts/\(key) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        while let client = try? TestClient(address, patience: 60) {
            while let answer = try? client.request(request), answer.status == 200 {
                answered()
                if answer["connection"] == "close" { break }
            }
        }
    }

    private static func views(_ key: Int, _ server: ServerProcess) throws -> Int {
        let answer = try server.curl(server.address() + "/api/posts/\(key)?select=views")
        return Int(try #require(try JSONValue(parsing: answer.body)["views"]?.int64))
    }
}
