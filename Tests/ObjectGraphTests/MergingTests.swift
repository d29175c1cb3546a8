// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Merging of saved changes")
struct MergingTests {
    let world: World

    init() throws {
        world = try World()
    }

    /// Another coordinator over the same store, as in another process.
    private func remote() throws -> PersistentStoreCoordinator {
        let remote = PersistentStoreCoordinator(model: world.coordinator.model)
        for store in world.coordinator.stores { try remote.add(store) }
        return remote
    }

    @Test("a save of another context that is merged late doesn't revert own changes")
    func mergedLate() async throws {
        let world = try Playlists()
        let live = world.coordinator.liveContext()
        try world.insert([("List", "list"), ("Song", "one"), ("Song", "two"), ("Song", "three")])
        try await live.perform { (context) throws in
            context.automaticallyMergesChanges = false
            try world.insert([("Song", "four")])
            try world.run { other in
                try other.named("List", "list").set("songs", "Song", ["one", "two", "three", "four"])
                try other.save()
            }
            let list = try context.named("List", "list")
            #expect(try list.titles("songs") == ["one", "two", "three", "four"])
            try list.set("songs", "Song", ["three", "two", "four"])
            try context.processPendingChanges()
            context.delete(try context.named("Song", "four"))
            try context.save()
            try context.mergeSavedChanges()
            #expect(try list.titles("songs") == ["three", "two"])
            #expect(try context.named("Song", "one").titles("lists").isEmpty)
        }
    }

    @Test("members of many-to-many relationships that are ordered on both sides keep the order of addition")
    func orderOfPairs() async throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Box") {
                    Attribute("name", .string).optional()
                    Relationship("things", toMany: "Thing", inverse: "boxes").optional().ordered()
                }
                Entity("Thing") { Relationship("boxes", toMany: "Box", inverse: "things").optional().ordered() }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        let saved = try coordinator.withContext { (context) throws in
            let objects = try ["Box", "Box", "Thing"].map { try context.insert($0) }
            try objects[0].relate("things", objects[2])
            try context.save()
            return objects.map(\.objectID)
        }
        let live = coordinator.liveContext()
        let orders: @Sendable (ManagedObjectContext) throws -> [[ManagedObjectID]] = { context in
            let objects = (context.insertedObjects + context.updatedObjects).sorted {
                $0.objectID.uri < $1.objectID.uri
            }
            return try objects.map { object in
                try object.related(object.entity.name == "Box" ? "things" : "boxes").map(\.objectID)
            }
        }
        let before = try await live.perform { (context) throws in
            let boxes = try (0..<3).map { _ in try context.insert("Box") } + saved.prefix(2).map(context.object)
            let things = try (0..<3).map { _ in try context.insert("Thing") } + [context.object(with: saved[2])]
            for thing in things.reversed() {
                for box in [boxes[2], boxes[4], boxes[0], boxes[3], boxes[1]] { try thing.relate("boxes", box) }
            }
            try context.processPendingChanges()
            return try orders(context)
        }
        try coordinator.withContext { (context) throws in
            try context.object(with: saved[1]).setValue("Others", forKey: "name")
            try context.save()
        }
        let after = try await live.perform { (context) throws in
            #expect(try context.object(with: saved[1]).value(forKey: "name") == "Others")
            return try orders(context)
        }
        #expect(after == before)
        try await live.perform { (context) throws in try context.save() }
    }

    @Test("changes known only by ID are read from the store, and own changes remain")
    func remoteChanges() async throws {
        let remote = try remote()
        let live = world.coordinator.liveContext()
        let ids = try world.run { context in
            let posts = [try context.insert("Post"), try context.insert("Post"), try context.insert("Post")]
            let tag = try context.insert("Tag")
            for post in posts { try post.relate("tags", tag) }
            try context.save()
            return (posts + [tag]).map(\.objectID)
        }
        try await live.perform { (context) throws in
            // The undo manager retains the objects.
            context.undoManager = ObjectUndoManager()
            for post in ids.prefix(3).map(context.object) { try post.setValue(1, forKey: "views") }
            #expect(try context.object(with: ids[3]).related("posts").count == 3)
            try context.save()
            try context.object(with: ids[1]).setValue("Mine", forKey: "title")
            let own = try context.insert("Post")
            try own.relate("tags", context.object(with: ids[3]))
        }
        let new = try remote.withContext { context in
            for post in ids.prefix(2).map(context.object) { try post.setValue(7, forKey: "views") }
            context.delete(context.object(with: ids[2]))
            let new = try context.insert("Post")
            try new.relate("tags", context.object(with: ids[3]))
            try context.save()
            return new.objectID
        }
        try await live.perform { (context) throws in
            #expect(try context.object(with: ids[0]).value(forKey: "views") == 1)
        }
        let changes = world.coordinator.remoteChanges(
            insertedURIs: [new.uri, "x-coredata:///none"],
            updatedURIs: ids.prefix(2).map(\.uri),
            deletedURIs: [ids[2].uri]
        )
        #expect(changes.inserted == [new])
        try await world.coordinator.mergeChanges(changes, into: [live])
        try await live.perform { (context) throws in
            #expect(context.object(with: ids[0]).isFault)
            #expect(try context.object(with: ids[0]).value(forKey: "views") == 7)
            #expect(try context.object(with: ids[1]).value(forKey: "views") == 7)
            #expect(try context.object(with: ids[1]).value(forKey: "title") == "Mine")
            #expect(context.object(with: ids[2]).isDeleted)
            let posts = Set(
                try context.object(with: ids[3]).objectIDs(of: context.object(with: ids[3]).relationship("posts"))
            )
            #expect(posts == Set([ids[0], ids[1], new] + context.insertedObjects.map(\.objectID)))
            try context.save()
        }
    }

    @Test("objects that another context deleted stay readable, but aren't found or counted as changes")
    func deleted() async throws {
        let live = world.coordinator.liveContext()
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        let world = world
        try await live.perform { context in
            let post = try context.existingObject(with: id)
            let page = try context.insert("Page")
            try page.relate("post", post)
            try world.run { other in
                other.delete(other.object(with: id))
                try other.save()
            }
            try context.mergeSavedChanges()
            #expect(post.isDeleted && !post.hasChanges && context.deletedObjects.isEmpty)
            #expect(try post.value(forKey: "title") == "Untitled")
            #expect(try context.fetch(FetchRequest<ManagedObject>("Post")).isEmpty)
            #expect(try page.related("post").isEmpty)
            try context.save()
        }
    }

    @Test("a value set to the merged one is no longer a change")
    func agreed() async throws {
        let live = world.coordinator.liveContext()
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        func save(_ title: Value) throws {
            try world.run { context in
                try context.existingObject(with: id).setValue(title, forKey: "title")
                try context.save()
            }
        }
        try await live.perform { try $0.existingObject(with: id).setValue("Mine", forKey: "title") }
        try save("Theirs")
        try await live.perform { (context) throws in
            #expect(try context.object(with: id).value(forKey: "title") == "Mine")
            try context.object(with: id).setValue("Theirs", forKey: "title")
            try context.processPendingChanges()
            #expect(!context.hasChanges)
        }
        try save("Later")
        try await live.perform { (context) throws in
            #expect(try context.object(with: id).value(forKey: "title") == "Later")
        }
    }

    @Test("no saved change is lost if a context fails to process its own changes before merging")
    func unprocessable() async throws {
        let live = world.coordinator.liveContext()
        let (theirID, ownID) = try world.run { context in
            let (theirs, own) = (try context.insert("Post"), try context.insert("Post"))
            try context.save()
            return (theirs.objectID, own.objectID)
        }
        let world = world
        try await live.perform { (context) throws in
            let (theirs, own) = (try context.existingObject(with: theirID), try context.existingObject(with: ownID))
            try world.run { other in
                try other.object(with: theirID).setValue(7, forKey: "views")
                try other.save()
            }
            var views: Int64 = 0
            let observation = context.observeChanges { _ in
                views += 1
                try? own.setValue(.integer(views), forKey: "views")
            }
            try own.setValue("Mine", forKey: "title")
            let error = #expect(throws: GraphError.self) { try context.mergeSavedChanges() }
            #expect(error?.code == .endlessChanges)
            #expect(try theirs.value(forKey: "views") == 0)
            context.remove(observation)
            try context.mergeSavedChanges()
            #expect(try theirs.value(forKey: "views") == 7)
            #expect(try own.value(forKey: "title") == "Mine")
        }
    }

    @Test(
        "contexts show other contexts' saves and keep their own changes, at random",
        arguments: SeededGenerator.seeds(20)
    )
    func random(seed: UInt64) async throws {
        let (a, b, c) = (
            world.coordinator.liveContext(), world.coordinator.liveContext(), world.coordinator.liveContext()
        )
        for live in [a, b] { try await live.perform { $0.undoManager = ObjectUndoManager() } }
        var run = RandomMerging(world: world, remote: try remote(), contexts: [a, b, c], seed: seed)
        for _ in 0..<60 { try await run.step() }
    }

    // With deletions, a few percent of the seeds meet a case that the plain model doesn't cover: an edit that one save
    // makes redundant and the next doesn't, or a deletion here that cascades to an object that one save relates and the
    // next deletes.
    @Test("merges into several live contexts go on whichever thread continues them")
    func threads() async throws {
        let post = try world.run { (context) throws in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [coordinator = world.coordinator] in
                    let contexts = (0..<4).map { _ in coordinator.liveContext() }
                    let changes = RemoteChanges(updated: [post])
                    for _ in 0..<1_000 { try await coordinator.mergeChanges(changes, into: contexts) }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("saves that are merged together have the effect of all of them", arguments: SeededGenerator.seeds(20))
    func together(seed: UInt64) async throws {
        let (a, b) = (world.coordinator.liveContext(), world.coordinator.liveContext())
        for live in [a, b] {
            try await live.perform { context in
                context.automaticallyMergesChanges = false
                context.undoManager = ObjectUndoManager()
            }
        }
        var run = RandomMerging(world: world, remote: try remote(), contexts: [a, b], seed: seed)
        run.acceptsConcurrentSaves = true
        for _ in 0..<60 { try await run.step() }
    }
}

/// Several live contexts, and others that live for one save.
private struct RandomMerging: Sendable {
    let world: World
    /// A coordinator with saves that are known only by ID.
    let remote: PersistentStoreCoordinator
    let contexts: [LiveContext]
    /// Whether other contexts save several times before the live contexts merge.
    var acceptsConcurrentSaves = false
    private var edits: RandomEdits
    private var pending: [PendingValues]
    private var state = WorldState?.none

    init(world: World, remote: PersistentStoreCoordinator, contexts: [LiveContext], seed: UInt64) {
        (self.world, self.remote, self.contexts) = (world, remote, contexts)
        edits = RandomEdits(seed: seed)
        pending = Array(repeating: PendingValues(), count: contexts.count)
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<100, using: &edits.random) {
        case ..<35:
            let saves = acceptsConcurrentSaves ? Int.random(in: 1...8, using: &edits.random) : 1
            for _ in 0..<saves { try save(in: world.coordinator) }
        case ..<45: try await saveRemotely()
        case ..<75: try await edit()
        case ..<82: try await undo()
        case ..<94: try await save()
        default: try await rollBack()
        }
        let state = try world.run { try WorldState($0) }
        self.state = state
        try state.checkBothSides(edits.log)
        for index in contexts.indices {
            let (pending, log) = (pending[index], edits.log)
            self.pending[index] = try await contexts[index].perform { context in
                try context.mergeSavedChanges()
                return try ContextComparison(context: context, state: state, log: log + ["look at \(index)"]).check(
                    pending
                )
            }
        }
    }

    private mutating func saveRemotely() async throws {
        let before = try world.run { try WorldState($0) }
        edits.note("remotely")
        do {
            try save(in: remote)
        } catch let error as GraphError where error.code == .conflict {
            // The remote coordinator isn't notified of local saves, so rows in its cache may be older.
            edits.note("} in conflict")
        }
        let changes = RemoteChanges(from: before, to: try world.run { try WorldState($0) })
        try await world.coordinator.mergeChanges(changes, into: contexts)
    }

    private mutating func undo() async throws {
        let index = Int.random(in: contexts.indices, using: &edits.random)
        let isRedo = edits.random.chance(40)
        edits.note("\(isRedo ? "redo" : "undo") in \(index)")
        pending[index] = try await contexts[index].perform { context in
            if isRedo { try context.redo() } else { try context.undo() }
            return try PendingValues(context)
        }
    }

    private mutating func save(in coordinator: PersistentStoreCoordinator) throws {
        var edits = edits
        edits.note("once {")
        self.edits = try coordinator.withContext { [edits] context in
            var (edits, pending) = (edits, PendingValues())
            for _ in 0..<Int.random(in: 1...4, using: &edits.random) { try edits.change(context, &pending) }
            edits.note("}")
            try context.save()
            return edits
        }
    }

    private mutating func edit() async throws {
        let index = Int.random(in: contexts.indices, using: &edits.random)
        edits.note("edit in \(index) {")
        let (edits, pending) = (edits, pending[index])
        (self.edits, self.pending[index]) = try await contexts[index].perform { context in
            var (edits, pending) = (edits, pending)
            for _ in 0..<Int.random(in: 1...4, using: &edits.random) { try edits.change(context, &pending) }
            edits.note("}")
            return (edits, pending)
        }
    }

    private mutating func rollBack() async throws {
        let index = Int.random(in: contexts.indices, using: &edits.random)
        edits.note("rollback \(index)")
        pending[index] = PendingValues()
        let (state, log) = (state, edits.log)
        try await contexts[index].perform { context in
            context.rollback()
            #expect(!context.hasChanges)
            if let state { _ = try ContextComparison(context: context, state: state, log: log).check(PendingValues()) }
        }
    }

    private mutating func save() async throws {
        let index = Int.random(in: contexts.indices, using: &edits.random)
        let policies: [(String, MergePolicy)] = [
            ("error", .error), ("rollback", .rollback), ("overwrite", .overwrite),
            ("store trump", .mergeByPropertyStoreTrump), ("object trump", .mergeByPropertyObjectTrump),
        ]
        let (name, policy) = policies[Int.random(in: policies.indices, using: &edits.random)]
        edits.note("save \(index) \(name)")
        let (before, pending, log, world) = (state, pending[index], edits.log, world)
        self.pending[index] = try await contexts[index].perform { context in
            context.mergePolicy = policy
            do {
                try context.save()
            } catch let error as GraphError where error.code == .conflict {
                #expect(policy.kind == .error, "\(log.suffix(40))")
                return pending
            }
            let after = try world.run { try WorldState($0) }
            for (objectID, edit) in pending.edits {
                guard let stored = before?.objects[objectID], let saved = after.objects[objectID] else { continue }
                let isContested = stored.value != edit.base && stored.value != edit.value
                // Rolling back, and overwriting, affect all properties of an object with a conflict in any of them.
                guard isContested else {
                    if policy.kind != .rollback { #expect(saved.value == edit.value, "\(log.suffix(40))") }
                    continue
                }
                let wins = policy.kind == .overwrite || policy.kind == .mergeByPropertyObjectTrump
                #expect(saved.value == (wins ? edit.value : stored.value), "\(log.suffix(40))")
            }
            return PendingValues()
        }
    }
}

/// A context compared with the store.
private struct ContextComparison {
    let context: ManagedObjectContext
    let state: WorldState
    let log: [String]

    /// Checks all objects, and returns the changes that are still pending.
    func check(_ pending: PendingValues) throws -> PendingValues {
        var pending = pending
        var shown: [ManagedObjectID: WorldState.Shown] = [:]
        let objects = try RandomEdits.entities.flatMap { try context.fetch(FetchRequest<ManagedObject>($0)) }
        for object in objects {
            try #require(!object.isDeleted, "\(object.label) \(log.suffix(40))")
            let own = try WorldState.shown(object)
            shown[object.objectID] = own
            if !object.hasChanges { try compare(object, own) }
            if let edit = pending.edits[object.objectID] {
                try #require(own.value == edit.value, "\(object.label) \(log.suffix(40))")
                // A value that another context has saved too is no longer a change.
                if state.objects[object.objectID]?.value == edit.value { pending.edits[object.objectID] = nil }
            } else if let stored = state.objects[object.objectID] {
                try #require(own.value == stored.value, "\(object.label) \(log.suffix(40))")
            }
        }
        for (objectID, _) in pending.edits {
            // A consequence of this context's own deletion. If others' changes end it, the edit is there again.
            if let object = context.registeredObject(for: objectID), object.isDeleted, object.hasChanges { continue }
            try #require(shown[objectID] != nil, "the edited \(objectID) \(log.suffix(40))")
        }
        for objectID in state.objects.keys where shown[objectID] == nil {
            let object = context.registeredObject(for: objectID)
            try #require(object?.isDeleted == true && object?.hasChanges == true, "\(objectID) \(log.suffix(40))")
        }
        for (object, own) in objects.compactMap({ object in shown[object.objectID].map { (object, $0) } }) {
            for relationship in object.entity.relationships {
                for other in own.related[relationship.name] ?? [] {
                    let back = relationship.inverse.flatMap { shown[other]?.related[$0.name] } ?? []
                    try #require(
                        back.contains(object.objectID),
                        "\(object.label).\(relationship.name) -> \(context.object(with: other).label) \(log.suffix(40))"
                    )
                }
            }
        }
        return pending
    }

    private func compare(_ object: ManagedObject, _ own: WorldState.Shown) throws {
        let stored = try #require(state.objects[object.objectID], "\(object.label) \(log.suffix(40))")
        let pages = (own.pages + stored.pages).map(context.object)
        if !pages.contains(where: \.hasChanges) {
            try #require(own.pages == stored.pages, "\(object.label): order \(log.suffix(40))")
        }
        for (name, related) in own.related {
            let expected = stored.related[name] ?? []
            // In a one-to-many relationship, the one side decides: if it was changed here, it has the members that it
            // has here.
            let excused = Set(related).symmetricDifference(expected)
                .filter { context.registeredObject(for: $0)?.hasChanges ?? false }
            let isToMany = object.entity.relationship(named: name)?.isToMany ?? false
            try #require(
                isToMany
                    ? related.filter { !excused.contains($0) } == expected.filter { !excused.contains($0) }
                    : related == expected,
                "\(object.label).\(name): \(related.map(context.object).map(\.label)), in the store \(expected.map(context.object).map(\.label)) \(log.suffix(40))"
            )
        }
    }
}
