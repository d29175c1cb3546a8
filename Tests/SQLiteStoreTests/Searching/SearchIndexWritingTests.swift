// SPDX-License-Identifier: Apache-2.0

// How saves write into the full-text index: together with others, and merging its segments in steps.

import Dispatch
import ObjectGraph
import ObjectModel
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Writing into the full-text index")
struct SearchIndexWritingTests {
    private struct Failure: Error {}

    private static func open(_ path: String) throws -> SQLiteStore {
        let model = Model { Entity("Post") { Attribute("title", .string).optional().searchIndexed() } }
        return try SQLiteStore(path: path, model: ManagedObjectModel(model))
    }

    private func withStore(_ body: (SQLiteStore) throws -> Void) throws {
        try Checkout.withFolder { try body(Self.open($0 + "/Posts.sqlite")) }
    }

    private static let automerge: SQL = "SELECT v FROM OUTCROPSEARCH_ZPOST_TEXTS_config WHERE k = 'automerge'"

    private static func insert(_ key: Int, _ connection: Connection, title: String = "alpha") throws {
        let key = SQLValue.integer(Int64(key))
        try connection.execute(
            "INSERT INTO ZPOST (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (\(value: key), 1, 1, \(value: .text(title)))"
        )
    }

    private func number(_ query: SQL, in store: SQLiteStore) throws -> Int64? {
        try store.database.read { try $0.first(query) { $0.int64(0) } }
    }

    private func segments(of store: SQLiteStore) throws -> Int64 {
        try number("SELECT count(DISTINCT segid) FROM OUTCROPSEARCH_ZPOST_TEXTS_idx", in: store) ?? 0
    }

    /// Expects that all rows are indexed, that this is the number of matches, and that the index is sound.
    private func expectMatches(_ count: Int64, of word: String = "alpha", in store: SQLiteStore) throws {
        #expect(try number("SELECT count(*) FROM OUTCROPSEARCH_DIRTY", in: store) == 0)
        let matches: SQL = """
            SELECT count(*) FROM OUTCROPSEARCH_ZPOST_TEXTS \
            WHERE OUTCROPSEARCH_ZPOST_TEXTS MATCH \(value: .text(word))
            """
        #expect(try number(matches, in: store) == count)
        #expect(try !store.check().contains { $0.code == .searchIndex })
        try store.database.write {
            try $0.execute(
                "INSERT INTO OUTCROPSEARCH_ZPOST_TEXTS (OUTCROPSEARCH_ZPOST_TEXTS) VALUES ('integrity-check')"
            )
        }
    }

    /// Writes in jobs that share a transaction, and returns the numbers of those that failed.
    private func together(
        _ count: Int,
        in store: SQLiteStore,
        _ job: @escaping @Sendable (Int, Connection) throws -> Void
    ) -> Set<Int> {
        let (holds, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            try? store.database.exclusively { _ in
                holds.signal()
                release.wait()
            }
        }
        holds.wait()
        let failed = Mutex<Set<Int>>([])
        for number in 0..<count {
            DispatchQueue(label: "job \(number)").async(group: group) {
                do { try store.writing { try job(number, $0) } } catch { failed.withLock { _ = $0.insert(number) } }
            }
            while store.database.waitingWriteCount <= number {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
            }
        }
        release.signal()
        group.wait()
        return failed.withLock { $0 }
    }

    @Test("saves that share a transaction write into the index once")
    func group() throws {
        try withStore { store in
            #expect(together(8, in: store) { try Self.insert($0 + 1, $1) } == [])
            #expect(try segments(of: store) == 1)
            try expectMatches(8, in: store)
        }
    }

    @Test("what a failed save of a group has written is not indexed")
    func failedJob() throws {
        try withStore { store in
            let failed = together(4, in: store) { number, connection in
                try Self.insert(number + 1, connection)
                if number.isMultiple(of: 3) { throw Failure() }
            }
            #expect(failed == [0, 3])
            try expectMatches(2, in: store)
        }
    }

    @Test("if the index can't be written for a group, its saves are written one by one")
    func failedIndexing() throws {
        try withStore { store in
            // As if the index were damaged for one row.
            try store.database.write {
                try $0.execute(
                    """
                    CREATE TRIGGER refusal BEFORE DELETE ON OUTCROPSEARCH_DIRTY WHEN OLD.Z_PK = 2 \
                    BEGIN SELECT RAISE (ABORT, 'refused'); END
                    """
                )
            }
            #expect(together(3, in: store) { try Self.insert($0 + 1, $1) } == [1])
            try store.database.write { try $0.execute("DROP TRIGGER refusal") }
            try expectMatches(2, in: store)
        }
    }

    @Test("a save of many rows indexes them all, and the next save what other programs wrote")
    func manyRows() throws {
        try withStore { store in
            try store.writing { connection in for key in 1...200 { try Self.insert(key, connection) } }
            try expectMatches(200, in: store)
            let other = try Connection(path: store.path)
            for key in 201...300 { try Self.insert(key, other) }
            #expect(together(2, in: store) { try Self.insert(301 + $0, $1) } == [])
            try expectMatches(302, in: store)
        }
    }

    @Test("segments are merged as saves write them, not by FTS5")
    func merging() throws {
        try withStore { store in
            #expect(try number(Self.automerge, in: store) == 0)
            for key in 1...62 { try store.writing { try Self.insert(key, $0, title: "alpha number\(key)") } }
            // FTS5 itself would merge at 512.
            #expect(try segments(of: store) < 20)
            try expectMatches(62, in: store)
            for key in 1...62 {
                try store.writing {
                    try $0.execute("UPDATE ZPOST SET ZTITLE = 'beta' WHERE Z_PK = \(value: .integer(Int64(key)))")
                }
            }
            #expect(try segments(of: store) < 20)
            try expectMatches(0, in: store)
            try expectMatches(62, of: "beta", in: store)
        }
    }

    @Test("segments are merged if each process saves only once")
    func singleSaves() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Posts.sqlite"
            for key in 1...40 { try Self.open(path).writing { try Self.insert(key, $0) } }
            let store = try Self.open(path)
            #expect(try segments(of: store) < 20)
            try expectMatches(40, in: store)
        }
    }

    @Test("an index of an earlier version is recreated when the store is opened")
    func earlierVersion() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Posts.sqlite"
            do {
                let store = try Self.open(path)
                try store.writing { try Self.insert(1, $0) }
                try store.database.write {
                    try $0.execute(
                        "INSERT INTO OUTCROPSEARCH_ZPOST_TEXTS (OUTCROPSEARCH_ZPOST_TEXTS, rank) VALUES ('automerge', 4)"
                    )
                    try $0.execute("UPDATE OUTCROPSEARCH SET FINGERPRINT = '2 ZPOST ZTITLE'")
                }
            }
            let store = try Self.open(path)
            #expect(try number(Self.automerge, in: store) == 0)
            try expectMatches(1, in: store)
        }
    }
}
