// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import SQLiteDriver

@Suite("Connections")
struct ConnectionTests {
    private struct Failure: Error {}

    private let endless: SQL = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test("opening a missing file fails unless creating it is allowed")
    func missingFile() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a.sqlite"
            for access in [Connection.Access.readOnly, .readWrite] {
                let error = #expect(throws: SQLiteError.self) { try Connection(path: path, access: access) }
                #expect(error?.code.primary == .cantOpen)
            }
            try Connection(path: path, access: .create).execute("CREATE TABLE t (a)")
            #expect(try Connection(path: path, access: .readOnly).tableExists("t"))
            let error = #expect(throws: SQLiteError.self) { try Connection(path: folder) }
            #expect(error?.code.primary == .cantOpen)
        }
    }

    @Test("a read-only connection refuses to write")
    func readOnly() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a.sqlite"
            try Connection(path: path, access: .create).execute("CREATE TABLE t (a)")
            var immutable = Connection.Options()
            immutable.isImmutable = true
            for options in [Connection.Options(), immutable] {
                let connection = try Connection(path: path, access: .readOnly, options: options)
                let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
                #expect(error?.code.primary == .readOnly)
            }
        }
    }

    @Test(
        "a path may contain any characters",
        arguments: ["file:x?mode=memory", "a?b#c%41", "ä b", "x:y"]
    )
    func oddPaths(name: String) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/" + name
            try Connection(path: path, access: .create).execute("CREATE TABLE t (a)")
            #expect(FileManager.default.fileExists(atPath: path))
            var options = Connection.Options()
            options.isImmutable = true
            #expect(try Connection(path: path, access: .readOnly, options: options).tableExists("t"))
        }
    }

    @Test("a URI is treated as a plain file name")
    func uri() throws {
        #expect(throws: SQLiteError.self) { try Connection(path: "file:none?mode=memory") }
    }

    @Test(
        "reading a file that is not a database, or a truncated one, fails",
        arguments: [true, false]
    )
    func damagedFile(isTruncated: Bool) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a.sqlite"
            if isTruncated {
                let connection = try Connection(path: path, access: .create)
                try connection.execute("CREATE TABLE t (a)")
                try connection.execute("INSERT INTO t VALUES (\(value: .blob(Array(repeating: 1, count: 100_000))))")
                let whole = try Data(contentsOf: URL(filePath: path))
                try whole.prefix(6000).write(to: URL(filePath: path + "2"))
            } else {
                try Data(repeating: 0x41, count: 5000).write(to: URL(filePath: path + "2"))
            }
            let connection = try Connection(path: path + "2")
            let error = #expect(throws: SQLiteError.self) { try connection.rows("SELECT * FROM t") { $0.bytes(0) } }
            #expect(error?.code.primary == (isTruncated ? .corrupt : .notADatabase))
        }
    }

    @Test("a statement waits for another connection's lock until the busy timeout, then fails")
    func busy() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a.sqlite"
            let one = try Connection(path: path, access: .create)
            var options = Connection.Options()
            options.busyTimeout = .milliseconds(30)
            let other = try Connection(path: path, options: options)
            try one.transaction(.immediate) {
                let error = #expect(throws: SQLiteError.self) { try other.execute("CREATE TABLE t (a)") }
                #expect(error?.code == .busy)
            }
            try other.execute("CREATE TABLE t (a)")
        }
    }

    @Test("waiting for another connection's lock ends at the deadline or on cancellation")
    func busyWithinLimits() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/a.sqlite"
            let one = try Connection(path: path, access: .create)
            var options = Connection.Options()
            options.busyTimeout = .seconds(3_600)
            let other = try Connection(path: path, options: options)
            let cancellation = Cancellation()
            try one.transaction(.immediate) {
                other.deadline = .now + .milliseconds(20)
                #expect(throws: SQLiteError.self) { try other.execute("CREATE TABLE t (a)") }
                other.deadline = nil
                other.cancellation = cancellation
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { cancellation.cancel() }
                #expect(throws: SQLiteError.self) { try other.execute("CREATE TABLE t (a)") }
            }
            other.cancellation = nil
            try other.execute("CREATE TABLE t (a)")
        }
    }

    @Test("a transaction is rolled back if its body throws, and its after-commit actions don't run")
    func transaction() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a UNIQUE)")
        let told = Mutex<[Int]>([])
        try connection.transaction(.immediate) {
            try connection.execute("INSERT INTO t VALUES (1)")
            connection.afterCommit { told.withLock { $0.append(1) } }
            _ = try? connection.savepoint {
                try connection.execute("INSERT INTO t VALUES (2)")
                connection.afterCommit { told.withLock { $0.append(2) } }
                throw Failure()
            }
            try connection.savepoint { try connection.execute("INSERT INTO t VALUES (3)") }
            connection.afterCommit { told.withLock { $0.append(3) } }
            #expect(told.withLock { $0 } == [])
        }
        #expect(told.withLock { $0 } == [1, 3])
        #expect(throws: Failure.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (4)")
                connection.afterCommit { told.withLock { $0.append(4) } }
                throw Failure()
            }
        }
        #expect(!connection.isInTransaction)
        connection.afterCommit { told.withLock { $0.append(5) } }
        #expect(told.withLock { $0 } == [1, 3, 5])
        #expect(try connection.rows("SELECT a FROM t") { $0.int64(0) } == [1, 3])
        let error = #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES (1)") }
        #expect(error?.code == .constraintUnique)
        #expect(error?.code.primary == .constraint)
        #expect(error?.extendedCode == 2067)
    }

    @Test("a savepoint outside a transaction is a transaction of its own")
    func outermostSavepoint() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a)")
        #expect(throws: Failure.self) {
            try connection.savepoint {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Failure()
            }
        }
        #expect(!connection.isInTransaction)
        try connection.savepoint { try connection.execute("INSERT INTO t VALUES (2)") }
        #expect(try connection.rows("SELECT a FROM t") { $0.int64(0) } == [2])
    }

    @Test("a statement is interrupted at the deadline, and none begins after it")
    func deadline() throws {
        let connection = try Connection(path: ":memory:")
        connection.deadline = .now + .milliseconds(30)
        let error = #expect(throws: SQLiteError.self) { try connection.execute(endless) }
        #expect(error == .pastDeadline)
        #expect(throws: SQLiteError.pastDeadline) { try connection.execute("SELECT 1") }
        connection.deadline = nil
        try connection.execute("SELECT 1")
    }

    @Test("a cancellation from another thread stops the running statement and all later ones")
    func cancellation() throws {
        let connection = try Connection(path: ":memory:")
        let cancellation = Cancellation()
        connection.cancellation = cancellation
        let started = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            started.wait()
            cancellation.cancel()
        }
        try connection.define(function: "started", arguments: 0, deterministic: false) { _ in
            started.signal()
            return 1
        }
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT started(), (\(endless))") }
        #expect(error == .cancelled)
        #expect(throws: SQLiteError.cancelled) { try connection.execute("SELECT 1") }
    }

    @Test("an interrupt stops the running statement, but no later one")
    func interrupt() throws {
        let connection = try Connection(path: ":memory:")
        let handle = connection.interruptHandle
        let started = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            started.wait()
            handle.interrupt()
        }
        try connection.define(function: "started", arguments: 0, deterministic: false) { _ in
            started.signal()
            return 1
        }
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELECT started(), (\(endless))") }
        #expect(error?.code == .interrupted)
        handle.interrupt()
        try connection.execute("SELECT 1")
    }

    @Test("an interrupt after the connection was closed has no effect")
    func lateInterrupt() throws {
        let handle = try Connection(path: ":memory:").interruptHandle
        handle.interrupt()
    }

    @Test("another connection's commits change the data version, and its new tables the schema version")
    func versions() throws {
        try Checkout.withFolder { folder in
            let one = try Connection(path: folder + "/a", access: .create)
            let other = try Connection(path: folder + "/a")
            let (data, schema) = try (one.dataVersion, one.schemaVersion)
            try one.execute("CREATE TABLE t (a)")
            #expect(try one.dataVersion == data)
            #expect(try one.schemaVersion != schema)
            try other.execute("INSERT INTO t VALUES (1)")
            #expect(try one.dataVersion != data)
        }
    }

    @Test("the query plan of a statement is returned without running it")
    func queryPlan() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
        let plan = try connection.queryPlan(of: "SELECT * FROM t WHERE a = \(value: 1)")
        #expect(plan.map(\.detail) == ["SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"])
        #expect(plan.first?.parent == nil)
    }

    @Test(
        "a file's views can't call functions that aren't meant for schemas, with or without virtual tables",
        arguments: [false, true]
    )
    func untrustedSchema(allowsVirtualTables: Bool) throws {
        var options = Connection.Options()
        options.allowsVirtualTablesInTriggers = allowsVirtualTables
        let connection = try Connection(path: ":memory:", options: options)
        try connection.define(function: "secret", arguments: 0) { _ in 42 }
        try connection.define(function: "open", arguments: 0, usableInSchema: true) { _ in 1 }
        try connection.executeScript("CREATE VIEW a AS SELECT secret(); CREATE VIEW b AS SELECT open()")
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT * FROM a") }
        #expect(try connection.first("SELECT * FROM b") { $0.int64(0) } == 1)
        try connection.executeScript(
            """
            CREATE VIRTUAL TABLE r USING RTREE (id, a, b); CREATE TABLE t (a);
            CREATE TRIGGER i AFTER INSERT ON t BEGIN INSERT INTO r VALUES (NEW.a, 1, 2); END
            """
        )
        let insertion = Result { try connection.execute("INSERT INTO t VALUES (7)") }
        #expect(((try? insertion.get()) != nil) == allowsVirtualTables)
    }
}
