// SPDX-License-Identifier: Apache-2.0

// The power fails during saves: of the writes since the last sync, all, some or none remain.

import LedgerProgram
import SQLiteStore
import TestSupport
import Testing

@Suite("A SQLite store that loses power")
struct PowerLossTests {
    @Test(
        "after a power loss, the store has each acknowledged save and no partial one",
        arguments: SeededGenerator.seeds(3)
    )
    func durable(seed: UInt64) throws {
        try rounds(seed: seed, isDurable: true) { saved, count in count >= saved && count <= saved + 1 }
    }

    @Test(
        "after a power loss without durable saves, the store has a prefix of the saves and no partial one",
        arguments: SeededGenerator.seeds(2)
    )
    func notDurable(seed: UInt64) throws {
        try rounds(seed: seed, isDurable: false) { saved, count in count <= saved + 1 }
    }

    private func rounds(seed: UInt64, isDurable: Bool, isRight: (_ saved: Int, _ count: Int) -> Bool) throws {
        try Checkout.withFolder { folder in
            var random = SeededGenerator(seed: seed)
            let (files, path, writers) = (FaultyFileSystem(), folder + "/Store.sqlite", 3)
            files.watchPower()
            var options = files.options
            options.isDurable = isDurable
            var counts: [Int: Int] = [:]
            for round in 0..<12 {
                // In the first rounds, during the creation of the store.
                files.losePower(after: Int.random(in: 1...(round < 4 ? 30 : 150), using: &random))
                var saved = counts
                if let ledger = try? Ledger(path: path, options: options), (try? ledger.setUp(writers: writers)) != nil
                {
                    saved.merge(Writers.run(writers, attempts: 12) { try ledger.save($0) }) { $1 }
                    files.losePower()
                }
                let kept = [0, 50, 90, 100].randomElement(using: &random) ?? 0
                #expect(files.restorePower(seed: random.next(), kept: kept))
                try? Checkout.remove(path + "-shm")
                let ledger = try Ledger(path: path, options: options)
                try ledger.setUp(writers: writers)
                counts = try Dictionary(uniqueKeysWithValues: (0..<writers).map { ($0, try ledger.count(of: $0)) })
                for (writer, count) in counts {
                    #expect(isRight(saved[writer] ?? 0, count), "round \(round): \(count) of \(saved)")
                }
                #expect(try ledger.problems() == [], "round \(round)")
            }
            #expect(try LedgerFile.problems(path) == [])
        }
    }
}
