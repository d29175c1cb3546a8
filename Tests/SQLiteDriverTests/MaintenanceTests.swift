// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Maintenance and blobs")
struct MaintenanceTests {
    private struct Failure: Error {}

    private func withDatabase(
        _ configuration: DatabaseConfiguration = DatabaseConfiguration(),
        _ body: (Database, _ folder: String) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            let database = try Database(path: folder + "/test.sqlite", configuration: configuration)
            try database.write { connection in
                try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)")
                let rows: SQL =
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i FROM n"
                try connection.execute("INSERT INTO t SELECT i, randomblob(1000) FROM (\(rows))")
            }
            try body(database, folder)
        }
    }

    @Test("a long write-ahead log is truncated when it restarts")
    func journalSize() throws {
        var configuration = DatabaseConfiguration()
        configuration.journalBytes = 100_000
        try withDatabase(configuration) { database, folder in
            func size() throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/test.sqlite-wal")
                return try #require(attributes[.size] as? Int)
            }
            #expect(try size() > 500_000)
            try database.checkpoint(.restart)
            try database.write { try $0.execute("UPDATE t SET x = NULL WHERE id = 1") }
            #expect(try size() <= 100_000)
        }
    }

    @Test(
        "a backup made during writes is complete and intact",
        arguments: [DatabaseConfiguration.JournalMode.wal, .delete]
    )
    func backup(mode: DatabaseConfiguration.JournalMode) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        try withDatabase(configuration) { database, folder in
            let steps = Mutex<[BackupProgress]>([])
            try database.backup(to: folder + "/copy", pagesPerStep: 20) { progress in
                let count = steps.withLock { steps in
                    steps.append(progress)
                    return steps.count
                }
                // Two rows, one far behind the pages that are copied by now.
                guard count < 5 else { return }
                try database.write { connection in
                    try connection.execute("UPDATE t SET x = NULL WHERE id = 1")
                    try connection.execute("INSERT INTO t (x) VALUES (1)")
                }
            }
            let progress = try #require(steps.withLock { $0 }.last)
            #expect(progress.copiedPages == progress.pages)
            #expect(steps.withLock { $0.count } > 5)
            let copy = try Connection(path: folder + "/copy", access: .readOnly)
            #expect(try copy.integrityCheck() == [])
            let state = try copy.first("SELECT count(*), sum(x IS NULL) FROM t") { $0.values }
            #expect(state == (mode == .wal ? [500, 0] : [504, 1]))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".new") } == [])
        }
    }

    @Test("a failed backup leaves no file, and a backup never overwrites a file")
    func failedBackup() throws {
        try withDatabase { database, folder in
            #expect(throws: Failure.self) {
                try database.backup(to: folder + "/copy", pagesPerStep: 5) { _ in throw Failure() }
            }
            let exists = #expect(throws: SQLiteError.self) { try database.backup(to: database.path) }
            #expect(exists?.code == .cantOpen)
            #expect(throws: SQLiteError.self) { try database.backup(to: folder + "/none/copy") }
            #expect(throws: SQLiteError.self) { try database.backup(to: folder + "/a\0b") }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                !$0.hasPrefix("test.sqlite")
            }
            #expect(left == [])
            #expect(try database.integrityCheck() == [])
        }
    }

    @Test("a backup leaves no file if any file operation fails")
    func faults() throws {
        try withDatabase { database, folder in
            let files = FailingFiles()
            for n in 1... {
                files.fail(n)
                let isDone = (try? files.run { try database.backup(to: folder + "/copy") }) != nil
                let hasFailed = files.mend() > 0
                let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                    !$0.hasPrefix("test.sqlite")
                }
                #expect(left == (isDone ? ["copy"] : []), "\(n)")
                if isDone { try Checkout.remove(folder + "/copy") }
                guard hasFailed else { break }
            }
        }
    }

    @Test("a backup has the permissions of the original file")
    func permissions() throws {
        try withDatabase { database, folder in
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: database.path)
            try database.backup(to: folder + "/copy")
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/copy")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("the integrity check finds damage within a file, up to the given limit of messages")
    func integrity() throws {
        try withDatabase { database, folder in
            try database.checkpoint(.truncate)
            var bytes = try Data(contentsOf: URL(filePath: database.path))
            for offset in stride(from: 3 * 4096, to: bytes.count, by: 4096) { bytes[offset] = 0xFF }
            try bytes.write(to: URL(filePath: folder + "/damaged"))
            let damaged = try Connection(path: folder + "/damaged")
            #expect(try !damaged.integrityCheck().isEmpty)
            #expect(try damaged.integrityCheck(limit: 1).count == 1)
        }
    }

    @Test("a truncating checkpoint empties the write-ahead log")
    func checkpoint() throws {
        try withDatabase { database, folder in
            let passive = try database.checkpoint()
            #expect(passive.logPages > 0 && passive.logPages == passive.writtenPages)
            try database.checkpoint(.truncate)
            let size = try FileManager.default.attributesOfItem(atPath: database.path + "-wal")[.size] as? Int
            #expect(size == 0)
        }
    }

    @Test("an incremental vacuum frees the requested number of pages, or all of them")
    func vacuum() throws {
        var configuration = DatabaseConfiguration()
        configuration.autoVacuum = .incremental
        try withDatabase(configuration) { database, _ in
            let free = { try database.exclusively { try $0.integer("PRAGMA freelist_count") } }
            try database.write { try $0.execute("DELETE FROM t") }
            let before = try free()
            try database.incrementalVacuum(pages: 10)
            #expect(try free() == before - 10)
            try database.incrementalVacuum()
            #expect(try free() == 0)
        }
    }

    @Test("a snapshot's blob is read in pieces, unchanged by later writes and reads")
    func snapshotBlobs() throws {
        try withDatabase { database, _ in
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 300) }
            try database.write { try $0.execute("UPDATE t SET x = \(value: .blob(bytes)) WHERE id = 7") }
            var snapshot: ReadSnapshot? = try database.snapshot()
            let blob = try #require(try snapshot?.blob(table: "t", column: "x", row: 7))
            #expect(throws: SQLiteError.self) { try snapshot?.blob(table: "t", column: "x", row: 501) }
            try database.write { try $0.execute("DELETE FROM t") }
            #expect(try snapshot?.read { try $0.first("SELECT count(*) FROM t") { $0.int64(0) } } == 500)
            snapshot = nil
            #expect(blob.count == 100_000)
            for start in stride(from: 0, to: 100_000, by: 33_000) {
                #expect(try blob.read(at: start, count: 33_000).elementsEqual(bytes.dropFirst(start).prefix(33_000)))
            }
            #expect(snapshot == nil)
        }
    }

    @Test("a blob is written and read in pieces, within its bounds")
    func blobs() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        for row in 1...2 {
            insert.reset()
            try insert.bind(row, at: 1)
            try insert.bind(zeroBlob: 10, at: 2)
            _ = try insert.step()
        }
        let writer = try connection.writeBlob(table: "t", column: "x", row: 1)
        #expect(writer.count == 10)
        try writer.write([1, 2, 3], at: 0)
        try writer.write([9], at: 9)
        for offset in [-1, 8, 11, .max] {
            let error = #expect(throws: SQLiteError.self) { try writer.write([1, 2, 3], at: offset) }
            #expect(error?.code == .range)
        }
        try writer.move(to: 2)
        try writer.write([7], at: 5)
        let reader = try connection.readBlob(table: "t", column: "x", row: 1)
        #expect(try reader.read(at: 0, count: 4) == [1, 2, 3, 0])
        #expect(try reader.read(at: 8, count: 100) == [0, 9])
        #expect(try reader.read(at: 10, count: 1) == [])
        #expect(try reader.read(at: .max, count: .max) == [])
        #expect(try reader.read(at: -5, count: -1) == [])
        try reader.move(to: 2)
        #expect(try reader.read(at: 5, count: 1) == [7])
        #expect(throws: SQLiteError.self) { try reader.move(to: 3) }
    }

    @Test("reading a blob fails after its row has changed, and opening a missing one fails")
    func blobErrors() throws {
        let connection = try Connection(path: ":memory:")
        try connection.executeScript("CREATE TABLE t (x); INSERT INTO t VALUES (x'0102'), (7)")
        let reader = try connection.readBlob(table: "t", column: "x", row: 1)
        try connection.execute("UPDATE t SET x = x'03' WHERE rowid = 1")
        let error = #expect(throws: SQLiteError.self) { try reader.read(at: 0, count: 1) }
        #expect(error?.code.primary == .aborted)
        for (table, column, row) in [("t", "x", 9), ("t", "y", 1), ("u", "x", 1), ("t", "x", 2), ("t\0", "x", 1)] {
            #expect(throws: SQLiteError.self) { try connection.readBlob(table: table, column: column, row: Int64(row)) }
        }
    }
}
