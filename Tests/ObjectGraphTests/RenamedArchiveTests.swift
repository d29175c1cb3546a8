// SPDX-License-Identifier: Apache-2.0

// Archives of contexts whose stores are migrated to a version with other names.

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Archives of contexts across migrations")
struct RenamedArchiveTests {
    private static let first = Model {
        Entity("Author") {
            Attribute("first", .string).optional()
            Attribute("last", .string).optional()
            Relationship("books", toMany: "Book", inverse: "writer").optional()
            Relationship("essays", toMany: "Book", inverse: "essayist").optional()
        }
        Entity("Book") {
            Attribute("title", .string).optional()
            Relationship("writer", toOne: "Author", inverse: "books").optional()
            Relationship("essayist", toOne: "Author", inverse: "essays").optional()
        }
    }

    /// Attributes, relationships and entities that have exchanged their names.
    private static let exchanged = Model {
        Entity("Book", renamedFrom: "Author") {
            Attribute("first", .string).optional().renamed(from: "last")
            Attribute("last", .string).optional().renamed(from: "first")
            Relationship("books", toMany: "Author", inverse: "writer").optional().renamed(from: "essays")
            Relationship("essays", toMany: "Author", inverse: "essayist").optional().renamed(from: "books")
        }
        Entity("Author", renamedFrom: "Book") {
            Attribute("title", .string).optional()
            Relationship("writer", toOne: "Book", inverse: "books").optional().renamed(from: "essayist")
            Relationship("essayist", toOne: "Book", inverse: "essays").optional().renamed(from: "writer")
        }
    }

    /// A store with an author and a book, and the archive of a context that has changed them.
    private static func draft(
        _ model: ManagedObjectModel
    ) throws -> (store: InMemoryStore, archive: ContextArchive) {
        let store = InMemoryStore(model: model)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        try coordinator.withContext { context in
            let author = try context.insert("Author")
            try author.setValue("Ann", forKey: "first")
            try author.setValue("Ash", forKey: "last")
            let book = try context.insert("Book")
            try book.setValue("A Book", forKey: "title")
            try book.setObject(author, forKey: "writer")
            try context.save()
        }
        let archive = try coordinator.withContext { context in
            context.undoManager = ObjectUndoManager()
            let author = try #require(try context.fetch(FetchRequest<ManagedObject>("Author")).first)
            try author.setValue("Anna", forKey: "first")
            let book = try context.insert("Book")
            try book.setValue("Another", forKey: "title")
            try book.setObject(author, forKey: "writer")
            return try context.archive()
        }
        return (store, archive)
    }

    private static func migrated(
        _ store: InMemoryStore,
        by migration: ModelMigration
    ) throws -> PersistentStoreCoordinator {
        let next = try #require(try store.migrated(by: migration, as: .complete).store)
        let coordinator = PersistentStoreCoordinator(model: migration.new)
        try coordinator.add(next)
        return coordinator
    }

    @Test("a context follows properties and entities that have exchanged their names")
    func exchanged() throws {
        let model = try ManagedObjectModel(Self.first)
        let (store, archive) = try Self.draft(model)
        let migration = try ModelMigration(from: model, to: ManagedObjectModel(Self.exchanged))
        let coordinator = try Self.migrated(store, by: migration)
        try coordinator.withContext { context in
            try context.restore(archive.renamed(by: migration))
            let author = try #require(try context.fetch(FetchRequest<ManagedObject>("Book")).first)
            #expect(try author.value(forKey: "last") == "Anna")
            #expect(try author.value(forKey: "first") == "Ash")
            let titles = try author.objects(forKey: "essays").map { try $0.value(forKey: "title") }
            #expect(Set(titles) == ["A Book", "Another"])
            #expect(try author.objects(forKey: "books").isEmpty)
            try context.save()
        }
    }

    @Test("a context follows names through several versions")
    func chain() throws {
        var second = Self.first
        second.entities[0].attributes[0].name = "given"
        second.entities[0].attributes[0].renamingIdentifier = "first"
        var third = second
        third.entities[0].attributes[0].name = "forename"
        third.entities[0].attributes[0].renamingIdentifier = "given"
        let models = try [Self.first, second, third].map { model in try ManagedObjectModel(model) }
        let (store, archive) = try Self.draft(models[0])
        let migration = try ModelMigration(through: models)
        let coordinator = try Self.migrated(store, by: migration)
        try coordinator.withContext { context in
            try context.restore(archive.renamed(by: migration))
            let author = try #require(try context.fetch(FetchRequest<ManagedObject>("Author")).first)
            #expect(try author.value(forKey: "forename") == "Anna")
        }
    }

    @Test("a change of an attribute that was removed isn't one of an attribute that took its name")
    func replaced() throws {
        var second = Self.first
        second.entities[0].attributes.removeFirst()
        second.entities[0].attributes[0].name = "first"
        second.entities[0].attributes[0].renamingIdentifier = "last"
        let model = try ManagedObjectModel(Self.first)
        let (store, archive) = try Self.draft(model)
        let migration = try ModelMigration(from: model, to: ManagedObjectModel(second))
        let coordinator = try Self.migrated(store, by: migration)
        try coordinator.withContext { context in
            let error = #expect(throws: GraphError.self) { try context.restore(archive.renamed(by: migration)) }
            #expect(error?.message.hasPrefix("Author.first (removed) was changed in the context") == true)
        }
    }

    @Test("an object's URI after a migration has its entity's present name, or there is none")
    func uris() throws {
        let migration = try ModelMigration(
            from: ManagedObjectModel(Self.first),
            to: ManagedObjectModel(Self.exchanged)
        )
        let store = "x-coredata://6A3B8C1E-6E1B-4C8E-9B57-0C5B0E0F6C11"
        #expect(migration.uri(after: store + "/Book/p7") == store + "/Author/p7")
        #expect(migration.uri(after: store + "/Author/pa%2Fb") == store + "/Book/pa%2Fb")
        #expect(migration.uri(after: store + "/Page/p7") == nil)
    }
}
