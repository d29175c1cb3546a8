// SPDX-License-Identifier: Apache-2.0

// Saves into several stores of all kinds: atomic, even after a crash.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import StoreConformance
import TestSupport
import Testing

@Suite("Saves into several stores")
struct JointSaveTests {
    enum Kind: String, CaseIterable, Sendable {
        case memory, xml, binary, sqlite
    }

    struct Pair: Sendable, CustomStringConvertible {
        let books: Kind
        let songs: Kind
        var description: String { "\(books) and \(songs)" }

        static let all = Kind.allCases.flatMap { books in Kind.allCases.map { Pair(books: books, songs: $0) } }
        /// The pairs of stores that remain after the process has ended.
        static let kept = all.filter { $0.books != .memory && $0.songs != .memory }
    }

    /// Two stores of one model, each with one of its entities.
    struct World {
        let coordinator: PersistentStoreCoordinator
        let stores: [any PersistentStore]

        static let model = Result {
            try ManagedObjectModel(
                Model {
                    for name in ["Book", "Song"] {
                        Entity(name) {
                            Attribute("title", .string)
                            Attribute("pages", .int64).default(0)
                            Attribute("cover", .binary).optional().externalStorage()
                            UniquenessConstraint("title")
                        }
                    }
                    Configuration("Books", entities: ["Book"])
                    Configuration("Songs", entities: ["Song"])
                }
            )
        }

        init(_ folder: String, _ pair: Pair) throws {
            try self.init([Self.open(pair.books, folder, "Books"), Self.open(pair.songs, folder, "Songs")])
        }

        init(_ stores: [any PersistentStore]) throws {
            self.stores = stores
            coordinator = PersistentStoreCoordinator(model: try Self.model.get())
            for (store, name) in zip(stores, ["Books", "Songs"]) { try coordinator.add(store, configuration: name) }
        }

        static func open(_ kind: Kind, _ folder: String, _ name: String) throws -> any PersistentStore {
            let (model, path) = (try model.get(), folder + "/" + name)
            switch kind {
            case .memory: return InMemoryStore(model: model)
            case .xml: return try AtomicStore(path: path, format: .xml, model: model)
            case .binary: return try AtomicStore(path: path, format: .binary, model: model)
            case .sqlite:
                var options = SQLiteStoreOptions()
                options.configuration = name
                options.externalStorageThreshold = 1000
                return try SQLiteStore(path: path, model: model, options: options)
            }
        }

        func insert(_ title: String, in context: ManagedObjectContext, song: String? = nil) throws {
            try context.insert("Book").setValue(.string(title), forKey: "title")
            let second = try context.insert("Song")
            try second.setValue(.string(song ?? title), forKey: "title")
            try second.setValue(.data(Data(repeating: 7, count: 5000)), forKey: "cover")
        }

        func save(_ title: String, song: String? = nil) throws {
            try coordinator.withContext { context in
                try insert(title, in: context, song: song)
                try context.save()
            }
        }

        /// The titles in both stores, in their order.
        func titles() throws -> [[String]] { try ["Book", "Song"].map(titles) }

        func titles(_ entity: String) throws -> [String] {
            try coordinator.withContext { context in
                try context.fetch(FetchRequest<ManagedObject>(entity)).map { object in
                    if case .data(let data) = try object.value(forKey: "cover") { #expect(data.count == 5000) }
                    guard case .string(let title) = try object.value(forKey: "title") else { return "" }
                    return title
                }.sorted()
            }
        }
    }

    @Test(
        "a uniqueness violation in either store is a conflict, and neither store changes",
        arguments: Pair.all
    )
    func constraint(pair: Pair) throws {
        try Checkout.withFolder { folder in
            let world = try World(folder, pair)
            try world.save("a")
            for (book, song, count) in [("a", "b", 1), ("b", "a", 1), ("a", "a", 2)] {
                try world.coordinator.withContext { context in
                    try world.insert(book, in: context, song: song)
                    let error = #expect(throws: GraphError.self) { try context.save() }
                    #expect(error?.code == .constraint)
                    #expect(error?.constraintConflicts.count == count, "Those of all stores are told at once.")
                    #expect(try world.titles() == [["a"], ["a"]])
                    // The same context can save corrected titles.
                    for object in context.insertedObjects {
                        try object.setValue(.string("\(book)\(song)"), forKey: "title")
                    }
                    try context.save()
                    for object in try context.fetch(FetchRequest<ManagedObject>("Book"))
                        + context.fetch(FetchRequest<ManagedObject>("Song"))
                    where try object.value(forKey: "title") != "a" { context.delete(object) }
                    try context.save()
                }
            }
            #expect(try world.titles() == [["a"], ["a"]])
        }
    }

    @Test("the merge policy resolves conflicts of all stores", arguments: Pair.all)
    func merging(pair: Pair) throws {
        try Checkout.withFolder { folder in
            let world = try World(folder, pair)
            try world.save("a")
            try world.coordinator.withContext { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                for entity in ["Book", "Song"] {
                    let object = try context.insert(entity)
                    try object.setValue(.string("a"), forKey: "title")
                    try object.setValue(5, forKey: "pages")
                }
                try context.save()
                for entity in ["Book", "Song"] {
                    let object = try #require(try context.fetch(FetchRequest<ManagedObject>(entity)).first)
                    try object.setValue(6, forKey: "pages")
                    try world.coordinator.withContext { other in
                        let same = try #require(try other.fetch(FetchRequest<ManagedObject>(entity)).first)
                        try same.setValue(7, forKey: "pages")
                        try other.save()
                    }
                }
                try context.save()
            }
            try world.coordinator.withContext { context in
                for entity in ["Book", "Song"] {
                    let objects = try context.fetch(FetchRequest<ManagedObject>(entity))
                    #expect(try objects.map { try $0.value(forKey: "pages") } == [6])
                }
            }
        }
    }

    @Test("a joint save stores its note once", arguments: Pair.all)
    func note(pair: Pair) throws {
        try Checkout.withFolder { folder in
            let world = try World(folder, pair)
            func save(_ title: String) throws {
                try world.coordinator.withContext { context in
                    try world.insert(title, in: context)
                    let ids = context.insertedObjects.map(\.objectID)
                    try context.save {
                        PendingNote(key: "key") { rows in Array("\(ids.count { rows[$0] != nil })".utf8) }
                    }
                }
            }
            try save("a")
            #expect(try world.coordinator.note("key")?.content == Array("2".utf8))
            let error = #expect(throws: GraphError.self) { try save("b") }
            #expect(error?.code == .noteTaken)
            #expect(try world.titles() == [["a"], ["a"]])
        }
    }

    @Test("other contexts are notified of the rows of all stores", arguments: Pair.all)
    func telling(pair: Pair) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let world = try World(folder, pair)
        try world.save("a")
        let live = world.coordinator.liveContext()
        try await live.perform { context in
            let objects = try ["Book", "Song"].map {
                try #require(try context.fetch(FetchRequest<ManagedObject>($0)).first)
            }
            for object in objects { #expect(try object.value(forKey: "pages") == 0) }
            try world.coordinator.withContext { other in
                for entity in ["Book", "Song"] {
                    try #require(try other.fetch(FetchRequest<ManagedObject>(entity)).first).setValue(
                        3,
                        forKey: "pages"
                    )
                }
                try other.save()
            }
        }
        try await live.perform { context in
            for entity in ["Book", "Song"] {
                let object = try #require(try context.fetch(FetchRequest<ManagedObject>(entity)).first)
                #expect(try object.value(forKey: "pages") == 3)
            }
        }
    }

    @Test("a batch over several stores is atomic and stores its note", arguments: Pair.all)
    func batch(pair: Pair) throws {
        try Checkout.withFolder { folder in
            let model = try World.model.get()
            let coordinator = PersistentStoreCoordinator(model: model)
            try FileManager.default.createDirectory(atPath: folder + "/2", withIntermediateDirectories: true)
            let stores = try [World.open(pair.books, folder, "Books"), World.open(pair.songs, folder + "/2", "Books")]
            for store in stores { try coordinator.add(store, configuration: "Books") }
            for (store, title) in zip(stores, ["a", "b"]) {
                var insert = BatchInsertRequest("Book", rows: [["title": .string(title)]])
                insert.affectedStores = [store.identifier]
                try coordinator.execute(insert)
            }
            var update = BatchUpdateRequest("Book")
            update.resultType = .objectIDs
            update.propertiesToUpdate = ["pages": .constant(4)]
            let note = PendingNote<BatchResult>(key: "key") { result in
                [UInt8(result.count), UInt8(result.objectIDs.count)]
            }
            let result = try coordinator.execute(update, noting: note)
            #expect(result.count == 2)
            #expect(Set(result.objectIDs.compactMap(\.storeIdentifier)) == Set(stores.map(\.identifier)))
            #expect(try coordinator.note("key")?.content == [2, 2])
            update.propertiesToUpdate = ["title": .constant("same"), "pages": .constant(5)]
            var insert = BatchInsertRequest("Book", rows: [["title": "same"]])
            insert.affectedStores = [stores[1].identifier]
            try coordinator.execute(insert)
            let error = #expect(throws: GraphError.self) { try coordinator.execute(update) }
            #expect(error?.code == .constraint)
            let five = FetchRequest<ManagedObject>("Book", predicate: try ObjectPredicate("pages == 5"))
            #expect(try coordinator.withContext { try $0.count(five) } == 0)
            #expect(try coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Book"))).count == 3)
        }
    }
}
