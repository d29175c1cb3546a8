// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@Suite("History")
struct HistoryTests {
    @Test("a save is a transaction with its author, its context and each changed object", arguments: TestStore.kinds)
    func saves(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.run { context in
            context.name = "editor"
            context.transactionAuthor = "Anna"
            let post = try context.insert("Post")
            try post.setValue("One", forKey: "title")
            try context.save()
            try post.setValue("Two", forKey: "title")
            try post.add(context.insert("Tag"), forKey: "tags")
            try context.save()
            context.transactionAuthor = nil
            context.delete(post)
            try context.save()
        }
        let transactions = try world.history().transactions
        #expect(transactions.map(\.author) == ["Anna", "Anna", nil])
        #expect(transactions.map(\.contextName) == ["editor", "editor", "editor"])
        #expect(zip(transactions, transactions.dropFirst()).allSatisfy { $0.number < $1.number })
        #expect(
            transactions.map(\.described) == [
                ["+Post"], ["+Tag", "~Post tagCount,tags,title"], ["-Post", "~Tag posts"],
            ]
        )
    }

    @Test("a deleted object leaves the values that the model preserves", arguments: TestStore.kinds)
    func tombstones(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Anna", forKey: "name")
            try user.setValue("a@example.org", forKey: "email")
            let other = try context.insert("User")
            try other.setValue("Bea", forKey: "name")
            try context.save()
            context.delete(user)
            try context.save()
        }
        let user = try #require(world.model.entity(named: "User"))
        try world.coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(user.name)))
        let deletions = try world.history().transactions.flatMap(\.changes).filter { $0.kind == .delete }
        #expect(deletions.map(\.tombstone) == [["email": "a@example.org", "name": "Anna"], ["name": "Bea"]])
    }

    @Test("a token names a position behind which the history continues", arguments: TestStore.kinds)
    func tokens(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        let start = try world.coordinator.currentHistoryToken()
        try world.insertPosts(5)
        #expect(try world.history(after: start).transactions.count == 5)
        var request = HistoryRequest(after: start)
        request.limit = 2
        var seen: [Int] = []
        while true {
            let result = try world.coordinator.history(request)
            seen.append(result.transactions.count)
            #expect(
                result.transactions.last?.token == (result.hasMore ? result.token : result.transactions.last?.token)
            )
            // A token can be kept as text.
            request.token = HistoryToken(result.token.description)
            #expect(request.token == result.token)
            guard result.hasMore else { break }
        }
        #expect(seen == [2, 2, 1])
        #expect(try world.history(after: request.token).transactions.isEmpty)
        #expect(try world.coordinator.currentHistoryToken() == request.token)
    }

    @Test("a large transaction is read in parts", arguments: TestStore.kinds)
    func parts(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.insertPosts(1)
        try world.run { context in
            for _ in 0..<5 { _ = try context.insert("Post") }
            try context.save()
        }
        var request = HistoryRequest()
        request.changeLimit = 2
        var parts: [[Int]] = []
        var numbers: [Int64] = []
        while true {
            let result = try world.coordinator.history(request)
            parts.append(result.transactions.map(\.changes.count))
            numbers += result.transactions.flatMap { $0.changes.map(\.number) }
            request.token = result.token
            guard result.hasMore else { break }
        }
        #expect(parts == [[1, 1], [2], [2]])
        #expect(numbers == numbers.sorted() && Set(numbers).count == 6)
        #expect(try world.coordinator.currentHistoryToken() == request.token)
    }

    @Test("filters and predicates select transactions and changes", arguments: TestStore.kinds)
    func filters(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        let post = try world.run { context in
            context.transactionAuthor = "Anna"
            let post = try context.insert("Post")
            _ = try context.insert("Tag")
            try context.save()
            context.transactionAuthor = "Bea"
            try post.setValue(3, forKey: "views")
            try context.save()
            return post.objectID
        }
        func described(_ configure: (inout HistoryRequest) throws -> Void) throws -> [[String]] {
            var request = HistoryRequest()
            try configure(&request)
            return try world.coordinator.history(request).transactions.map(\.described)
        }
        let tag = try #require(world.model.entity(named: "Tag"))
        #expect(try described { $0.filter.entities = [tag] } == [["+Tag"]])
        #expect(try described { $0.filter.object = post } == [["+Post"], ["~Post views"]])
        #expect(try described { $0.filter.kinds = [.update] } == [["~Post views"]])
        #expect(try described { $0.filter.author = "Anna" } == [["+Post", "+Tag"]])
        #expect(try described { $0.filter.before = .distantPast } == [])
        #expect(try described { $0.filter.since = .distantPast }.count == 2)
        #expect(try described { $0.predicate = try ObjectPredicate("author BEGINSWITH 'B'") } == [["~Post views"]])
        #expect(
            try described { $0.changePredicate = try ObjectPredicate("ANY updatedProperties == 'views'") }
                == [["~Post views"]]
        )
        #expect(
            try described {
                $0.changePredicate = try ObjectPredicate("changedEntity == 'Tag' AND transaction.author == 'Anna'")
            } == [["+Tag"]]
        )
    }

    @Test("batches are transactions too, with each object and the properties that they set", arguments: TestStore.kinds)
    func batches(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        let rows: [[String: Value]] = (0..<40).map { ["views": .integer(Int64($0))] }
        let origin = SaveOrigin(author: "importer")
        try world.coordinator.execute(BatchInsertRequest("Post", rows: rows), of: origin)
        var update = BatchUpdateRequest("Post", predicate: try ObjectPredicate("views < 30"))
        update.propertiesToUpdate = ["title": .constant("Few")]
        try world.coordinator.execute(update)
        try world.coordinator.execute(
            BatchDeleteRequest(FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("views >= 39")))
        )
        let transactions = try world.history().transactions
        #expect(transactions.map(\.author) == ["importer", nil, nil])
        #expect(transactions.map { Set($0.described) } == [["+Post"], ["~Post title"], ["-Post"]])
        #expect(transactions.map(\.changes.count) == [40, 30, 1])
    }

    @Test("old transactions are trimmed, except those that a consumer hasn't read", arguments: TestStore.kinds)
    func trimming(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.insertPosts(6)
        let tokens = try world.history().transactions.map(\.token)
        try world.coordinator.setHistoryConsumer("search", to: tokens[2])
        #expect(try world.coordinator.trimHistory(through: tokens[4]) == 3)
        #expect(throws: GraphError.self) { try world.history(after: tokens[1]) }
        #expect(try world.history(after: tokens[2]).transactions.count == 3)
        #expect(throws: GraphError.self) { try world.coordinator.setHistoryConsumer("late", to: tokens[0]) }
        let foreign = HistoryToken(positions: [UUID(): .start])
        let error = #expect(throws: GraphError.self) { try world.coordinator.setHistoryConsumer("search", to: foreign) }
        #expect(error?.message == GraphError.historyReplaced.message)
        #expect(try world.coordinator.historyConsumers().mapValues(\.token) == ["search": tokens[2]])
        // A consumer that falls too far behind doesn't hold trimming back.
        let count = try world.coordinator.trimHistory { trim in
            trim.changeLimit = 2
            trim.consumerChangeLimit = 2
        }
        #expect(count == 1)
        #expect(throws: GraphError.self) { try world.history(after: tokens[2]) }
        try world.coordinator.removeHistoryConsumer("search")
        #expect(throws: GraphError.self) { try world.coordinator.removeHistoryConsumer("search") }
        // The newest transaction stays.
        #expect(try world.coordinator.trimHistory { $0.before = .distantFuture } == 1)
        #expect(try world.history().transactions.map(\.token) == [tokens[5]])
        #expect(try world.history(after: tokens[5]).transactions.isEmpty)
    }

    @Test("the history continues when the store is opened again", arguments: ["xml", "binary", "sqlite"])
    func reopening(_ kind: String) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/store"
            let model = try HistoryWorld.model.get()
            var world = try HistoryWorld(TestStore.open(path, model, kind: kind))
            try world.insertPosts(2)
            let token = try world.coordinator.currentHistoryToken()
            try world.coordinator.setHistoryConsumer("search", to: token)
            world = try HistoryWorld(TestStore.open(path, model, kind: kind))
            #expect(try world.history(after: token).transactions.isEmpty)
            try world.insertPosts(1)
            #expect(try world.history(after: token).transactions.map(\.described) == [["+Post"]])
            #expect(try world.history().transactions.count == 3)
            #expect(try world.coordinator.historyConsumers()["search"]?.token == token)
        }
    }

    @Test(
        "a token of another or a later state of a store is refused",
        arguments: [("xml", 1), ("binary", 1), ("sqlite", 1), ("sqlite", 0)]
    )
    func replacedStore(_ kind: String, transactionsOfBackup count: Int) throws {
        try Checkout.withFolder { folder in
            let path = folder + "/store"
            let model = try HistoryWorld.model.get()
            try HistoryWorld(TestStore.open(path, model, kind: kind)).insertPosts(count)
            try FileManager.default.copyItem(atPath: path, toPath: path + ".backup")
            var world = try HistoryWorld(TestStore.open(path, model, kind: kind))
            try world.insertPosts(3)
            let lost = try world.coordinator.currentHistoryToken()
            world = try HistoryWorld(InMemoryStore(model: model))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: path + ".backup", toPath: path)
            world = try HistoryWorld(TestStore.open(path, model, kind: kind))
            #expect(throws: GraphError.self) { try world.history(after: lost) }
            try world.insertPosts(5)
            #expect(throws: GraphError.self) { try world.history(after: lost) }
            let other = try HistoryWorld(InMemoryStore(model: model))
            #expect(throws: GraphError.self) { try other.history(after: lost) }
        }
    }

    @Test(
        "without a history nothing is recorded, and the next save removes the one of a file",
        arguments: TestStore.kinds
    )
    func unkept(_ kind: String?) throws {
        let model = try HistoryWorld.model.get()
        let folder = try TemporaryFolder()
        func open(_ keepsHistory: Bool) throws -> HistoryWorld {
            let path = folder.path + "/store"
            switch kind {
            case "xml":
                return try HistoryWorld(
                    AtomicStore(path: path, format: .xml, model: model, keepsHistory: keepsHistory)
                )
            case "binary":
                return try HistoryWorld(
                    AtomicStore(path: path, format: .binary, model: model, keepsHistory: keepsHistory)
                )
            case "sqlite":
                var options = SQLiteStoreOptions()
                options.history = keepsHistory ? .automatic : .off
                return try HistoryWorld(SQLiteStore(path: path, model: model, options: options))
            default: return try HistoryWorld(InMemoryStore(model: model, keepsHistory: keepsHistory))
            }
        }
        var world = try open(true)
        try world.insertPosts(2)
        let tokens =
            try [HistoryToken(positions: [world.coordinator.stores[0].identifier: .start])]
            + world.history().transactions.map(\.token)
        world = try open(false)
        #expect(!world.coordinator.keepsHistory)
        try world.insertPosts(1)
        let error = #expect(throws: GraphError.self) { try world.history() }
        #expect(error?.code == .historyUnkept)
        guard kind != nil else { return }
        world = try open(true)
        #expect(try world.history().transactions.isEmpty)
        try world.insertPosts(1)
        #expect(try world.history().transactions.map(\.described) == [["+Post"]])
        for token in tokens { #expect(throws: GraphError.self) { try world.history(after: token) } }
    }

    @Test("a history that another process has removed begins anew")
    func removed() throws {
        let model = try HistoryWorld.model.get()
        let folder = try TemporaryFolder()
        func open(_ mode: HistoryMode) throws -> HistoryWorld {
            var options = SQLiteStoreOptions()
            options.history = mode
            return try HistoryWorld(SQLiteStore(path: folder.path + "/store", model: model, options: options))
        }
        let world = try open(.automatic)
        try world.insertPosts(2)
        let former = try world.coordinator.currentHistoryToken()
        try open(.off).insertPosts(1)
        try world.insertPosts(1)
        #expect(try world.history().transactions.map(\.described) == [["+Post"]])
        #expect(throws: GraphError.self) { try world.history(after: former) }
        let token = try world.coordinator.currentHistoryToken()
        try world.insertPosts(2)
        #expect(try world.history(after: token).transactions.count == 2)
        #expect(try world.run { try $0.fetch(FetchRequest<ManagedObject>("Post")).count } == 6)
    }

    @Test("a token within a transaction names one of its changes", arguments: TestStore.kinds)
    func changesOfTokens(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.insertPosts(2)
        let transactions = try world.history().transactions
        let store = transactions[0].store
        func history(after transaction: Int64, _ change: Int64) throws -> HistoryResult {
            let position = HistoryToken.Position(transaction: transaction, change: change)
            return try world.history(after: HistoryToken(positions: [store: position]))
        }
        let change = transactions[1].changes[0].number
        #expect(try history(after: transactions[1].number - 1, change).transactions.isEmpty)
        for (number, change) in [
            (transactions[0].number - 1, change), (transactions[1].number, change), (.max, change),
            (transactions[1].number - 1, change + 1),
        ] {
            let error = #expect(throws: GraphError.self) { try history(after: number, change) }
            #expect(error?.code == .historyTrimmed)
        }
    }

    @Test("a trim that removes nothing doesn't write", arguments: ["xml", "binary", "sqlite"])
    func uselessTrims(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store"
        func trim(_ world: HistoryWorld) throws {
            #expect(try world.coordinator.trimHistory { $0.changeLimit = 10 } == 0)
        }
        let world = try HistoryWorld(TestStore.open(path, HistoryWorld.model.get(), kind: kind))
        try trim(world)
        if kind != "sqlite" { #expect(!FileManager.default.fileExists(atPath: path)) }
        try world.insertPosts(10)
        let before = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        let log = try? Data(contentsOf: URL(filePath: path + "-wal"))
        try trim(world)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == before)
        #expect((try? Data(contentsOf: URL(filePath: path + "-wal"))) == log)
    }

    @Test("writes that change no objects are no transactions", arguments: TestStore.kinds)
    func consumersAlone(_ kind: String?) throws {
        let world = try HistoryWorld(kind)
        try world.insertPosts(3)
        let tokens = try world.history().transactions.map(\.token)
        for _ in 0..<3 { try world.coordinator.setHistoryConsumer("search", to: tokens[2]) }
        try world.coordinator.trimHistory(through: tokens[0])
        #expect(try world.coordinator.currentHistoryToken() == tokens[2])
        #expect(try world.history(after: tokens[0]).transactions.map(\.token) == Array(tokens[1...]))
    }

    @Test("a consumer is moved in all stores, or in none")
    func consumersOfSeveralStores() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Left") { Attribute("name", .string).optional() }
                Entity("Right") { Attribute("name", .string).optional() }
                Configuration("Lefts", entities: ["Left"])
                Configuration("Rights", entities: ["Right"])
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        let stores = try ["Lefts", "Rights"].map { name in
            let store = InMemoryStore(model: model)
            try coordinator.add(store, configuration: name)
            return store.identifier
        }
        try coordinator.withContext { context in
            for name in ["Left", "Right", "Left", "Right"] {
                _ = try context.insert(name)
                try context.save()
            }
        }
        let former = try coordinator.currentHistoryToken()
        try coordinator.setHistoryConsumer("search", to: HistoryToken())
        var token = former
        token[stores[1]] = HistoryToken.Position(transaction: 1_000)
        #expect(throws: GraphError.self) { try coordinator.setHistoryConsumer("search", to: token) }
        let known = try coordinator.historyConsumers()["search"]?.token
        #expect(known == HistoryToken(positions: [stores[0]: .start, stores[1]: .start]))
    }

    @Test("texts that aren't tokens are none")
    func garbage() {
        for text in ["", "x", "1-1", "00000000000000000000000000000000-01", "00000000000000000000000000000000--1"] {
            #expect(HistoryToken(text) == nil, "\(text)")
        }
    }
}

/// A coordinator over one store with a small blog.
struct HistoryWorld {
    static let model = Result {
        try ManagedObjectModel(
            Model {
                Entity("User") {
                    Attribute("name", .string).preservedAfterDeletion()
                    Attribute("email", .string).optional().preservedAfterDeletion()
                    Relationship("posts", toMany: "Post", inverse: "author", deleteRule: .cascade).optional()
                }
                Entity("Post") {
                    Attribute("title", .string).default("Untitled")
                    Attribute("views", .int64).default(0)
                    Attribute("tagCount", .int64).optional().derived("tags.@count")
                    Relationship("author", toOne: "User", inverse: "posts").optional()
                    Relationship("tags", toMany: "Tag", inverse: "posts").optional()
                }
                Entity("Tag") {
                    Attribute("name", .string).optional()
                    Relationship("posts", toMany: "Post", inverse: "tags").optional()
                }
            }
        )
    }

    let model: ManagedObjectModel
    let coordinator: PersistentStoreCoordinator

    init(_ kind: String?) throws { try self.init(TestStore.make(Self.model.get(), kind: kind)) }

    init(_ store: any PersistentStore) throws {
        model = try Self.model.get()
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    func run<Result: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> Result) throws -> Result {
        try coordinator.withContext(body)
    }

    /// Inserts posts, each in a save of its own.
    func insertPosts(_ count: Int) throws {
        try run { context in
            for _ in 0..<count {
                _ = try context.insert("Post")
                try context.save()
            }
        }
    }

    func history(after token: HistoryToken? = nil) throws -> HistoryResult {
        try coordinator.history(HistoryRequest(after: token))
    }
}

extension HistoryTransaction {
    /// Each change in a word: `+Post`, `~Post title`, `-Post`; repeated ones once.
    var described: [String] {
        var seen: Set<String> = []
        return changes.map { change in
            let name = change.objectID.entity.name
            return switch change.kind {
            case .insert: "+\(name)"
            case .update: "~\(name) \(change.properties?.joined(separator: ",") ?? "?")"
            case .delete: "-\(name)"
            }
        }.sorted().filter { seen.insert($0).inserted }
    }
}
