// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Work before a commit")
struct BeforeCommitTests {
    private struct Failure: Error {}

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try Database.withTable("t (id INTEGER PRIMARY KEY, sum INTEGER)", DatabaseConfiguration(), body)
    }

    /// Inserts a row, and defers writing the number of rows into it.
    private static func insert(_ id: Int, _ connection: Connection) throws {
        try connection.execute("INSERT INTO t (id) VALUES (\(value: .integer(Int64(id))))")
        connection.beforeCommit {
            try $0.execute("UPDATE t SET sum = (SELECT count(*) FROM t) WHERE sum IS NULL")
        }
    }

    private func sums(_ database: Database) throws -> [Int64] {
        try database.read { try $0.rows("SELECT sum FROM t ORDER BY id") { $0.int64(0) } }
    }

    /// Writes in jobs that form a group, and returns the numbers of those that failed.
    private func write(
        _ count: Int,
        in database: Database,
        _ job: @escaping @Sendable (Int, Connection) throws -> Void
    ) -> Set<Int> {
        let failed = Mutex<Set<Int>>([])
        together(
            database,
            (0..<count).map { number in
                {
                    do { try database.write { try job(number, $0) } } catch {
                        failed.withLock { _ = $0.insert(number) }
                    }
                }
            }
        )
        return failed.withLock { $0 }
    }

    @Test("it runs once for a group, after all its jobs and in their transaction")
    func group() throws {
        try withDatabase { database in
            let before = database.commitCount
            #expect(write(4, in: database) { try Self.insert($0, $1) } == [])
            let sums = try sums(database)
            #expect(sums == [4, 4, 4, 4])
            #expect(database.commitCount - before == 1)
        }
    }

    @Test("it runs for a single job and for a transaction of a connection, and not in the next one")
    func alone() throws {
        try withDatabase { database in
            try database.write { try Self.insert(1, $0) }
            try database.writeAlone { try Self.insert(2, $0) }
            try database.exclusively { connection in
                try connection.transaction { try Self.insert(3, connection) }
                try connection.savepoint { try Self.insert(4, connection) }
            }
            try database.write { try $0.execute("INSERT INTO t (id) VALUES (5)") }
            let sums = try sums(database)
            #expect(sums == [1, 2, 3, 4, 0])
        }
    }

    @Test("it doesn't run if the transaction is rolled back")
    func rolledBack() throws {
        try withDatabase { database in
            #expect(throws: Failure.self) {
                try database.write { connection in
                    try Self.insert(1, connection)
                    throw Failure()
                }
            }
            try database.write { try $0.execute("INSERT INTO t (id) VALUES (2)") }
            let sums = try sums(database)
            #expect(sums == [0])
        }
    }

    @Test("if it fails for a group, each job is written alone, and fails only if it fails for this job")
    func failing() throws {
        try withDatabase { database in
            let failed = write(3, in: database) { number, connection in
                try Self.insert(number, connection)
                connection.beforeCommit {
                    let isRefused = try $0.first("SELECT 1 FROM t WHERE id = 1") { _ in true } ?? false
                    if isRefused { throw Failure() }
                }
            }
            #expect(failed == [1])
            let sums = try sums(database)
            #expect(sums.count == 2)
        }
    }

    @Test("it can't end the transaction")
    func ending() throws {
        try withDatabase { database in
            for statement in ["COMMIT", "ROLLBACK"] {
                let failed = write(2, in: database) { number, connection in
                    try connection.execute("INSERT INTO t (id) VALUES (\(value: .integer(Int64(number))))")
                    connection.beforeCommit { try? $0.executeScript(statement) }
                }
                #expect(failed == [0, 1])
                let sums = try sums(database)
                #expect(sums == [])
            }
        }
    }
}
