// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@Suite("Random migrations")
struct RandomMigrationTests {
    @Test("all stores come to the same by a migration of random models", arguments: SeededGenerator.seeds(60))
    func random(seed: UInt64) throws {
        var model = EvolvingModel(seed: seed)
        let first = try model.resolved()
        let stores = try MigratedStores(first, seed: seed, size: 40)
        var last = first
        for _ in 0..<3 {
            let next = try model.evolve(from: last)
            let migration = try ModelMigration(from: last, to: next)
            do {
                try stores.migrate(by: migration, isOpen: seed.isMultiple(of: 2))
            } catch {
                Issue.record(error, "\(ModelDiff(from: last.model, to: next.model))")
                return
            }
            try stores.expectSame(next)
            last = next
        }
    }
}
