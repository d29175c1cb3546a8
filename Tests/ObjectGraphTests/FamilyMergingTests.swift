// SPDX-License-Identifier: Apache-2.0

// What others save while a family's turn is taken, and merges that fail.

import AtomicStores
import Glibc
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("Merges into context families")
struct FamilyMergingTests {
    private let coordinator: PersistentStoreCoordinator
    private let store: CountingStore
    private let family: ContextFamily
    private let id: ManagedObjectID
    private let seen = Notices()

    init() throws {
        let model = try World.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        store = CountingStore(InMemoryStore(model: model))
        try coordinator.add(store)
        family = ContextFamily(coordinator)
        id = try coordinator.withContext { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        // An edited object is read again when others have written.
        try family.perform(in: family.root) { [id] in try $0.existingObject(with: id).setValue(3, forKey: "views") }
    }

    private func saveElsewhere(_ title: String) throws {
        try coordinator.withContext { [id] context in
            try context.existingObject(with: id).setValue(.string(title), forKey: "title")
            try context.save()
        }
    }

    @Test("a save that arrives during a call without a closure is merged after it")
    func shortTurns() async throws {
        let watch = try family.watch(family.root) { [seen] _ in seen.count.add(1, ordering: .relaxed) }
        for round in 1...50 {
            let isStopped = Notices()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [family] in
                    while isStopped.number == 0 {
                        family.endWatch(try family.watch(family.root) { _ in }, of: family.root)
                    }
                }
                try saveElsewhere("Title \(round)")
                let patience = ContinuousClock.now + .seconds(5)
                while seen.number < round, .now < patience { try await Task.sleep(for: .milliseconds(1)) }
                isStopped.count.add(1, ordering: .relaxed)
                try await group.waitForAll()
            }
            try #require(seen.number == round)
        }
        family.endWatch(watch, of: family.root)
    }

    @Test("what arrives during a request is merged after it, although the request is cancelled then")
    func cancelled() throws {
        let watch = try family.watch(family.root) { [seen] _ in seen.count.add(1, ordering: .relaxed) }
        let isCancelled = Atomic(false)
        let limits = WorkLimits(isCancelled: { isCancelled.load(ordering: .relaxed) })
        try limits.hold {
            try family.perform(in: family.root) { [store] _ in
                store.pretendOtherWriter()
                isCancelled.store(true, ordering: .relaxed)
            }
        }
        // A thread that has the turn at this moment merges instead.
        let patience = ContinuousClock.now + .seconds(5)
        while seen.number == 0, .now < patience { usleep(1_000) }
        #expect(seen.number == 1)
        try family.perform(in: family.root) { _ in }
        #expect(seen.number == 1)
        family.endWatch(watch, of: family.root)
    }

    @Test("a merge that fails is reported when it has succeeded, and those before it only once")
    func failed() throws {
        let watch = try family.watch(family.root) { [seen] _ in seen.count.add(1, ordering: .relaxed) }
        let child = try family.addChild(of: family.root)
        let seenByChild = Notices()
        let watchOfChild = try family.watch(child) { _ in seenByChild.count.add(1, ordering: .relaxed) }
        try family.perform(in: family.root) { [store] _ in
            try saveElsewhere("First")
            store.failReads(true)
            store.pretendOtherWriter()
        }
        #expect(seen.number == 1)
        #expect(seenByChild.number == 1)
        store.failReads(false)
        try family.perform(in: family.root) { _ in }
        #expect(seen.number == 2)
        #expect(seenByChild.number == 2)
        family.endWatch(watchOfChild, of: child)
        family.endWatch(watch, of: family.root)
    }
}

private final class Notices: Sendable {
    let count = Atomic(0)
    var number: Int { count.load(ordering: .relaxed) }
}
