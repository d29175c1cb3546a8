// SPDX-License-Identifier: Apache-2.0

// Files that another program has locked, and read-only files.

import LedgerProgram
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("A SQLite store locked by another program")
struct LockedFileTests {
    @Test("a save fails while another program writes, and succeeds afterwards")
    func writeLock() throws {
        try withStore { path, options in
            let ledger = try Ledger(path: path, options: options)
            let other = try Connection(path: path)
            try other.execute("BEGIN IMMEDIATE")
            let error = try #require(throws: (any Error).self) { try ledger.save(0) }
            let storeError = try #require(StoreError(in: error))
            #expect(storeError.code == .locked)
            #expect(
                storeError.description
                    == "\(path): Another program has locked the store. Try again when it has released the lock."
            )
            #expect(try ledger.anew().problems(acknowledged: [0: 1...1]) == [])
            try other.execute("ROLLBACK")
            #expect(try ledger.save(0) == 2)
        }
    }

    @Test(
        "opening fails while another program has an exclusive lock, and succeeds afterwards",
        arguments: [false, true]
    )
    func exclusiveLock(isReadOnly: Bool) throws {
        try withStore { path, options in
            var options = options
            options.isReadOnly = isReadOnly
            do {
                let other = try Connection(path: path)
                try other.set("locking_mode", to: "exclusive")
                try other.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX")
                let before = try FolderContent(of: path)
                let error = try #require(throws: (any Error).self) { try Ledger(path: path, options: options) }
                #expect(StoreError(in: error)?.code == .locked)
                #expect(try FolderContent(of: path) == before)
            }
            #expect(try Ledger(path: path, options: options).problems(acknowledged: [0: 1...1]) == [])
        }
    }

    @Test("a store on a read-only disk is refused for writing and can be read")
    func readOnlyFile() throws {
        try withStore { path, options in
            let files = FaultyFileSystem()
            files.setReadOnly(true)
            let before = try FolderContent(of: path)
            let error = try #require(throws: (any Error).self) { try Ledger(path: path, options: files.options) }
            #expect(StoreError(in: error)?.code == .readOnly)
            #expect(try FolderContent(of: path) == before)
            // A read-only disk has no room for a log either.
            var mounted = files.options
            mounted.isReadOnly = true
            #expect(try Ledger(path: path, options: mounted).problems(acknowledged: [0: 1...1]) == [])
            var reading = options
            reading.isReadOnly = true
            let ledger = try Ledger(path: path, options: reading)
            #expect(try ledger.problems(acknowledged: [0: 1...1]) == [])
            let saving = try #require(throws: (any Error).self) { try ledger.save(0) }
            #expect((saving as? GraphError)?.code == .readOnly)
        }
    }

    private func makeStore(_ path: String) throws {
        let ledger = try Ledger(path: path)
        try ledger.setUp(writers: 1)
        try ledger.save(0)
    }

    private func withStore(_ body: (_ path: String, SQLiteStoreOptions) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/Store.sqlite"
            try makeStore(path)
            var options = SQLiteStoreOptions()
            options.busyTimeout = .milliseconds(20)
            try body(path, options)
        }
    }
}
