// SPDX-License-Identifier: Apache-2.0

// Random saves with undo and child contexts, batches and trims, by one process or two: from any token, the history names everything that differs from then.

import ObjectGraph
import Predicates
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Histories compared with the states between their tokens")
struct RandomHistoryTests {
    @Test("a copy that rereads what the history names equals the store", arguments: SeededGenerator.seeds(24))
    func replaying(seed: UInt64) throws {
        let model = try HistoryWorld.model.get()
        var run = HistoryRun(seed: seed, [try HistoryWorld(nil)])
        for _ in 0..<40 { try run.step() }
        try run.check()
        // Two coordinators with one file are like two processes.
        let folder = try TemporaryFolder()
        run = HistoryRun(
            seed: seed,
            try (0..<2).map { _ in try HistoryWorld(SQLiteStore(path: folder.path + "/Blog.sqlite", model: model)) }
        )
        for _ in 0..<40 { try run.step() }
        try run.check()
    }
}

/// The values of objects by their IDs, and the members of many-to-many relationships.
private typealias State = [ManagedObjectID: [String: String]]

private struct HistoryRun {
    private let worlds: [HistoryWorld]
    private var changes: RandomChanges
    private var former: [(token: HistoryToken, state: State)] = []

    init(seed: UInt64, _ worlds: [HistoryWorld]) {
        self.worlds = worlds
        changes = RandomChanges(worlds[0], SeededGenerator(seed: seed))
    }

    private var world: HistoryWorld { changes.world }

    mutating func step() throws {
        let writer = Int.random(in: 0..<worlds.count, using: &changes.generator)
        changes = RandomChanges(worlds[writer], changes.generator)
        if changes.generator.chance(30) {
            former.append((try world.coordinator.currentHistoryToken(), try world.state()))
        }
        if changes.generator.chance(3) { try trim() } else { try changes.change() }
    }

    private mutating func trim() throws {
        guard let place = former.indices.randomElement(using: &changes.generator) else { return }
        // Trimming removes nothing that is behind the token.
        try world.coordinator.trimHistory(through: former[place].token)
        former.removeFirst(place)
    }

    /// Applies the history from each token to the state then.
    func check() throws {
        let now = try world.state()
        for (token, state) in former {
            var copy = state
            var request = HistoryRequest(after: token)
            request.limit = 7
            request.changeLimit = 20
            while true {
                let result = try world.coordinator.history(request)
                for change in result.transactions.flatMap(\.changes) { apply(change, to: &copy, from: now) }
                request.token = result.token
                guard result.hasMore else { break }
            }
            // The members of relationships lose deleted objects by themselves.
            let present = Set(now.keys.map(\.uri))
            for (objectID, values) in copy {
                copy[objectID] = values.mapValues { value in
                    value.split(separator: " ").filter { !$0.hasPrefix("x-coredata") || present.contains(String($0)) }
                        .joined(separator: " ")
                }
            }
            // Those whose inverse is to-one follow from the rows.
            for objectID in copy.keys where objectID.entity.name == "User" {
                copy[objectID]?["posts"] = now[objectID]?["posts"]
            }
            let differing = Set(copy.keys).union(now.keys).filter { copy[$0] != now[$0] }
            #expect(differing.isEmpty, "\(differing.map { "\($0.uri): \(copy[$0] ?? [:]), but \(now[$0] ?? [:])" })")
        }
    }

    /// Rereads the properties that a change names.
    private func apply(_ change: HistoryChange, to copy: inout State, from now: State) {
        switch change.kind {
        case .insert: copy[change.objectID] = now[change.objectID]
        case .delete: copy[change.objectID] = nil
        case .update:
            // An object that was deleted later is removed then.
            guard let values = now[change.objectID], copy[change.objectID] != nil else { return }
            for name in change.properties ?? Array(values.keys) { copy[change.objectID]?[name] = values[name] }
        }
    }
}

/// Random saves and batches.
private struct RandomChanges {
    let world: HistoryWorld
    var generator: SeededGenerator

    init(_ world: HistoryWorld, _ generator: SeededGenerator) {
        self.world = world
        self.generator = generator
    }

    mutating func change() throws {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: try insertBatch()
        case 1: try updateBatch()
        case 2: try deleteBatch()
        default: try save()
        }
    }

    private mutating func save() throws {
        let choices = (0..<6).map { _ in Int.random(in: 0..<1_000, using: &generator) }
        let (isUndoable, isInChild) = (generator.chance(40), generator.chance(30))
        try world.run { context in
            if isInChild {
                try context.withChild { child in
                    try Self.change(child, choices, isUndoable: isUndoable)
                    try child.save()
                }
            } else {
                try Self.change(context, choices, isUndoable: isUndoable)
            }
            try context.save()
        }
    }

    /// - Parameter isUndoable: Whether some of the changes are undone, and of these some made again.
    private static func change(_ context: ManagedObjectContext, _ choices: [Int], isUndoable: Bool) throws {
        let users = try context.fetch(FetchRequest<ManagedObject>("User"))
        let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
        let tags = try context.fetch(FetchRequest<ManagedObject>("Tag"))
        if isUndoable { context.undoManager = ObjectUndoManager() }
        for choice in choices {
            let post = posts.isEmpty ? nil : posts[choice % posts.count]
            let tag = tags.isEmpty ? nil : tags[choice % tags.count]
            let user = users.isEmpty ? nil : users[choice % users.count]
            switch (choice / 7) % 9 {
            case 0: try context.insert("User").setValue(.string("\(choice)"), forKey: "name")
            case 1: _ = try context.insert("Post")
            case 2: _ = try context.insert("Tag")
            case 3 where post?.isDeleted == false: try post?.setValue(.integer(Int64(choice)), forKey: "views")
            case 4 where user?.isDeleted == false: try user?.setValue(.string("\(choice)"), forKey: "email")
            case 5 where post?.isDeleted == false && user?.isDeleted == false:
                try post?.relate("author", choice % 3 == 0 ? nil : user)
            case 6 where post?.isDeleted == false && tag?.isDeleted == false:
                guard let post, let tag else { continue }
                if try post.related("tags").contains(tag) {
                    try post.unrelate("tags", tag)
                } else {
                    try post.relate("tags", tag)
                }
            case 7: if let tag { context.delete(tag) }
            case 8: if let user, choice % 2 == 0 { context.delete(user) }
            default: break
            }
            guard isUndoable else { continue }
            try context.processPendingChanges()
            if choice % 4 == 0 { try context.undo() }
            if choice % 12 == 0 { try context.redo() }
        }
    }

    private mutating func insertBatch() throws {
        let count = Int.random(in: 1...30, using: &generator)
        let rows: [[String: Value]] = (0..<count).map { ["views": .integer(Int64($0))] }
        try world.coordinator.execute(BatchInsertRequest("Post", rows: rows))
    }

    private mutating func updateBatch() throws {
        let limit = Int64.random(in: 0..<40, using: &generator)
        var update = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views < %@", limit))
        update.propertiesToUpdate = ["title": .constant(.string("\(limit)"))]
        if generator.chance(30) { update.propertiesToUpdate["author"] = .constant(.null) }
        try world.coordinator.execute(update)
    }

    private mutating func deleteBatch() throws {
        let limit = Int64.random(in: 0..<10, using: &generator)
        let predicate = try ObjectPredicate("views < %@", limit)
        let name = generator.chance(30) ? "User" : "Post"
        let request =
            name == "User"
            ? FetchRequest<ManagedObject>(
                name,
                predicate: try ObjectPredicate("name BEGINSWITH %@", "\(limit)")
            )
            : FetchRequest<ManagedObject>(name, predicate: predicate)
        try world.coordinator.execute(BatchDeleteRequest(request))
    }
}

extension HistoryWorld {
    /// All objects with their values and relationships.
    fileprivate func state() throws -> State { try run { try Self.state(of: $0) } }

    /// What a context shows, with relationships of both directions.
    fileprivate static func state(of context: ManagedObjectContext) throws -> State {
        var state: State = [:]
        for entity in context.model.entities {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
                var values: [String: String] = [:]
                for attribute in entity.attributes { values[attribute.name] = "\(try object.value(of: attribute))" }
                for relationship in entity.relationships {
                    let members = try object.related(relationship.name)
                    values[relationship.name] = members.map(\.objectID.uri).sorted().joined(separator: " ")
                }
                state[object.objectID] = values
            }
        }
        return state
    }
}

@Suite("Two processes that write one file")
struct RandomOtherWritersTests {
    @Test(
        "what one has written is what the other reads next, and what its live contexts show",
        arguments: SeededGenerator.seeds(12)
    )
    func reading(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let model = try HistoryWorld.model.get()
        func open() throws -> HistoryWorld {
            try HistoryWorld(SQLiteStore(path: folder.path + "/Blog.sqlite", model: model))
        }
        let worlds = [try open(), try open()]
        let contexts = worlds.map { $0.coordinator.liveContext() }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let writer = Int.random(in: 0...1, using: &generator)
            var changes = RandomChanges(worlds[writer], generator)
            try changes.change()
            generator = changes.generator
            let expected = try open().state()
            for (world, context) in zip(worlds, contexts) {
                #expect(try world.state() == expected)
                let shown = try await context.perform { try HistoryWorld.state(of: $0) }
                #expect(shown == expected)
            }
        }
    }

    @Test("a write of the other that changes no objects leaves rows in memory")
    func writesWithoutChanges() throws {
        let folder = try TemporaryFolder()
        let model = try HistoryWorld.model.get()
        func open() throws -> (SQLiteStore, HistoryWorld) {
            let store = try SQLiteStore(path: folder.path + "/Blog.sqlite", model: model)
            return (store, try HistoryWorld(store))
        }
        let (_, writer) = try open()
        try writer.insertPosts(4)
        let tokens = try writer.history().transactions.map(\.token)
        let (store, reader) = try open()
        let notices = Notices()
        store.observeOtherWriters(for: notices) { writes in notices.all.withLock { $0.append(writes) } }
        try writer.coordinator.setHistoryConsumer("search", to: tokens[1])
        _ = try reader.state()
        #expect(try writer.coordinator.trimHistory(through: tokens[1]) == 2)
        _ = try reader.state()
        try writer.coordinator.removeHistoryConsumer("search")
        _ = try reader.state()
        store.noticeOtherWriters()
        let seen = notices.all.withLock { $0 }
        #expect(seen.isEmpty)
    }

    private final class Notices: Sendable {
        let all = Mutex<[OtherWrites]>([])
    }
}
