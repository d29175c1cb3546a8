// SPDX-License-Identifier: Apache-2.0

// Each file operation fails once or permanently, at each of its first calls and at some of the later ones.

import LedgerProgram
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("A SQLite store on a failing disk")
struct DiskFaultTests {
    typealias Fault = FaultyFileSystem.Fault

    @Test("a failed save leaves no rows, and the next save succeeds", arguments: Fault.all)
    func saving(fault: Fault) throws {
        try Checkout.withFolder { folder in
            let (files, path) = (FaultyFileSystem(), folder + "/Store.sqlite")
            var options = files.options
            options.externalStorageThreshold = Ledger.options.externalStorageThreshold
            let ledger = try Ledger(path: path, options: options)
            try ledger.setUp(writers: 1)
            var (saved, n) = (0, 1)
            while true {
                files.fail(n, fault)
                do {
                    saved = try ledger.save(0)
                } catch {
                    StoreError.expect(in: error, at: path, "\(fault), \(n)")
                }
                let hasFailed = files.mend() > 0
                #expect(try ledger.anew().problems(acknowledged: [0: saved...saved]) == [], "\(fault), \(n)")
                let next = try ledger.save(0)
                #expect(next == saved + 1, "\(fault), \(n)")
                saved = next
                guard hasFailed else { break }
                n += n / 4 + 1
            }
            #expect(try LedgerFile.problems(path) == [])
        }
    }

    @Test("a store is intact after faults while opening, saving and closing", arguments: Fault.all)
    func opening(fault: Fault) throws {
        try Checkout.withFolder { folder in
            let (files, path) = (FaultyFileSystem(), folder + "/Store.sqlite")
            let ledger = try Ledger(path: path, options: SQLiteStoreOptions())
            try ledger.setUp(writers: 1)
            var (saved, n) = (try ledger.save(0), 1)
            while true {
                files.fail(n, fault)
                do {
                    let faulty = try Ledger(path: path, options: files.options)
                    saved = try faulty.save(0)
                    try files.checkpoint(path)
                    saved = try faulty.save(0)
                } catch {
                    if !(error is SQLiteError) { StoreError.expect(in: error, at: path, "\(fault), \(n)") }
                }
                let hasFailed = files.mend() > 0
                let again = try Ledger(path: path, options: files.options)
                // If the log couldn't be synced, its content may nevertheless have been committed.
                let most = saved + (fault.operation == .sync ? 1 : 0)
                #expect(try again.problems(acknowledged: [0: saved...most]) == [], "\(fault), \(n)")
                saved = try again.save(0)
                guard hasFailed else { break }
                n += n / 3 + 1
            }
            #expect(try LedgerFile.problems(path) == [])
            #expect(try Ledger(path: path).fileProblems() == [])
        }
    }

    @Test("after a failed creation, a store can be created by the next attempt", arguments: Fault.all)
    func creating(fault: Fault) throws {
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            var n = 1
            while true {
                let path = folder + "/Store\(n).sqlite"
                files.fail(n, fault)
                do {
                    try Ledger(path: path, options: files.options).setUp(writers: 1)
                } catch {
                    StoreError.expect(in: error, at: path, "\(fault), \(n)")
                }
                let hasFailed = files.mend() > 0
                let again = try Ledger(path: path)
                try again.setUp(writers: 1)
                #expect(try again.save(0) == 1)
                #expect(try again.problems(acknowledged: [0: 1...1]) == [], "\(fault), \(n)")
                guard hasFailed else { break }
                n += n / 2 + 1
            }
        }
    }

    @Test("a failing read gives an error or the correct content", arguments: [false, true])
    func reading(lasts: Bool) throws {
        try Checkout.withFolder { folder in
            let (files, path) = (FaultyFileSystem(), folder + "/Store.sqlite")
            let ledger = try Ledger(path: path, options: SQLiteStoreOptions())
            try ledger.setUp(writers: 2)
            for _ in 0..<6 { for writer in 0..<2 { try ledger.save(writer) } }
            let fault = Fault(operation: .read, code: FaultyFileSystem.Operation.read.code, lasts: lasts)
            var n = 1
            while true {
                files.fail(n, fault)
                do {
                    let faulty = try Ledger(path: path, options: files.options)
                    #expect(try faulty.problems(acknowledged: [0: 6...6, 1: 6...6]) == [], "read \(n)")
                } catch {
                    StoreError.expect(in: error, at: path, "read \(n)")
                }
                guard files.mend() > 0 else { break }
                n += n / 8 + 1
            }
        }
    }

    @Test("a full disk is reported, and the save succeeds once there is room")
    func full() throws {
        try Checkout.withFolder { folder in
            let (files, path) = (FaultyFileSystem(), folder + "/Store.sqlite")
            let ledger = try Ledger(path: path, options: files.options)
            try ledger.setUp(writers: 1)
            files.fail(1, Fault(operation: .write, code: SQLiteError.Code.full.rawValue, lasts: true))
            let error = try #require(throws: (any Error).self) { try ledger.save(0) }
            let storeError = try #require(StoreError(in: error))
            #expect(storeError.code == .full)
            #expect((error as? GraphError)?.code == .diskFull)
            #expect(
                storeError.description
                    == "\(path): The disk is full; nothing was written. Free space, then try again."
            )
            files.mend()
            #expect(try ledger.save(0) == 1)
        }
    }

    @Test("a context's changes can be saved after failed attempts")
    func sameContext() throws {
        try Checkout.withFolder { folder in
            let (files, path) = (FaultyFileSystem(), folder + "/Store.sqlite")
            let ledger = try Ledger(path: path, options: files.options)
            try ledger.setUp(writers: 1)
            try ledger.save(0)
            try ledger.coordinator.withContext { context in
                let number = try ledger.write(0, in: context)
                for fault in Fault.all where fault.operation == .write || fault.operation == .sync {
                    files.fail(1, fault)
                    #expect(throws: (any Error).self, "\(fault)") { try ledger.save(number, of: 0, in: context) }
                    #expect(files.mend() > 0)
                }
                try ledger.save(number, of: 0, in: context)
            }
            #expect(try ledger.anew().problems(acknowledged: [0: 2...2]) == [])
        }
    }

    @Test("of concurrent saves, only those affected by a fault fail")
    func concurrentSaves() throws {
        try Checkout.withFolder { folder in
            let (files, path, writers) = (FaultyFileSystem(), folder + "/Store.sqlite", 4)
            let ledger = try Ledger(path: path, options: files.options)
            try ledger.setUp(writers: writers)
            let seed = UInt64.random(in: .min ... .max)
            var random = SeededGenerator(seed: seed)
            var saved: [Int: ClosedRange<Int>] = [:]
            for _ in 0..<12 {
                guard let fault = Fault.all.randomElement(using: &random) else { continue }
                files.fail(Int.random(in: 1...60, using: &random), fault)
                let counts = Writers.run(writers, attempts: 5) { try ledger.save($0) }
                files.mend()
                for (writer, count) in counts where count > 0 { saved[writer] = count...count }
                #expect(try ledger.anew().problems(acknowledged: saved) == [], "seed \(seed), \(fault)")
            }
            for writer in 0..<writers { try ledger.save(writer) }
            #expect(try LedgerFile.problems(path) == [])
        }
    }
}

extension FaultyFileSystem {
    /// Checkpoints the log of a file.
    fileprivate func checkpoint(_ path: String) throws {
        var connecting = Connection.Options()
        connecting.fileSystem = options.fileSystem
        connecting.busyTimeout = .zero
        try Connection(path: path, options: connecting).checkpoint(.truncate)
    }
}
