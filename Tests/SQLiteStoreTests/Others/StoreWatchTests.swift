// SPDX-License-Identifier: Apache-2.0

import Files
import FoundationEssentials
import Glibc
import ObjectGraph
import Predicates
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Watching a store for changes")
struct StoreWatchTests {
    private final class Count: Sendable {
        let value = Mutex(0)
    }

    private func store(_ folder: String, every interval: Duration?) throws -> SQLiteStore {
        var options = SQLiteStoreOptions()
        (options.watchInterval, options.isDurable) = (interval, false)
        return try SQLiteStore(
            path: folder + "/Store.sqlite",
            model: ManagedObjectModel(Society.model),
            options: options
        )
    }

    @Test("each coordinator of a store is notified once, however often it adds the store")
    func listeners() throws {
        try Checkout.withFolder { folder in
            let store = try store(folder, every: nil)
            let coordinator = PersistentStoreCoordinator(model: store.model)
            let told = Count()
            _ = coordinator.observe { [identifier = store.identifier] notification in
                if case .othersDidChange(identifier) = notification { told.value.withLock { $0 += 1 } }
            }
            for _ in 0..<10 {
                try coordinator.add(store)
                coordinator.remove(store)
                try PersistentStoreCoordinator(model: store.model).add(store)
            }
            try coordinator.add(store)
            #expect(store.watch.listenerCount == 1)
            store.watch.notify()
            #expect(told.value.withLock { $0 } == 1)
        }
    }

    @Test("an idle store empties its log once no generation uses it")
    func idleLog() throws {
        try Checkout.withFolder { folder in
            let store = try store(folder, every: .milliseconds(2))
            let coordinator = PersistentStoreCoordinator(model: store.model)
            func insert() throws {
                try coordinator.withContext { context in
                    try context.insert("Passport")
                    try context.save()
                }
            }
            func logSize() throws -> Int {
                try #require(FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int)
            }
            try coordinator.add(store)
            try insert()
            while try logSize() > 0 { usleep(2_000) }
            var state: (any StoreGeneration)? = try store.currentGeneration()
            try insert()
            #expect(try !store.database.emptyLog())
            #expect(try logSize() > 0)
            withExtendedLifetime(state) {}
            state = nil
            while try logSize() > 0 { usleep(2_000) }
        }
    }

    @Test("a context that merges later reads its objects once for several notices")
    func merging() async throws {
        let folder = try TemporaryFolder()
        let store = try store(folder.path, every: nil)
        let coordinator = PersistentStoreCoordinator(model: store.model)
        try coordinator.add(store)
        let live = coordinator.liveContext()
        try await live.perform { context in
            context.automaticallyMergesChanges = false
            try context.insert("Passport")
            try context.save()
        }
        let before = store.statistics.faults.count
        for _ in 0..<10 { store.watch.notify() }
        try await live.perform { try $0.mergeSavedChanges() }
        #expect(store.statistics.faults.count == before + 1)
    }

    @Test("watching doesn't keep the file open after the store is released")
    func closing() throws {
        try Checkout.withFolder { folder in
            for _ in 0..<100 {
                do {
                    let store = try store(folder, every: .milliseconds(1))
                    try PersistentStoreCoordinator(model: store.model).add(store)
                    try store.setMetadata(StoreMetadata(values: ["a": "b"]))
                }
                // Closing the last connection to a file removes its log. A look that has begun ends first.
                let deadline = ContinuousClock.now + .seconds(60)
                while FileSystem.exists(folder + "/Store.sqlite-wal"), ContinuousClock.now < deadline { usleep(1_000) }
                #expect(!FileSystem.exists(folder + "/Store.sqlite-wal"))
            }
        }
    }

    @Test(
        "checks are at least a millisecond apart, whatever interval is set",
        arguments: [Duration.zero, .seconds(-1)]
    )
    func pauses(interval: Duration) async throws {
        let folder = try TemporaryFolder()
        let store = try store(folder.path, every: interval)
        let coordinator = PersistentStoreCoordinator(model: store.model)
        try coordinator.add(store)
        let (start, before) = (ContinuousClock.now, store.statistics.statements)
        try await Task.sleep(for: .milliseconds(20))
        let looks = store.statistics.statements - before
        #expect(Double(looks) <= 2 + (ContinuousClock.now - start) / .milliseconds(1))
        withExtendedLifetime(coordinator) {}
    }
}
