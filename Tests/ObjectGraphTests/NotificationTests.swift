// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("Notifications")
struct NotificationTests {
    private let world: World

    init() throws {
        world = try World()
    }

    @Test("observers are notified of each event once, and not after they are removed")
    func events() throws {
        try world.run { context in
            var told: [String] = []
            let observation = context.observeChanges { changes in
                told.append("+\(changes.inserted.count) ~\(changes.updated.count) -\(changes.deleted.count)")
            }
            let post = try context.insert("Post")
            try post.setValue("One", forKey: "title")
            try context.processPendingChanges()
            try post.setValue("Two", forKey: "title")
            try context.processPendingChanges()
            try context.processPendingChanges()
            // Insertion and deletion in one event cancel each other.
            context.delete(try context.insert("Post"))
            try context.processPendingChanges()
            context.delete(post)
            try context.processPendingChanges()
            context.remove(observation)
            _ = try context.insert("Post")
            try context.processPendingChanges()
            #expect(told == ["+1 ~0 -0", "+0 ~1 -0", "+0 ~0 -1"])
        }
    }

    @Test("observers are notified before and after a save, and earlier changes are saved with it")
    func saves() throws {
        try world.run { context in
            var told: [String] = []
            let post = try context.insert("Post")
            try context.save()
            try post.setValue("Changed", forKey: "title")
            _ = try context.insert("Tag")
            _ = context.observe { notification in
                switch notification {
                case .objectsDidChange: told.append("changed")
                case .willSave:
                    told.append("will save")
                    try? post.setValue(9, forKey: "views")
                case .didSave(let saved):
                    #expect(saved.inserted.map(\.entity.name) == ["Tag"])
                    #expect(saved.inserted.allSatisfy { !$0.objectID.isTemporary })
                    #expect(saved.updated == [post])
                    #expect(saved.deleted.isEmpty)
                    told.append("saved")
                }
            }
            try context.save()
            #expect(told == ["changed", "will save", "changed", "saved"])
            let id = post.objectID
            try world.coordinator.withContext { (other) throws in
                #expect(try other.object(with: id).value(forKey: "views") == 9)
            }
        }
    }

    @Test(
        "a context's own insertions aren't refreshed by computed values of the save",
        arguments: TestStore.kinds
    )
    func ownInsertions(kind: String?) throws {
        let model = try World.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model, kind: kind))
        try coordinator.withContext { context in
            var refreshed: [String] = []
            var updated: [String] = []
            _ = context.observeChanges { changes in
                refreshed += changes.refreshed.map(\.entity.name)
                updated += changes.updated.map(\.entity.name)
            }
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try context.insert("Profile").setValue("transient", forKey: "draft")
            try post.relate("tags", tag)
            try context.save()
            try context.processPendingChanges()
            #expect(try post.value(forKey: "tagCount") == 1)
            #expect(refreshed.isEmpty)
            #expect(updated == ["Post"])
        }
    }

    @Test("a failed save doesn't notify that it is done")
    func failure() throws {
        try world.run { context in
            var saved = 0
            _ = context.observe { if case .didSave = $0 { saved += 1 } }
            let user = try context.insert("User")
            #expect(throws: GraphError.self) { try context.save() }
            #expect(saved == 0)
            try user.setValue("Anna", forKey: "name")
            try context.save()
            #expect(saved == 1)
        }
    }

    @Test("an observer that changes objects endlessly is an error, not an endless loop")
    func endless() throws {
        try world.run { context in
            let post = try context.insert("Post")
            let observation = context.observeChanges { _ in
                guard case .integer(let views)? = try? post.value(forKey: "views") else { return }
                try? post.setValue(.integer(views + 1), forKey: "views")
            }
            let error = #expect(throws: GraphError.self) { try context.processPendingChanges() }
            #expect(error?.code == .endlessChanges)
            context.remove(observation)
        }
    }

    @Test("the coordinator notifies of each save, in order, with its origin")
    func coordinator() async throws {
        let stream = world.coordinator.notifications()
        for number in 0..<5 {
            try world.run { context in
                context.name = "Context \(number)"
                context.transactionAuthor = "Anna"
                let post = try context.insert("Post")
                try context.save()
                context.delete(post)
                try context.save()
            }
        }
        var told: [SavedObjectIDs] = []
        for await case .didSave(let changes) in stream {
            told.append(changes)
            if told.count == 10 { break }
        }
        #expect(told.map(\.origin.contextName) == (0..<10).map { "Context \($0 / 2)" })
        #expect(told.allSatisfy { $0.origin.author == "Anna" })
        #expect(told.map { $0.inserted.count - $0.deleted.count } == [1, -1, 1, -1, 1, -1, 1, -1, 1, -1])
        #expect(told[0].inserted == told[1].deleted)
    }

    @Test("batches are notified like saves, with their origin")
    func batches() throws {
        let told = Mutex<[SavedObjectIDs]>([])
        _ = world.coordinator.observe { if case .didSave(let ids) = $0 { told.withLock { $0.append(ids) } } }
        try world.run { context in
            context.transactionAuthor = "Anna"
            try context.execute(BatchInsertRequest("Tag", rows: [["name": "a"], ["name": "b"]]))
        }
        try world.coordinator.execute(
            BatchDeleteRequest(FetchRequest<ManagedObject>("Tag")),
            of: SaveOrigin(author: "Bea")
        )
        let all = told.withLock { $0 }
        #expect(all.map(\.inserted.count) == [2, 0])
        #expect(all.map(\.deleted.count) == [0, 2])
        #expect(all.map(\.origin.author) == ["Anna", "Bea"])
    }

    @Test("an observer of the coordinator may save")
    func savingObserver() throws {
        let coordinator = world.coordinator
        let told = Mutex(0)
        let observation = coordinator.observe { notification in
            guard case .didSave = notification,
                told.withLock({
                    $0 += 1; return $0
                }) < 3
            else { return }
            try? coordinator.withContext { context in
                _ = try context.insert("Tag")
                try context.save()
            }
        }
        try world.run { context in
            _ = try context.insert("Post")
            try context.save()
        }
        #expect(told.withLock { $0 } == 3)
        coordinator.remove(observation)
        try world.run { context in
            _ = try context.insert("Post")
            try context.save()
        }
        #expect(told.withLock { $0 } == 3)
    }

    @Test("added and removed stores are notified, and a removed store is no longer found")
    func stores() throws {
        let model = try World.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        let told = Mutex<[String]>([])
        _ = coordinator.observe { notification in
            if case .storesDidChange(let added, let removed) = notification {
                told.withLock { $0.append("+\(added.count) -\(removed.count)") }
            }
        }
        let store = try TestStore.make(model)
        try coordinator.add(store)
        coordinator.remove(store)
        #expect(told.withLock { $0 } == ["+1 -0", "+0 -1"])
        let error = #expect(throws: GraphError.self) {
            try coordinator.withContext { _ = try $0.count(FetchRequest<ManagedObject>("Post")) }
        }
        #expect(error?.code == .unknownStore)
    }

    @Test("a live context notifies of other contexts' saves without being used")
    func live() async throws {
        let live = world.coordinator.liveContext()
        let id = try await live.perform { context in
            // The undo manager retains the post, so that it is refreshed.
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            try context.save()
            try post.setValue(1, forKey: "views")
            try context.save()
            return post.objectID
        }
        let notifications = try await live.notifications()
        try world.run { context in
            try context.object(with: id).setValue("Theirs", forKey: "title")
            try context.save()
        }
        for await case .objectsDidChange(let changes) in notifications {
            #expect(changes.refreshed == [id])
            break
        }
        let own = try await live.notifications()
        try await live.perform { context in
            try context.object(with: id).setValue("Mine", forKey: "title")
            try context.save()
        }
        var told: [LiveContextNotification] = []
        for await notification in own {
            told.append(notification)
            if case .didSave = notification { break }
        }
        let changed = ObjectIDChanges(updated: [id])
        #expect(told == [.objectsDidChange(changed), .willSave, .didSave(changed)])
    }

    @Test("a context without automatic merging waits for a merge")
    func manualMerging() async throws {
        let live = world.coordinator.liveContext()
        let id = try await live.perform { context in
            context.automaticallyMergesChanges = false
            context.undoManager = ObjectUndoManager()
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        try world.run { context in
            try context.object(with: id).setValue("Theirs", forKey: "title")
            try context.save()
        }
        try await live.perform { (context) throws in
            #expect(try context.object(with: id).value(forKey: "title") == "Untitled")
            try context.mergeSavedChanges()
            #expect(try context.object(with: id).value(forKey: "title") == "Theirs")
        }
    }
}
