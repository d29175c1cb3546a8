// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Databases")
struct DatabaseTests {
    private let count: SQL = "SELECT count(*) FROM t"

    /// A database with an empty table.
    private func withDatabase(
        _ configuration: DatabaseConfiguration = DatabaseConfiguration(),
        _ body: (Database) throws -> Void
    ) throws {
        try Database.withTable("t (id INTEGER PRIMARY KEY, x)", configuration, body)
    }

    private func rowCount(_ database: Database) throws -> Int64? {
        try database.read { [count] in try $0.first(count) { $0.int64(0) } }
    }

    @Test("a database is opened with the configured pragmas")
    func configured() throws {
        var configuration = DatabaseConfiguration()
        configuration.autoVacuum = .incremental
        configuration.synchronous = .normal
        configuration.cacheKibibytes = 321
        configuration.checksForeignKeys = true
        try withDatabase(configuration) { database in
            let pragmas = ["journal_mode", "auto_vacuum", "synchronous", "cache_size", "foreign_keys"]
            let values = try database.exclusively { connection in
                try pragmas.map { try connection.first("PRAGMA \(identifier: $0)") { $0.value(0) } }
            }
            #expect(values == ["wal", 2, 1, -321, 1])
        }
    }

    @Test("each connection is prepared when it opens, and reader connections refuse to write")
    func onOpen() throws {
        try Checkout.withFolder { folder in
            let database = try Database(path: folder + "/a") { connection in
                try connection.define(function: "answer", arguments: 0) { _ in 42 }
            }
            try database.write { try $0.execute("CREATE TABLE t AS SELECT answer() AS a") }
            #expect(try database.read { try $0.first("SELECT a + answer() FROM t") { $0.int64(0) } } == 84)
            let error = #expect(throws: SQLiteError.self) { try database.read { try $0.execute("DELETE FROM t") } }
            #expect(error?.code.primary == .readOnly)
        }
    }

    @Test("a database needs a file", arguments: ["", ":memory:"])
    func needsFile(path: String) {
        #expect(throws: SQLiteError.self) { try Database(path: path) }
    }

    @Test("a database that is opened read-only refuses to write", arguments: [true, false])
    func readOnly(isImmutable: Bool) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a"
            var configuration = DatabaseConfiguration()
            configuration.access = .readOnly
            configuration.isImmutable = isImmutable
            #expect(throws: SQLiteError.self) { try Database(path: path, configuration: configuration) }
            try Database(path: path).write { try $0.execute("CREATE TABLE t (id)") }
            let database = try Database(path: path, configuration: configuration)
            #expect(try rowCount(database) == 0)
            let error = #expect(throws: SQLiteError.self) { try database.write { _ in } }
            #expect(error?.code == .readOnly)
        }
    }

    @Test("opening a file that is not a database fails")
    func notADatabase() throws {
        try Checkout.withFolder { folder in
            try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: folder + "/a"))
            for access in [Connection.Access.readOnly, .create] {
                var configuration = DatabaseConfiguration()
                configuration.access = access
                let error = #expect(throws: SQLiteError.self) {
                    try Database(path: folder + "/a", configuration: configuration)
                }
                #expect(error?.code == .notADatabase)
            }
        }
    }

    @Test("a read waits for a free reader connection, at most until its deadline")
    func waitsForReader() throws {
        var configuration = DatabaseConfiguration()
        configuration.readerLimit = 1
        try withDatabase(configuration) { database in
            let holds = DispatchSemaphore(value: 0)
            let release = DispatchSemaphore(value: 0)
            let group = DispatchGroup()
            DispatchQueue(label: "holder").async(group: group) {
                try? database.read { _ in
                    holds.signal()
                    release.wait()
                }
            }
            holds.wait()
            let error = #expect(throws: SQLiteError.self) {
                try database.read(deadline: .now + .milliseconds(20)) { _ in }
            }
            #expect(error == .noReaderInTime)
            let read = Mutex(0)
            for _ in 0..<3 {
                DispatchQueue(label: "reader").async(group: group) {
                    if (try? database.read { _ in }) != nil { read.withLock { $0 += 1 } }
                }
            }
            release.signal()
            group.wait()
            #expect(read.withLock { $0 } == 3)
        }
    }

    @Test("opening waits for a program that writes the file before it has a log")
    func openingWhileLocked() throws {
        try Checkout.withFolder { folder in
            let holder = try Connection(path: folder + "/a", access: .create)
            try holder.execute("CREATE TABLE t (a)")
            try holder.execute("BEGIN IMMEDIATE")
            let opened = Mutex<Result<Int, any Error>?>(nil)
            let group = DispatchGroup()
            DispatchQueue(label: "opener").async(group: group) {
                let result = Result {
                    let database = try Database(path: folder + "/a")
                    return try database.read { try $0.rows("SELECT a FROM t") { $0.int64(0) }.count }
                }
                opened.withLock { $0 = result }
            }
            #expect(group.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
            try holder.execute("INSERT INTO t VALUES (1)")
            try holder.execute("COMMIT")
            group.wait()
            #expect(try opened.withLock(\.self)?.get() == 1)
        }
    }

    @Test("a reader connection that fails to open frees its slot for other reads")
    func failingToOpen() throws {
        struct Failure: Error {}
        try Checkout.withFolder { folder in
            let opened = Mutex(0)
            var configuration = DatabaseConfiguration()
            configuration.readerLimit = 1
            let database = try Database(path: folder + "/a", configuration: configuration) { _ in
                let number = opened.withLock { opened in
                    opened += 1
                    return opened
                }
                if number == 2 { throw Failure() }
            }
            #expect(throws: Failure.self) { try database.read { _ in } }
            try database.read { _ in }
        }
    }

    @Test("a read stops at its deadline or on cancellation, and its connection can be reused")
    func limits() throws {
        var configuration = DatabaseConfiguration()
        configuration.readerLimit = 1
        try withDatabase(configuration) { database in
            let endless: SQL = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
            let error = #expect(throws: SQLiteError.self) {
                try database.read(deadline: .now + .milliseconds(20)) { connection in
                    try connection.begin(.deferred)
                    try connection.execute(endless)
                }
            }
            #expect(error?.code == .interrupted)
            let cancellation = Cancellation()
            cancellation.cancel()
            #expect(throws: SQLiteError.cancelled) {
                try database.read(cancellation: cancellation) { try $0.execute("SELECT 1") }
            }
            let isUsed = try database.read { $0.isInTransaction || $0.deadline != nil || $0.cancellation != nil }
            #expect(!isUsed)
        }
    }

    @Test("a snapshot keeps its state during later writes, and open snapshots don't block reads")
    func snapshots() throws {
        var configuration = DatabaseConfiguration()
        configuration.readerLimit = 1
        configuration.snapshotLimit = 3
        try withDatabase(configuration) { database in
            var snapshots: [ReadSnapshot] = []
            for number in 0..<3 {
                snapshots.append(try database.snapshot())
                try database.write { try $0.execute("INSERT INTO t (id) VALUES (\(value: .integer(Int64(number))))") }
            }
            for (number, snapshot) in snapshots.enumerated() {
                let rows = try snapshot.read { [count] in try $0.first(count) { $0.int64(0) } }
                #expect(rows == Int64(number))
            }
            #expect(try rowCount(database) == 3)
            snapshots = []
            let rows = try database.snapshot().read { [count] in try $0.first(count) { $0.int64(0) } }
            #expect(rows == 3)
        }
    }

    @Test("a snapshot outlives its database, and reading it fails once its transaction has ended")
    func snapshotLifetime() throws {
        try Checkout.withFolder { folder in
            var database: Database? = try Database(path: folder + "/a")
            let snapshot = try #require(try database?.snapshot())
            database = nil
            #expect(try snapshot.read { try $0.tableExists("t") } == false)
            try snapshot.read { try $0.execute("ROLLBACK") }
            let error = #expect(throws: SQLiteError.self) { try snapshot.read { _ in } }
            #expect(error?.code == .misuse)
        }
    }

    @Test("concurrent reads see only whole transactions of a writer", arguments: SeededGenerator.seeds(1))
    func isolation(seed: UInt64) throws {
        try withDatabase { database in
            let torn = Mutex(0)
            onThreads(6) { thread in
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                for _ in 0..<50 {
                    if random.chance(30) {
                        try? database.write { connection in
                            try connection.execute("INSERT INTO t (x) VALUES (1)")
                            try connection.execute("INSERT INTO t (x) VALUES (-1)")
                        }
                    } else {
                        let sums = try? database.read { connection in
                            try connection.transaction {
                                try connection.rows("SELECT coalesce(sum(x), 0), count(*) % 2 FROM t") { $0.values }
                            }
                        }
                        if sums != [[0, 0]] { torn.withLock { $0 += 1 } }
                    }
                }
            }
            #expect(torn.withLock { $0 } == 0)
        }
    }

    @Test("another program's commits change the data version, and the database's own commits don't")
    func foreignCommits() throws {
        try withDatabase { database in
            let before = try database.dataVersion()
            try database.write { try $0.execute("INSERT INTO t VALUES (1, 1)") }
            #expect(try database.dataVersion() == before)
            try Connection(path: database.path).execute("INSERT INTO t VALUES (2, 2)")
            #expect(try database.dataVersion() != before)
        }
    }

    @Test("a tracer receives each execution with its rows and error until it is removed")
    func tracing() throws {
        try withDatabase { database in
            let events = Mutex<[String]>([])
            let note: Tracer = { event in
                let text = "\(event.expandedSQL): \(event.rows) \(event.error?.code.rawValue ?? 0)"
                events.withLock { $0.append(text) }
                #expect(event.duration >= .zero)
                #expect(event.sql.contains("?") || event.sql == event.expandedSQL)
            }
            try database.write { try $0.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')") }
            #expect(try rowCount(database) == 3)
            database.tracer = note
            try database.read { connection in
                let some: SQL = "SELECT x FROM t WHERE id > \(value: 1)"
                try connection.run(some) { _ in }
                _ = try connection.first(some) { $0.string(0) }
                _ = try? connection.execute("SELECT abs(-9223372036854775807 - \(value: 1))")
            }
            try database.write { try $0.execute("DELETE FROM t") }
            database.tracer = nil
            #expect(try rowCount(database) == 0)
            #expect(
                events.withLock { $0 } == [
                    "SELECT x FROM t WHERE id > 1: 2 0",
                    "SELECT x FROM t WHERE id > 1: 1 0",
                    "SELECT abs(-9223372036854775807 - 1): 0 1",
                    "BEGIN IMMEDIATE: 0 0",
                    "DELETE FROM t: 0 0",
                    "COMMIT: 0 0",
                ]
            )
        }
    }

    @Test("all files are closed once the database is released")
    func closed() throws {
        try Checkout.withFolder { folder in
            let open = {
                let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                let targets = files.compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
                }
                return targets.filter { $0.hasPrefix(folder) }.count
            }
            do {
                let database = try Database(path: folder + "/a")
                try database.write { try $0.execute("CREATE TABLE t (a)") }
                #expect(try rowCount(database) == 0)
                _ = try database.snapshot()
                #expect(open() > 0)
            }
            #expect(open() == 0)
            #expect(!FileManager.default.fileExists(atPath: folder + "/a-wal"))
        }
    }
}
