// SPDX-License-Identifier: Apache-2.0

// Saves of more clients than there are workers.

import Dispatch
import Glibc
import HTTPMessage
import HTTPTestClient
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import Testing

@testable import RESTAPI
@testable import SQLiteStore

@Suite("Saves that share a commit")
struct SharedCommitTests {
    @Test("all saves that come during a commit share the next one, and other requests are answered meanwhile")
    func sharing() throws {
        try APIWorld.each { world throws in
            guard let store = world.sqlite else { return }
            let server = try LiveServer(world.api)
            let (gate, isWriting, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
            DispatchQueue(label: "batch").async(group: done) {
                let begun = Mutex(false)
                let batch = BatchInsertRequest("Tag") {
                    guard
                        !begun.withLock({ isBegun in
                            defer { isBegun = true }; return isBegun
                        })
                    else { return nil }
                    isWriting.signal()
                    gate.wait()
                    return ["name": "of the batch"]
                }
                do { try world.coordinator.execute(batch) } catch { Issue.record(error) }
            }
            isWriting.wait()
            let commits = store.statistics.commits
            let statuses = Mutex<[Int]>([])
            for number in 0..<20 {
                DispatchQueue(label: "client \(number)").async(group: done) {
                    let body = Array("{\"name\":\"tag \(number)\"}".utf8)
                    let fields: HeaderFields = [.contentType: "application/json"]
                    let request = HTTPRequest(.post, "/api/tags", fields: fields, body: .bytes(body))
                    let status = try? server.answer(to: request).status
                    statuses.withLock { $0.append(status ?? 0) }
                }
            }
            // There are four workers, of which a client may use three.
            let end = ContinuousClock.now + .seconds(10)
            while store.database.waitingWriteCount < 20, ContinuousClock.now < end { usleep(1_000) }
            #expect(store.database.waitingWriteCount == 20)
            #expect(try server.answer(to: HTTPRequest(.get, "/api/posts?sort=title")).status == 200)
            gate.signal()
            done.wait()
            #expect(statuses.withLock(\.self) == Array(repeating: 201, count: 20))
            // That of the batch and one for all.
            #expect(store.statistics.commits - commits == 2)
        }
    }
}
