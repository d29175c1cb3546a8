// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import StoreConformance
import Testing

@Suite("Batches and contexts")
struct BatchContextTests {
    let library: Library

    init() throws {
        library = try Library()
    }

    /// A live context that has read some objects and keeps them with a pending edit.
    private func editor(
        _ objects: [ManagedObjectID],
        _ key: String,
        _ value: Value
    ) async throws -> LiveContext {
        let live = library.coordinator.liveContext()
        try await live.perform { (context) throws in
            for id in objects {
                let object = try context.existingObject(with: id)
                try object.setValue(value, forKey: key)
                for relationship in object.entity.relationships { _ = try object.related(relationship.name) }
            }
        }
        return live
    }

    @Test("a batch is merged into every live context, keeps pending edits, and returns the number of contexts")
    func liveContexts() async throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let books = try library.insert("Book", (0..<2).map { _ in ["author": ann.value] })
        let lives = [try await editor(books, "title", "Mine"), try await editor([ann], "age", 9)]
        var update = BatchUpdateRequest("Book")
        update.propertiesToUpdate = ["views": .constant(5)]
        #expect(try library.coordinator.execute(update).mergedContexts == 2)
        let new = try library.insert("Book", [["author": ann.value]])
        try await lives[0].perform { (context) throws in
            for id in books {
                #expect(try context.object(with: id).value(forKey: "views") == 5)
                #expect(try context.object(with: id).value(forKey: "title") == "Mine")
            }
            try context.save()
        }
        try library.coordinator.execute(BatchDeleteRequest(objectIDs: [books[0]]))
        try await lives[1].perform { (context) throws in
            let object = context.object(with: ann)
            #expect(try object.related("books").map(\.objectID) == [books[1]] + new)
            #expect(try object.value(forKey: "bookCount") == 2)
            #expect(try object.value(forKey: "age") == 9)
            #expect(throws: GraphError.self) { try context.existingObject(with: books[0]) }
        }
    }

    @Test("a batch in a context evaluates its condition once")
    func conditionOfDraft() throws {
        let shop = try Bookshop()
        try shop.run { [store = shop.store] context in
            _ = store.takeCalls()
            var update = BatchUpdateRequest("Book", predicate: try ObjectPredicate("sold > 10"))
            update.propertiesToUpdate = ["sold": .constant(0)]
            #expect(try context.draft(update).count == 3)
            #expect(store.kinds == [.objectIDs])
        }
    }

    @Test("a context shows the changes of its own batch", arguments: [false, true])
    func ownContext(isLive: Bool) async throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let book = try library.make("Book", ["title": "a"], ["author": ann])
        let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
            let (author, object) = (try context.existingObject(with: ann), try context.existingObject(with: book))
            #expect(try author.related("books") == [object])
            try object.setValue("Mine", forKey: "title")
            let pending = try context.insert("Tag")
            var update = BatchUpdateRequest("Book")
            update.propertiesToUpdate = ["views": .constant(5), "author": .constant(.null)]
            #expect(try context.execute(update).mergedContexts == (isLive ? 1 : 0))
            #expect(try object.value(forKey: "views") == 5)
            #expect(try object.value(forKey: "title") == "Mine")
            #expect(try author.related("books").isEmpty)
            #expect(try author.value(forKey: "bookCount") == 0)
            #expect(pending.isInserted)
            try context.save()
            try context.execute(BatchDeleteRequest(objectIDs: [ann]))
            #expect(author.isDeleted)
            #expect(throws: GraphError.self) { try context.existingObject(with: ann) }
        }
        if isLive { try await library.coordinator.liveContext().perform(body) } else { try library.run(body) }
        #expect(try library.value(book, "title") == "Mine")
        #expect(try library.count("Tag") == 1)
    }

    @Test("a batch insert applies the context's merge policy")
    func mergePolicy() throws {
        let ann = try library.make("Author", ["name": "Ann", "age": 1])
        try library.run { context in
            let author = try context.existingObject(with: ann)
            let rows: [[String: Value]] = [["name": "Ann", "age": 2]]
            #expect(throws: GraphError.self) { try context.execute(BatchInsertRequest("Author", rows: rows)) }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.execute(BatchInsertRequest("Author", rows: rows))
            #expect(try author.value(forKey: "age") == 2)
        }
    }

    @Test("a child's batch changes the stores, and the child and its parent see the changes")
    func children() throws {
        let book = try library.make("Book", ["title": "a"])
        try library.run { parent in
            let object = try parent.existingObject(with: book)
            try object.setValue("Parent", forKey: "title")
            try parent.withOpenChild { child in
                let same = try child.existingObject(with: book)
                #expect(try same.value(forKey: "title") == "Parent")
                var update = BatchUpdateRequest("Book")
                update.propertiesToUpdate = ["views": .constant(5)]
                #expect(try child.execute(update).count == 1)
                #expect(try same.value(forKey: "views") == 5)
                #expect(try same.value(forKey: "title") == "Parent")
                #expect(try object.value(forKey: "views") == 5)
                #expect(try object.value(forKey: "title") == "Parent")
            }
            try parent.save()
        }
        #expect(try library.value(book, "title") == "Parent")
    }

    @Test("a drafted batch includes pending changes and is undone as a group")
    func drafting() throws {
        let ann = try library.make("Author", ["name": "Ann"])
        let book = try library.make("Book", ["title": "a", "views": 3], ["author": ann])
        try library.run { (context) throws in
            context.undoManager = ObjectUndoManager()
            let object = try context.existingObject(with: book)
            let new = try context.insert("Book")
            try object.setValue(5, forKey: "views")
            try context.processPendingChanges()
            var update = BatchUpdateRequest("Book", predicate: try ObjectPredicate("views != 3"))
            update.propertiesToUpdate = ["views": try ObjectExpression("views * 2"), "author": .constant(.null)]
            update.resultType = .objectIDs
            let result = try context.draft(update)
            #expect(result.count == 2 && Set(result.objectIDs) == [book, new.objectID])
            #expect(try object.value(forKey: "views") == 10)
            #expect(try context.existingObject(with: ann).related("books").isEmpty)
            try context.undo()
            #expect(try object.value(forKey: "views") == 5)

            struct TakenBack: Error {}
            #expect(throws: TakenBack.self) {
                try context.withUndoGroup {
                    // A drafted batch can set the other side of a to-one relationship, which stores refuse.
                    let books: Value = .array([book.value, new.objectID.value])
                    let authors = BatchInsertRequest("Author", rows: [["name": "Bo", "books": books], ["name": "Cy"]])
                    #expect(try context.draft(authors).count == 2)
                    #expect(try object.related("author").first?.value(forKey: "name") == "Bo")
                    #expect(try context.draft(BatchDeleteRequest(objectIDs: [book])).count == 1)
                    throw TakenBack()
                }
            }
            #expect(!object.isDeleted)
            #expect(try object.related("author").map(\.objectID) == [ann])
            #expect(context.insertedObjects == [new])
        }
        #expect(try library.value(book, "views") == 3)
    }

    @Test("a drafted batch is limited by memory and maximum, and an error names the row")
    func draftingTooMuch() throws {
        _ = try library.insert("Book", (0..<20).map { _ in [:] })
        try library.run { (context) throws in
            context.memoryLimit = 1_000
            var update = BatchUpdateRequest("Book")
            update.propertiesToUpdate = ["views": .constant(5)]
            #expect(try failure { try context.draft(update) }.code == .contextFull)
            update.maximum = 19
            #expect(try failure { try context.draft(update) }.code == .limitExceeded)
            #expect(context.registeredObjects.isEmpty)
            var rows = [["title": "a"], ["title": 1]] as [[String: Value]]
            #expect(try failure { try context.draft(BatchInsertRequest("Book", rows: rows)) }.row == 2)
            rows[1] = ["author": .reference(ObjectReference(uri: "x-coredata:///Author/p1"))]
            #expect(try failure { try context.draft(BatchInsertRequest("Book", rows: rows)) }.row == 2)
        }
    }

    @Test("a batch applies to all stores with the entity, or to the affected stores")
    func stores() throws {
        let second = try TestStore.make(library.coordinator.model)
        try library.coordinator.add(second)
        let first = try library.make("Author", ["name": "a"])
        var insert = BatchInsertRequest("Author", rows: [["name": "b"]])
        insert.affectedStores = [second.identifier]
        insert.resultType = .objectIDs
        let other = try library.coordinator.execute(insert).objectIDs[0]
        #expect(other.storeIdentifier == second.identifier)
        var update = BatchUpdateRequest("Author")
        update.propertiesToUpdate = ["age": .constant(5)]
        update.maximum = 1
        #expect(try failure { try library.coordinator.execute(update) }.code == .limitExceeded)
        #expect(try library.value(first, "age") == .null)
        update.maximum = 2
        #expect(try library.coordinator.execute(update).count == 2)
        update.affectedStores = [second.identifier]
        update.propertiesToUpdate = ["age": .constant(6)]
        #expect(try library.coordinator.execute(update).count == 1)
        #expect(try library.value(first, "age") == 5)
        #expect(try library.value(other, "age") == 6)
        update.propertiesToUpdate = ["mentor": .constant(first.value)]
        #expect(try failure { try library.coordinator.execute(update) }.code == .acrossStores)
        update.affectedStores = nil
        #expect(try failure { try library.coordinator.execute(update) }.code == .acrossStores)
        #expect(try library.related(first, "mentor") == [])
        update.predicate = try ObjectPredicate("name == 'a'")
        #expect(try library.coordinator.execute(update).count == 1)
        var fetch = FetchRequest<ManagedObject>("Author")
        fetch.fetchLimit = 1
        var delete = BatchDeleteRequest(fetch)
        #expect(try failure { try library.coordinator.execute(delete) }.code == .invalidRequest)
        delete.affectedStores = [second.identifier]
        #expect(try library.coordinator.execute(delete).count == 1)
        #expect(try library.coordinator.execute(BatchDeleteRequest(objectIDs: [first, other])).count == 1)
        #expect(try library.count("Author") == 0)
    }
}
