// SPDX-License-Identifier: Apache-2.0

// The row cache that contexts share, while saves and batches of many threads change and delete rows, and reads are
// slow.

import ObjectGraph
import Predicates
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("The shared row cache under load")
struct SharedRowsTests {
    /// A cache for all rows, and one that must evict rows all the time.
    @Test(
        "cached rows are never older than known saves, and known deletions are never in the cache",
        arguments: [64 << 20, 2_000]
    )
    func hammer(limit: Int) async throws {
        try await Shop.open { shop in
            let coordinator = PersistentStoreCoordinator(model: try Shop.model.get(), rowCacheLimit: limit)
            try coordinator.add(SlowReads(shop.store))
            let ids = try coordinator.withContext { context in
                let articles = try (0..<8).map { _ in try context.insert("Article") }
                for article in articles { try article.setValue("0", forKey: "name") }
                try context.save()
                return articles.map(\.objectID)
            }
            let known = Known(ids.count)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for saver in 0..<3 {
                    group.addTask {
                        for round in 0..<60 {
                            try Self.save(coordinator, ids, (saver * 3 + round * 5) % ids.count, known)
                            try Self.insertAndDelete(coordinator, known, isBatch: round % 3 == 0)
                            await Task.yield()
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<40 {
                        var update = BatchUpdateRequest("Article")
                        update.propertiesToUpdate = ["stock": try ObjectExpression("stock + 1")]
                        _ = try coordinator.execute(update)
                        known.raiseStock()
                        await Task.yield()
                    }
                }
                for reader in 0..<3 {
                    group.addTask {
                        for round in 0..<120 {
                            try Self.read(coordinator, ids, known, fetches: (reader + round) % 4 == 0)
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
            // The rows left in the cache are the same as in the file.
            let shown = try coordinator.withContext { context in
                try ids.map { "\(try context.object(with: $0).text) \(try context.object(with: $0).stock)" }
            }
            #expect(try shown == shop.rows("SELECT ZNAME || ' ' || ZSTOCK FROM ZARTICLE ORDER BY Z_PK").map { $0[0] })
        }
    }

    /// Increments the number in an object's name, unless another save was faster.
    private static func save(
        _ coordinator: PersistentStoreCoordinator,
        _ ids: [ManagedObjectID],
        _ place: Int,
        _ known: Known
    ) throws {
        let count = try coordinator.withContext { context -> Int? in
            let article = context.object(with: ids[place])
            let count = (Int(try article.text) ?? 0) + 1
            try article.setValue(.string("\(count)"), forKey: "name")
            do {
                try context.save()
                return count
            } catch let error as GraphError where error.code == .conflict {
                return nil
            }
        }
        if let count { known.raise(place, to: count) }
    }

    private static func insertAndDelete(
        _ coordinator: PersistentStoreCoordinator,
        _ known: Known,
        isBatch: Bool
    ) throws {
        let id = try coordinator.withContext { context in
            let tag = try context.insert("Tag")
            try tag.setValue("tag", forKey: "name")
            try context.save()
            return tag.objectID
        }
        known.come(id)
        try coordinator.withContext { context in
            if isBatch {
                _ = try context.execute(BatchDeleteRequest(objectIDs: [id]))
            } else {
                context.delete(context.object(with: id))
                try context.save()
            }
        }
        known.go(id)
    }

    private static func read(
        _ coordinator: PersistentStoreCoordinator,
        _ ids: [ManagedObjectID],
        _ known: Known,
        fetches: Bool
    ) throws {
        let (counts, stock, gone, here) = known.all
        try coordinator.withContext { context in
            // Reads objects that may be about to be deleted, which must not stay in the cache.
            for id in here { _ = try? context.existingObject(with: id) }
            if fetches { _ = try context.fetch(FetchRequest<ManagedObject>("Tag")) }
            for (id, least) in zip(ids, counts) {
                let article = context.object(with: id)
                let (count, now) = (Int(try article.text) ?? -1, try article.stock)
                #expect(count >= least && now >= stock, "\(count) \(least), \(now) \(stock)")
            }
            for id in gone { #expect(throws: GraphError.self) { try context.existingObject(with: id) } }
        }
    }
}

/// The state that is known to be saved.
private final class Known: Sendable {
    private struct State {
        var counts: [Int]
        var stock = 0
        var gone: [ManagedObjectID] = []
        var here: Set<ManagedObjectID> = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(counts: Array(repeating: 0, count: count)))
    }

    var all: ([Int], Int, [ManagedObjectID], Set<ManagedObjectID>) {
        state.withLock { ($0.counts, $0.stock, $0.gone.suffix(8), $0.here) }
    }

    func raise(_ place: Int, to count: Int) { state.withLock { $0.counts[place] = max($0.counts[place], count) } }

    func raiseStock() { state.withLock { $0.stock += 1 } }

    func come(_ id: ManagedObjectID) { state.withLock { _ = $0.here.insert(id) } }

    func go(_ id: ManagedObjectID) {
        state.withLock { state in
            state.here.remove(id)
            state.gone.append(id)
        }
    }
}

extension ManagedObject {
    fileprivate var text: String {
        get throws { if case .string(let text) = try value(forKey: "name") { text } else { "" } }
    }

    fileprivate var stock: Int64 {
        get throws { if case .integer(let number) = try value(forKey: "stock") { number } else { -1 } }
    }
}
