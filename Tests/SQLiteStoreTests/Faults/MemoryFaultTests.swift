// SPDX-License-Identifier: Apache-2.0

// SQLite runs out of memory, at each of its allocations.

import FaultyFiles
import FoundationEssentials
import LedgerProgram
import ObjectGraph
import SQLiteStore
import TestSupport
import Testing

/// Each test in its own process, because SQLite's allocator is set before anything else.
@Suite(
    "A SQLite store without memory",
    .disabled(
        if: ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] != nil,
        "sanitizers have allocators of their own"
    )
)
struct MemoryFaultTests {
    @Test("a save that runs out of memory leaves no rows, and the next save succeeds", arguments: [false, true])
    func saving(lasts: Bool) async {
        await #expect(processExitsWith: .success) { [lasts] in
            try Self.withLedger { ledger in
                var saved = try ledger.count(of: 0)
                try Self.failing(lasts, stride: 4) { n in
                    saved = try ledger.save(0)
                } then: { n in
                    #expect(try ledger.anew().problems(acknowledged: [0: saved...saved]) == [], "allocation \(n)")
                    let next = try ledger.save(0)
                    #expect(next == saved + 1, "allocation \(n)")
                    saved = next
                }
                #expect(try LedgerFile.problems(ledger.store.path) == [])
            }
        }
    }

    @Test("a read that runs out of memory gives an error or the correct content", arguments: [false, true])
    func reading(lasts: Bool) async {
        await #expect(processExitsWith: .success) { [lasts] in
            try Self.withLedger { ledger in
                try Self.failing(lasts, stride: 3) { n in
                    let problems = try ledger.anew().problems(acknowledged: [0: 4...4])
                    #expect(problems == [], "allocation \(n)")
                }
            }
        }
    }

    @Test("a store is intact after opening has run out of memory", arguments: [false, true])
    func opening(lasts: Bool) async {
        await #expect(processExitsWith: .success) { [lasts] in
            try Self.withLedger { ledger in
                try Self.failing(lasts, stride: 7) { n in
                    let again = try Ledger(path: ledger.store.path, options: SQLiteStoreOptions())
                    #expect(try again.problems(acknowledged: [0: 4...4]) == [], "allocation \(n)")
                }
                #expect(try ledger.anew().problems(acknowledged: [0: 4...4]) == [])
            }
        }
    }

    @Test("a migration that runs out of memory leaves the store as it was", arguments: [false, true])
    func migrating(lasts: Bool) async {
        await #expect(processExitsWith: .success) { [lasts] in
            try #require(faulty_memory_install())
            let old = try ManagedObjectModel(MigrationFaultTests.old)
            let new = try ManagedObjectModel(MigrationFaultTests.new)
            let migration = try ModelMigration(from: old, to: new)
            try Checkout.withFolder { folder in
                let seed = folder + "/Seed.sqlite"
                try MigrationFaultTests.make(seed, old)
                try Self.failing(lasts, stride: 97) { n in
                    let path = folder + "/Store\(n).sqlite"
                    try FileManager.default.copyItem(atPath: seed, toPath: path)
                    try SQLiteStore.migrate(path: path, by: migration)
                } then: { n in
                    let path = folder + "/Store\(n).sqlite"
                    let isMigrated = try SQLiteStore.mismatch(path: path, model: new) == nil
                    try MigrationFaultTests.check(path, isMigrated ? new : old, "allocation \(n)")
                }
            }
        }
    }

    @Test("a migration with closures that runs out of memory leaves the store as it was", arguments: [false, true])
    func migratingWithClosures(lasts: Bool) async {
        await #expect(processExitsWith: .success) { [lasts] in
            try #require(faulty_memory_install())
            var options = SQLiteStoreOptions()
            options.externalStorageThreshold = 100
            let migration = try ClosureFaultTests.migration()
            try Checkout.withFolder { [options] folder in
                let seed = folder + "/Seed.sqlite"
                try ClosureFaultTests.make(seed, options: options)
                try Self.failing(lasts, stride: 397) { n in
                    let path = folder + "/Store\(n).sqlite"
                    try ClosureFaultTests.copy(seed, to: path)
                    try SQLiteStore.migrate(path: path, by: migration, options: options)
                } then: { n in
                    let path = folder + "/Store\(n).sqlite"
                    let isMigrated = try SQLiteStore.mismatch(path: path, model: migration.new) == nil
                    try ClosureFaultTests.check(path, isMigrated: isMigrated, "allocation \(n)")
                }
            }
        }
    }

    private static func withLedger(_ body: (Ledger) throws -> Void) throws {
        try #require(faulty_memory_install())
        try Checkout.withFolder { folder in
            let ledger = try Ledger(path: folder + "/Store.sqlite", options: SQLiteStoreOptions())
            try ledger.setUp(writers: 1)
            for _ in 0..<4 { try ledger.save(0) }
            try body(ledger)
        }
    }

    /// Runs a closure with each n-th allocation of SQLite failing, or with every n-th one, until none fails any more.
    private static func failing(
        _ lasts: Bool,
        stride: Int,
        _ body: (Int) throws -> Void,
        then check: (Int) throws -> Void = { _ in }
    ) throws {
        var n = Int.random(in: 1...stride)
        var failed = 0
        while true {
            faulty_memory_fail(Int64(n), lasts)
            do {
                try body(n)
            } catch {
                failed += 1
                #expect(StoreError(in: error)?.code == .noMemory, "allocation \(n): \(error)")
            }
            let hasFailed = faulty_memory_failures() > 0
            faulty_memory_fail(0, false)
            try check(n)
            guard hasFailed else { break }
            n += stride
        }
        #expect(failed > 0)
    }
}
