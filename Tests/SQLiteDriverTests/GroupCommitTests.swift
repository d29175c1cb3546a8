// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Group commit")
struct GroupCommitTests {
    private struct Failure: Error, Equatable {}

    /// A database with a table of unique numbers.
    private func withDatabase(
        _ configuration: DatabaseConfiguration = DatabaseConfiguration(),
        _ body: (Database) throws -> Void
    ) throws {
        try Database.withTable("t (id INTEGER PRIMARY KEY, who INTEGER NOT NULL)", configuration, body)
    }

    private func integers(_ sql: SQL, in database: Database) throws -> [Int64] {
        try database.read { try $0.rows(sql) { $0.int64(0) } }
    }

    @Test(
        "every acknowledged write is stored and no failed one is, in fewer commits than writes",
        arguments: SeededGenerator.seeds(3)
    )
    func property(seed: UInt64) throws {
        try withDatabase { database in
            let threads = 16
            let writes = 40
            let before = database.commitCount
            let acknowledged = Mutex<Set<Int64>>([])
            let told = Mutex<[Int64]>([])
            let failed = Mutex(0)
            onThreads(threads) { thread in
                var random = SeededGenerator(seed: seed &+ UInt64(thread))
                for write in 0..<writes {
                    let id = Int64(thread * writes + write)
                    let fate = Int.random(in: 0..<4, using: &random)
                    do {
                        let result = try database.write { connection in
                            try connection.execute("INSERT INTO t VALUES (\(value: .integer(id)), \(value: 1))")
                            connection.afterCommit { told.withLock { $0.append(id) } }
                            switch fate {
                            case 0: try connection.execute("INSERT INTO t VALUES (\(value: .integer(id)), \(value: 2))")
                            case 1: throw Failure()
                            default: break
                            }
                            return id
                        }
                        #expect(fate > 1)
                        acknowledged.withLock { _ = $0.insert(result) }
                    } catch {
                        #expect(fate < 2)
                        failed.withLock { $0 += 1 }
                    }
                }
            }
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(Set(rows) == acknowledged.withLock { $0 })
            #expect(rows.count + failed.withLock { $0 } == threads * writes)
            let toldOf = told.withLock { $0 }
            #expect(Set(toldOf) == Set(rows))
            #expect(toldOf.count == rows.count)
            #expect(database.commitCount - before < rows.count)
        }
    }

    @Test("queued jobs are written in one commit, in order, and a failed one is undone alone")
    func oneGroup() throws {
        try withDatabase { database in
            let before = database.commitCount
            let order = Mutex<[Int]>([])
            let outcomes = Mutex<[Int: Bool]>([:])
            together(
                database,
                (0..<5).map { number in
                    {
                        let result = Result {
                            try database.write { connection in
                                let id = SQLValue.integer(Int64(number))
                                try connection.execute("INSERT INTO t VALUES (\(value: id), \(value: id))")
                                connection.afterCommit { order.withLock { $0.append(number) } }
                                if number == 2 { throw Failure() }
                            }
                        }
                        outcomes.withLock { $0[number] = (try? result.get()) != nil }
                    }
                }
            )
            #expect(order.withLock { $0 } == [0, 1, 3, 4])
            #expect(outcomes.withLock { $0 } == [0: true, 1: true, 2: false, 3: true, 4: true])
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [0, 1, 3, 4])
            #expect(database.commitCount - before == 1)
        }
    }

    @Test(
        "if one job rolls the whole transaction back, only that job fails",
        arguments: ["ROLLBACK", "INSERT OR ROLLBACK INTO t VALUES (0, NULL)", "COMMIT"],
        [true, false]
    )
    func transactionLost(statement: String, isSwallowed: Bool) throws {
        try withDatabase { database in
            let runs = Mutex([0, 0, 0])
            let outcomes = Mutex<[Int: Bool]>([:])
            together(
                database,
                (0..<3).map { number in
                    {
                        let result = Result {
                            try database.write { connection in
                                runs.withLock { $0[number] += 1 }
                                let id = SQLValue.integer(Int64(number))
                                try connection.execute("INSERT INTO t VALUES (\(value: id), \(value: id))")
                                guard number == 1 else { return }
                                do {
                                    try connection.executeScript(statement)
                                } catch {
                                    if !isSwallowed { throw error }
                                }
                            }
                        }
                        outcomes.withLock { $0[number] = (try? result.get()) != nil }
                    }
                }
            )
            #expect(outcomes.withLock { $0 } == [0: true, 1: false, 2: true])
            #expect(runs.withLock { $0 } == [2, 1, 1])
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [0, 2])
        }
    }

    @Test("if a commit fails because of one job's deferred constraint, only that job fails")
    func deferredConstraint() throws {
        var configuration = DatabaseConfiguration()
        configuration.checksForeignKeys = true
        try withDatabase(configuration) { database in
            try database.write {
                try $0.execute("CREATE TABLE c (p INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
            }
            let outcomes = Mutex<[Int: Bool]>([:])
            together(
                database,
                (0..<3).map { number in
                    {
                        let result = Result {
                            try database.write { connection in
                                let id = SQLValue.integer(Int64(number))
                                if number != 1 { try connection.execute("INSERT INTO t VALUES (\(value: id), 1)") }
                                try connection.execute("INSERT INTO c VALUES (\(value: id))")
                            }
                        }
                        outcomes.withLock { $0[number] = (try? result.get()) != nil }
                    }
                }
            )
            #expect(outcomes.withLock { $0 } == [0: true, 1: false, 2: true])
            let rows = try integers("SELECT p FROM c", in: database)
            #expect(rows == [0, 2])
        }
    }

    @Test("if the disk is full for one job, the jobs that fit are written")
    func diskFull() throws {
        try withDatabase { database in
            try database.exclusively { try $0.set("max_page_count", to: 10) }
            let outcomes = Mutex<[Int: SQLiteError.Code?]>([:])
            together(
                database,
                (0..<3).map { number in
                    {
                        do {
                            try database.write { connection in
                                let size: SQLValue = number == 1 ? 1_000_000 : 10
                                let id = SQLValue.integer(Int64(number))
                                try connection.execute("INSERT INTO t VALUES (\(value: id), zeroblob(\(value: size)))")
                            }
                            outcomes.withLock { $0[number] = .some(nil) }
                        } catch {
                            outcomes.withLock { $0[number] = (error as? SQLiteError)?.code }
                        }
                    }
                }
            )
            #expect(outcomes.withLock { $0 } == [0: nil, 1: .full, 2: nil])
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [0, 2])
            #expect(try database.integrityCheck() == [])
        }
    }

    @Test("all jobs of a group fail while another program holds the lock, and later jobs are written")
    func locked() throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .milliseconds(20)
        try withDatabase(configuration) { database in
            let other = try Connection(path: database.path)
            try other.execute("BEGIN IMMEDIATE")
            let codes = Mutex<[SQLiteError.Code?]>([])
            let write: @Sendable () -> Void = {
                do {
                    try database.write { try $0.execute("INSERT INTO t VALUES (NULL, 1)") }
                    codes.withLock { $0.append(nil) }
                } catch {
                    codes.withLock { $0.append((error as? SQLiteError)?.code) }
                }
            }
            together(database, [write, write])
            try other.execute("ROLLBACK")
            together(database, [write, write])
            #expect(codes.withLock { $0 } == [.busy, .busy, nil, nil])
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [1, 2])
        }
    }

    @Test("jobs queued behind one that waits for another program's lock can time out, with the reason")
    func givenUpForLock() throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(3_600)
        try withDatabase(configuration) { database in
            let other = try Connection(path: database.path)
            try other.execute("BEGIN EXCLUSIVE")
            let group = DispatchGroup()
            DispatchQueue(label: "waits").async(group: group) {
                try? database.write { try $0.execute("INSERT INTO t VALUES (1, 1)") }
            }
            while !database.isLockedByOthers { pause() }
            let limits: [@Sendable () throws -> Void] = [
                { try database.write(deadline: .now + .milliseconds(20)) { _ in } },
                { try database.write(turnDeadline: .now + .milliseconds(20)) { _ in } },
                { try database.writeAlone(deadline: .now + .milliseconds(20)) { _ in } },
            ]
            for write in limits { #expect(throws: SQLiteError.lockedByOthers) { try write() } }
            #expect(try integers("SELECT id FROM t", in: database) == [])
            try other.execute("ROLLBACK")
            group.wait()
            #expect(try integers("SELECT id FROM t", in: database) == [1])
            #expect(!database.isLockedByOthers)
        }
    }

    @Test("the job that waits for another program's lock fails at its deadline, and the next job waits on")
    func leaderGivesUpForLock() throws {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(3_600)
        try withDatabase(configuration) { database in
            let other = try Connection(path: database.path)
            try other.execute("BEGIN EXCLUSIVE")
            let outcomes = Mutex<[Int: SQLiteError?]>([:])
            let group = DispatchGroup()
            for number in 0..<2 {
                DispatchQueue(label: "waits").async(group: group) {
                    let deadline = number == 0 ? ContinuousClock.now + .milliseconds(200) : nil
                    var failure: SQLiteError?
                    do {
                        try database.write(deadline: deadline) {
                            try $0.execute("INSERT INTO t VALUES (\(value: .integer(Int64(number))), 1)")
                        }
                    } catch {
                        failure = error as? SQLiteError
                    }
                    outcomes.withLock { $0[number] = failure }
                }
                while database.waitingWriteCount <= number, outcomes.withLock({ $0.isEmpty }) { pause() }
            }
            while outcomes.withLock({ $0.isEmpty }) { pause() }
            #expect(outcomes.withLock { $0 } == [0: .lockedByOthers])
            try other.execute("ROLLBACK")
            group.wait()
            #expect(outcomes.withLock { $0 } == [0: .lockedByOthers, 1: nil])
            #expect(try integers("SELECT id FROM t", in: database) == [1])
        }
    }

    @Test("a transaction holds no more jobs than the group limit")
    func groupLimit() throws {
        var configuration = DatabaseConfiguration()
        configuration.groupLimit = 2
        try withDatabase(configuration) { database in
            let before = database.commitCount
            together(
                database,
                (0..<5).map { number in
                    {
                        try? database.write { connection in
                            try connection.execute("INSERT INTO t VALUES (\(value: .integer(Int64(number))), 1)")
                        }
                    }
                }
            )
            #expect(database.commitCount - before == 3)
        }
    }

    @Test("a job that times out in the queue doesn't run, and the jobs behind it do")
    func givenUp() throws {
        try withDatabase { database in
            let outcome = Mutex<SQLiteError?>(nil)
            let group = DispatchGroup()
            let hasGivenUp = hold(database, in: group)
            do {
                try database.write(deadline: .now + .milliseconds(20)) { try $0.execute("INSERT INTO t VALUES (1, 1)") }
            } catch let error as SQLiteError {
                outcome.withLock { $0 = error }
            }
            hasGivenUp.signal()
            group.wait()
            #expect(outcome.withLock { $0?.code } == .busy)
            try database.write { try $0.execute("INSERT INTO t VALUES (2, 1)") }
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [2])
        }
    }

    @Test("a write past its deadline is undone alone, though SQLite ends the transaction with it")
    func deadline() throws {
        try withDatabase { database in
            let outcomes = Mutex<[Int: SQLiteError.Code?]>([:])
            let endless: SQL = """
                INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n) SELECT i, 1 FROM n
                """
            let cancellation = Cancellation()
            together(
                database,
                (0..<3).map { number in
                    {
                        do {
                            try database.write(cancellation: number == 1 ? cancellation : nil) { connection in
                                try connection.execute("INSERT INTO t VALUES (\(value: .integer(Int64(number))), 1)")
                                guard number == 1 else { return }
                                connection.deadline = .now + .milliseconds(50)
                                try connection.execute(endless)
                            }
                            outcomes.withLock { $0[number] = .some(nil) }
                        } catch {
                            outcomes.withLock { $0[number] = (error as? SQLiteError)?.code }
                        }
                    }
                }
            )
            #expect(outcomes.withLock { $0 } == [0: nil, 1: .interrupted, 2: nil])
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [0, 2])
        }
    }

    @Test("exclusive work runs outside a transaction, and a transaction that it leaves open is rolled back")
    func exclusively() throws {
        try withDatabase { database in
            try database.exclusively { connection in
                #expect(!connection.isInTransaction)
                try connection.execute("VACUUM")
                try connection.execute("BEGIN")
                try connection.execute("INSERT INTO t VALUES (1, 1)")
            }
            let rows = try integers("SELECT id FROM t", in: database)
            #expect(rows == [])
        }
    }
}
