// SPDX-License-Identifier: Apache-2.0

// The numbers are those of the invariants in RowCache.swift.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("The row cache")
struct RowCacheTests {
    private let model: ManagedObjectModel
    private let store: CountingStore
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        model = try World.model.get()
        store = try CountingStore(TestStore.make(model), keepsRowsInMemory: false)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    private func makePost(
        in coordinator: PersistentStoreCoordinator,
        title: String = "Faults"
    ) throws -> ManagedObjectID {
        try coordinator.withContext { context in
            let post = try context.insert("Post")
            try post.setValue(.string(title), forKey: "title")
            try context.save()
            return post.objectID
        }
    }

    private func title(of id: ManagedObjectID, staleness: Duration? = nil) throws -> Value {
        try coordinator.withContext { context in
            context.stalenessInterval = staleness
            return try context.object(with: id).value(forKey: "title")
        }
    }

    @Test("1, 2: other contexts read the latest saved row without a store call")
    func afterSaves() throws {
        let id = try makePost(in: coordinator)
        #expect(try title(of: id) == "Faults")
        try coordinator.withContext { context in
            try context.object(with: id).setValue("Rows", forKey: "title")
            try context.save()
        }
        #expect(try title(of: id) == "Rows")
        #expect(store.takeCalls() == CountingStore.Calls())
    }

    @Test("1: a deleted row is not found any more")
    func deletion() throws {
        let id = try makePost(in: coordinator)
        try coordinator.withContext { context in
            context.delete(context.object(with: id))
            try context.save()
        }
        #expect(throws: GraphError.self) {
            try coordinator.withContext { _ = try $0.existingObject(with: id) }
        }
        #expect(store.takeCalls().snapshots == 1)
    }

    @Test(
        "a related row that is out of date is read again before it is unlinked",
        arguments: ["unrelate", "replace", "delete one to one", "delete one to many"]
    )
    func stalePartners(change: String) throws {
        let others = PersistentStoreCoordinator(model: model)
        try others.add(store)
        // The cached row is from before it was related.
        let student = try coordinator.withContext { context in
            let student = try context.insert("User")
            try student.setValue("Ada", forKey: "name")
            try context.save()
            return student.objectID
        }
        let (profile, mentor) = try others.withContext { context in
            let (profile, mentor) = (try context.insert("Profile"), try context.insert("User"))
            try mentor.setValue("Grace", forKey: "name")
            try profile.relate("user", context.object(with: student))
            try mentor.relate("students", context.object(with: student))
            try context.save()
            return (profile.objectID, mentor.objectID)
        }
        try coordinator.withContext { context in
            let (profile, mentor) = (context.object(with: profile), context.object(with: mentor))
            switch change {
            case "unrelate": try profile.unrelate("user", context.object(with: student))
            case "replace": try profile.relate("user", mentor)
            case "delete one to one": context.delete(profile)
            default: context.delete(mentor)
            }
            try context.save()
        }
        let reader = PersistentStoreCoordinator(model: model)
        try reader.add(store)
        let key = change == "delete one to many" ? "mentor" : "profile"
        let left = try reader.withContext { try $0.object(with: student).related(key).map(\.objectID) }
        #expect(left.isEmpty)
    }

    @Test("6: a row known to be changed by others is read again")
    func remoteChanges() async throws {
        let (id, gone) = (try makePost(in: coordinator), try makePost(in: coordinator))
        let other = PersistentStoreCoordinator(model: model)
        try other.add(store)
        try other.withContext { context in
            try context.object(with: id).setValue("Rows", forKey: "title")
            context.delete(context.object(with: gone))
            try context.save()
        }
        #expect(try title(of: id) == "Faults")
        try await coordinator.mergeChanges(RemoteChanges(updated: [id], deleted: [gone]), into: [])
        #expect(try title(of: id) == "Rows")
        #expect(throws: GraphError.self) {
            try coordinator.withContext { _ = try $0.existingObject(with: gone) }
        }
    }

    @Test("a fetch fills the cache, and rows beyond the staleness interval are read again")
    func staleness() throws {
        let id = try makePost(in: coordinator)
        let other = PersistentStoreCoordinator(model: model)
        try other.add(store)
        // The other coordinator has its own cache, and isn't notified of the first one's saves.
        #expect(try other.withContext { try $0.fetch(FetchRequest<ManagedObject>("Post")).count } == 1)
        #expect(store.takeCalls() == CountingStore.Calls(fetch: 1))
        try other.withContext { context in
            try context.object(with: id).setValue("Rows", forKey: "title")
            try context.save()
        }
        #expect(store.takeCalls() == CountingStore.Calls())
        #expect(try title(of: id) == "Faults")
        #expect(try title(of: id, staleness: .zero) == "Rows")
        #expect(try title(of: id) == "Rows")
        #expect(store.takeCalls() == CountingStore.Calls(snapshots: 1))
    }

    @Test("prefetched rows are cached, and hasFault tells whether a related object is loaded")
    func prefetching() throws {
        let id = try coordinator.withContext { context in
            let (user, post) = (try context.insert("User"), try context.insert("Post"))
            try user.setValue("Anna", forKey: "name")
            try post.relate("author", user)
            try context.save()
            return post.objectID
        }
        let other = PersistentStoreCoordinator(model: model)
        try other.add(store)
        try other.withContext { (context) throws in
            var request = FetchRequest<ManagedObject>("User")
            request.relationshipKeyPathsForPrefetching = ["posts"]
            _ = try context.fetch(request)
        }
        _ = store.takeCalls()
        try other.withContext { (context) throws in
            let post = context.object(with: id)
            #expect(post.hasFault(forRelationshipNamed: "author"))
            _ = try post.value(forKey: "title")
            #expect(post.hasFault(forRelationshipNamed: "author"))
            _ = try post.related("author")[0].value(forKey: "name")
            #expect(!post.hasFault(forRelationshipNamed: "author"))
        }
        #expect(store.takeCalls() == CountingStore.Calls())
    }

    @Test("1, 5: the statistics count cached rows and bytes, hits and misses")
    func statistics() throws {
        let id = try makePost(in: coordinator)
        let full = coordinator.rowCacheStatistics
        #expect(full.rows == 1 && full.bytes > 0)
        #expect((full.hits, full.misses) == (0, 0))
        _ = try title(of: id)
        _ = try title(of: id, staleness: .zero)
        let read = coordinator.rowCacheStatistics.since(full)
        #expect((read.hits, read.misses, read.rows, read.bytes) == (1, 1, 1, full.bytes))
        try coordinator.withContext { context in
            context.delete(context.object(with: id))
            try context.save()
        }
        #expect((coordinator.rowCacheStatistics.rows, coordinator.rowCacheStatistics.bytes) == (0, 0))
    }

    @Test("5: the cache stays within its limit and keeps the rows in use")
    func limit() throws {
        let coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 20_000)
        try coordinator.add(store)
        let used = try makePost(in: coordinator)
        var others: [ManagedObjectID] = []
        for _ in 0..<200 {
            others.append(try makePost(in: coordinator, title: String(repeating: "x", count: 100)))
            _ = try coordinator.withContext { try $0.object(with: used).value(forKey: "title") }
        }
        #expect(store.takeCalls().snapshots == 0)
        let read = others
        try coordinator.withContext { context in
            for id in read { _ = try context.object(with: id).value(forKey: "title") }
        }
        #expect(store.takeCalls().snapshots > 100)
        let statistics = coordinator.rowCacheStatistics
        #expect(statistics.bytes > 5_000 && statistics.bytes <= 20_000)
        #expect(statistics.rows < 200)
    }

    @Test("5: a row that is too large for the cache doesn't evict others")
    func largeRow() throws {
        let coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 20_000)
        try coordinator.add(store)
        let small = try makePost(in: coordinator)
        for _ in 0..<2 { _ = try makePost(in: coordinator, title: String(repeating: "x", count: 20_000)) }
        _ = try coordinator.withContext { try $0.object(with: small).value(forKey: "title") }
        #expect(store.takeCalls().snapshots == 0)
    }

    @Test("3, 4: under many writers, no context reads a row older than a known save, or a partial one")
    func hammer() async throws {
        // A pause after reading lets saves happen in between.
        let slow = try CountingStore(TestStore.make(model), keepsRowsInMemory: false) { Thread.yieldBriefly() }
        let coordinator = PersistentStoreCoordinator(model: model, rowCacheLimit: 6_000)
        try coordinator.add(slow)
        let ids = try coordinator.withContext { context in
            let posts = try (0..<8).map { _ in try context.insert("Post") }
            for post in posts {
                try post.setValue(0, forKey: "views")
                try post.setValue("0", forKey: "title")
            }
            try context.save()
            return posts.map(\.objectID)
        }
        let saved = SavedCounts(ids.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for round in 1...150 {
                        let place = (round * 3 + writer * 5) % ids.count
                        let views = try coordinator.withContext { context in
                            context.mergePolicy = .mergeByPropertyObjectTrump
                            let post = context.object(with: ids[place])
                            guard case .integer(let views) = try post.value(forKey: "views") else { return Int64(0) }
                            try post.setValue(.integer(views + 1), forKey: "views")
                            try post.setValue(.string("\(views + 1)"), forKey: "title")
                            do {
                                context.mergePolicy = .error
                                try context.save()
                                return views + 1
                            } catch let error as GraphError where error.code == .conflict {
                                return 0
                            }
                        }
                        saved.note(views, at: place)
                        await Task.yield()
                    }
                }
            }
            for reader in 0..<2 {
                group.addTask {
                    for round in 0..<300 {
                        let place = (round + reader * 3) % ids.count
                        let known = saved.counts[place]
                        let (views, title) = try coordinator.withContext { context in
                            if round % 4 == 0 { _ = try context.fetch(FetchRequest<ManagedObject>("Post")) }
                            let post = context.object(with: ids[place])
                            return (try post.value(forKey: "views"), try post.value(forKey: "title"))
                        }
                        #expect(views >= known)
                        #expect(title == .string("\(views.number)"))
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(saved.counts.reduce(0, +) > 100)
    }
}

extension Value {
    fileprivate var number: Int64 { if case .integer(let number) = self { number } else { -1 } }

    fileprivate static func >= (value: Value, number: Int64) -> Bool { value.number >= number }
}

/// The greatest number that each row is known to have been saved with.
private final class SavedCounts: Sendable {
    private let state: Mutex<[Int64]>

    init(_ count: Int) {
        state = Mutex(Array(repeating: 0, count: count))
    }

    var counts: [Int64] { state.withLock { $0 } }

    func note(_ number: Int64, at place: Int) { state.withLock { $0[place] = max($0[place], number) } }
}

private enum Thread {
    static func yieldBriefly() {
        let end = ContinuousClock.now + .microseconds(50)
        while ContinuousClock.now < end {}
    }
}
