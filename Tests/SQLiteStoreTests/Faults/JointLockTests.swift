// SPDX-License-Identifier: Apache-2.0

// Saves into two SQLite stores while other programs hold them, and on a failing disk.

import FoundationEssentials
import LedgerProgram
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite("Saves into several SQLite stores")
struct JointLockTests {
    @Test("concurrent joint and single saves of several coordinators never deadlock")
    func together() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = Ledger.options
        options.busyTimeout = .seconds(120)
        // In either order, as two programs may have opened them.
        let ledgers = try [PairLedger.names, PairLedger.names.reversed(), PairLedger.names].map { names in
            try PairLedger(folder, names, options: options)
        }
        let limits = WorkLimits(deadline: .now + .seconds(120))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, ledger) in ledgers.enumerated() {
                for writer in 0..<2 {
                    group.addTask {
                        try limits.hold { for number in 1...15 { try ledger.save("\(place) \(writer)", number) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (place, ledger) in ledgers.enumerated() {
            for (writer, name) in [(0, "Left"), (0, "Right"), (1, "Left"), (1, "Right")] {
                let latest = try ledger.latest(of: "\(place) \(writer)", in: name)
                #expect(latest.number == 15)
                #expect(latest.problems == [])
            }
        }
        try expectNothingLeft(folder)
    }

    @Test(
        "a joint save that can't lock a store in time writes nothing and releases the other store",
        arguments: PairLedger.names
    )
    func deadline(name: String) throws {
        try Checkout.withFolder { folder in
            let ledger = try PairLedger(folder)
            try ledger.save("a", 1)
            let other = try Connection(path: "\(folder)/\(name).sqlite")
            try other.execute("BEGIN IMMEDIATE")
            let limits = WorkLimits(deadline: .now + .milliseconds(50))
            #expect(throws: (any Error).self) { try limits.hold { try ledger.save("a", 2) } }
            for name in PairLedger.names { #expect(try ledger.latest(of: "a", in: name).number == 1) }
            let free = try Connection(path: "\(folder)/\(PairLedger.names.first { $0 != name } ?? "").sqlite")
            try free.execute("BEGIN IMMEDIATE")
            try free.execute("ROLLBACK")
            try other.execute("ROLLBACK")
            try ledger.save("a", 2)
            for name in PairLedger.names { #expect(try ledger.latest(of: "a", in: name).number == 2) }
            try expectNothingLeft(folder)
        }
    }

    @Test(
        "a joint save on a failing disk is atomic, and a failed one leaves no records",
        arguments: FaultyFileSystem.Fault.all
    )
    func faults(fault: FaultyFileSystem.Fault) throws {
        try Checkout.withFolder { folder in
            let files = FaultyFileSystem()
            try PairLedger(folder).save("a", 1)
            let ledger = try PairLedger(folder, options: files.options)
            var (saved, n) = (1, 1)
            while true {
                files.fail(n, fault)
                let isSaved = (try? ledger.save("a", saved + 1)) != nil
                let hasFailed = files.mend() > 0
                // The next opening completes decided saves.
                let again = try PairLedger(folder)
                let states = try PairLedger.names.map { try again.latest(of: "a", in: $0) }
                #expect(states.flatMap(\.problems) == [], "\(fault), \(n)")
                #expect(states[0].number == states[1].number, "\(fault), \(n)")
                #expect((saved...saved + 1).contains(states[0].number), "\(fault), \(n)")
                if isSaved { #expect(states[0].number == saved + 1, "\(fault), \(n)") }
                saved = states[0].number
                guard hasFailed else { break }
                n += n / 3 + 1
            }
            // Completed decisions are removed with the next save.
            try PairLedger(folder).save("a", saved + 1)
            try expectNothingLeft(folder)
        }
    }

    /// Expects no record, and at most the last decision.
    private func expectNothingLeft(_ folder: String) throws {
        var decisions: Int64 = 0
        for name in PairLedger.names {
            let connection = try Connection(path: "\(folder)/\(name).sqlite")
            for table in ["OUTCROPPREPARED", "OUTCROPDECIDED"] where try connection.tableExists(table) {
                let count = try connection.first("SELECT count(*) FROM \(identifier: table)") { $0.int64(0) } ?? 0
                if table == "OUTCROPDECIDED" { decisions += count } else { #expect(count == 0) }
            }
        }
        #expect(decisions <= 3, "One of each coordinator")
    }
}
