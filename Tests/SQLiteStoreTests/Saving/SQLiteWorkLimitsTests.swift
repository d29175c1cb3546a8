// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Work limits of SQLite stores")
struct SQLiteWorkLimitsTests {
    private static func insert(_ name: String, _ shop: Shop) throws {
        try shop.coordinator.withContext { context in
            try context.insert("Tag").setValue(.string(name), forKey: "name")
            try context.save()
        }
    }

    private static func names(_ shop: Shop) throws -> [[String]] {
        try shop.rows("SELECT ZNAME FROM ZTAG ORDER BY ZNAME")
    }

    /// Holds the writer while a closure runs.
    private static func whileWriting(_ shop: Shop, _ body: () -> Void) {
        let (holds, release, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let database = shop.store.database
        DispatchQueue(label: "writer").async {
            try? database.exclusively { _ in
                holds.signal()
                release.wait()
            }
            done.signal()
        }
        holds.wait()
        defer {
            release.signal()
            done.wait()
        }
        body()
    }

    /// The error of work that has to wait longer than its deadline allows. It is repeated if its time ends before it waits.
    private static func failure(of work: () throws -> Void) -> GraphError? {
        for _ in 0..<100 {
            let limits = WorkLimits(deadline: .now + .milliseconds(50))
            let error = #expect(throws: GraphError.self) { try limits.hold(work) }
            if error?.code != .deadline { return error }
        }
        return nil
    }

    @Test("a limit stops a running statement")
    func statement() throws {
        try Shop.open { shop in
            let rows: [[String: Value]] = (0..<2_000).map { ["name": .string("\($0)"), "stock": .integer($0)] }
            try shop.coordinator.execute(BatchInsertRequest("Article", rows: rows))
            let request = try FetchRequest<ManagedObject>(
                "Article",
                predicate: ObjectPredicate("name CONTAINS 'x' OR length:(name) > 90 OR stock * 2 == 3")
            )
            let asked = Atomic(0)
            let limits = WorkLimits(isCancelled: { asked.add(1, ordering: .relaxed).newValue > 3 })
            let error = #expect(throws: GraphError.self) {
                try limits.hold { try shop.coordinator.read { try $0.count(request) } }
            }
            #expect(error?.code == .cancelled)
            #expect(try shop.coordinator.read { try $0.count(FetchRequest("Article")) } == 2_000)
        }
    }

    @Test("a limit stops a save that waits for the writer, and nothing is written")
    func waiting() throws {
        try Shop.open { shop in
            try Self.insert("first", shop)
            Self.whileWriting(shop) {
                #expect(Self.failure { try Self.insert("late", shop) }?.code == .busy)
                let start = ContinuousClock.now
                let given = WorkLimits(isCancelled: { ContinuousClock.now - start > .milliseconds(30) })
                let cancelled = #expect(throws: GraphError.self) {
                    try given.hold { try Self.insert("given up", shop) }
                }
                #expect(cancelled?.code == .cancelled)
                let batch = Self.failure {
                    try shop.coordinator.execute(BatchInsertRequest("Tag", rows: [["name": "batch"]]))
                }
                #expect(batch?.code == .busy)
            }
            try Self.insert("second", shop)
            #expect(try Self.names(shop) == [["first"], ["second"]])
        }
    }

    @Test("a limit stops the wait for a reading connection")
    func readers() throws {
        var options = SQLiteStoreOptions()
        options.readerLimit = 1
        try Shop.open(options) { shop in
            try shop.store.database.read { _ in
                let error = Self.failure { _ = try shop.coordinator.read { try $0.count(FetchRequest("Tag")) } }
                #expect(error?.code == .busy)
            }
            #expect(try shop.coordinator.read { try $0.count(FetchRequest("Tag")) } == 0)
        }
    }

    @Test("a cancelled save doesn't affect others in its transaction")
    func group() throws {
        try Shop.open { shop in
            let rows: [[String: Value]] = (0..<400).map { ["name": .string("\($0 / 50)/\($0)")] }
            try shop.coordinator.execute(BatchInsertRequest("Article", rows: rows))
            let failures = Mutex<[Int: GraphError.Code]>([:])
            let group = DispatchGroup()
            let areQueued = Atomic(false)
            let database = shop.store.database
            Self.whileWriting(shop) {
                for number in 0..<8 {
                    DispatchQueue(label: "saver \(number)").async(group: group) {
                        // Every third is cancelled once its group is running.
                        let limits = WorkLimits(isCancelled: {
                            number % 3 == 0 && areQueued.load(ordering: .relaxed) && database.waitingWriteCount == 0
                        })
                        do {
                            try limits.hold {
                                try shop.coordinator.withContext { context in
                                    let own = ObjectPredicate.comparing(
                                        .keyPath("name"),
                                        .beginsWith,
                                        .constant(.string("\(number)/"))
                                    )
                                    let request = FetchRequest<ManagedObject>("Article", predicate: own)
                                    for article in try context.fetch(request) {
                                        try article.setValue(.integer(1), forKey: "stock")
                                    }
                                    try context.save()
                                }
                            }
                        } catch let error as GraphError {
                            failures.withLock { $0[number] = error.code }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
                while database.waitingWriteCount < 8 { usleep(1_000) }
                areQueued.store(true, ordering: .relaxed)
            }
            group.wait()
            #expect(failures.withLock { $0 } == [0: .cancelled, 3: .cancelled, 6: .cancelled])
            let counts = try shop.rows("SELECT substr(ZNAME, 1, 2), sum(ZSTOCK) FROM ZARTICLE GROUP BY 1")
            #expect(counts == (0..<8).map { ["\($0)/", $0 % 3 == 0 ? "0" : "50"] })
        }
    }

    @Test("a distant deadline has no effect")
    func far() throws {
        try Shop.open { shop in
            let limits = WorkLimits(deadline: .now + .seconds(3600), isCancelled: { false })
            try limits.hold {
                try Self.insert("a", shop)
                try shop.coordinator.execute(BatchInsertRequest("Tag", rows: [["name": "b"]]))
                let count = try shop.coordinator.read(pinned: true) { try $0.count(FetchRequest("Tag")) }
                #expect(count == 2)
            }
        }
    }
}
