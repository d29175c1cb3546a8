// SPDX-License-Identifier: Apache-2.0

// The numbers in the names are those of the invariants in DeferredErrors.swift.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import Testing

@Suite("Errors of typed properties")
struct DeferredErrorTests {
    private let coordinator: PersistentStoreCoordinator
    private let kept: ManagedObjectID
    private let gone: ManagedObjectID

    init() throws {
        coordinator = try Shelf.coordinator()
        (kept, gone) = try coordinator.withContext { context in
            let books = try [context.insert(Shelf.Book.self), context.insert(Shelf.Book.self)]
            try context.save()
            let ids = (books[0].objectID, books[1].objectID)
            context.delete(books[1])
            try context.save()
            return ids
        }
    }

    @Test("a missing row that counts as deleted is not an error")
    func inaccessible() throws {
        try coordinator.withContext { context in
            let book = try Self.book(gone, context)
            #expect(book.title.isEmpty && book.pages == nil && book.author == nil && book.isDeleted)
            try context.save()
        }
    }

    @Test("1: an error is thrown at the end of the closure, and until then the property has an empty value")
    func endOfClosure() throws {
        let error = try graphError {
            try coordinator.withContext { context in
                context.shouldDeleteInaccessibleFaults = false
                let book = try Self.book(gone, context)
                #expect(book.title.isEmpty)
            }
        }
        #expect(error.code == .objectMissing && error.objectID == gone)
    }

    @Test("1: processing, fetching and saving repeatedly throw the first error, and nothing is saved")
    func throwingCalls() throws {
        _ = try graphError {
            try coordinator.withContext { context in
                let book = try Self.book(kept, context)
                _ = book.lost
                book.title = "computed" + book.lost
                try book.setValue(.string("nonsense"), forKey: "state")
                #expect(book.state == .wanted)
                let calls: [() throws -> Void] = [
                    { try context.processPendingChanges() }, { _ = try context.fetch(FetchRequest<Shelf.Book>()) },
                    { _ = try context.count(FetchRequest<Shelf.Book>()) }, { try context.save() },
                ]
                for call in calls {
                    let error = #expect(throws: GraphError.self) { try call() }
                    #expect(error?.code == .unknownName && error?.property == "lost")
                }
            }
        }
        #expect(try title() == "Untitled")
    }

    @Test("1: a rollback discards the changes but not the error", arguments: [false, true])
    func rollback(isReset: Bool) throws {
        let error = try graphError {
            try coordinator.withContext { context in
                let book = try Self.book(kept, context)
                book.title = book.lost
                if isReset { context.reset() } else { context.rollback() }
                #expect(!context.hasChanges)
            }
        }
        #expect(error.property == "lost")
    }

    @Test("1: a property that can't be read in a hook prevents the save")
    func hooks() throws {
        let coordinator = PersistentStoreCoordinator(model: try Shelf.model.get(), classes: [Careless.self])
        try coordinator.add(TestStore.make(try Shelf.model.get()))
        #expect(throws: GraphError.self) {
            try coordinator.withContext { context in
                try context.insert(Careless.self)
                try context.save()
            }
        }
        #expect(try coordinator.withContext { try $0.count(FetchRequest<Careless>()) } == 0)
    }

    @Test("1: a setter defers its error and sets nothing")
    func setters() throws {
        let other = try coordinator.withContext { context in
            try context.insert(Shelf.Author.self)
            try context.save()
            return try context.fetch(FetchRequest<Shelf.Author>())[0].objectID
        }
        let error = try graphError {
            try coordinator.withContext { context in
                let book = try Self.book(kept, context)
                try context.withOpenChild { child in
                    book.author = try #require(child.object(with: other) as? Shelf.Author)
                }
                #expect(book.author == nil)
            }
        }
        #expect(error.code == .otherContext)
    }

    @Test("1: NaN is not a valid decimal")
    func notANumber() throws {
        let error = try graphError {
            try coordinator.withContext { context in
                let book = try Self.book(kept, context)
                book.price = .nan
                #expect(book.price == nil && !book.hasChanges)
            }
        }
        #expect(error.code == .wrongType && error.property == "price")
    }

    @Test("2: a live context with an error refuses to save later changes until it is rolled back")
    func live() async throws {
        let live = coordinator.liveContext()
        let (kept, gone) = (kept, gone)
        await #expect(throws: GraphError.self) {
            try await live.perform { context in
                context.shouldDeleteInaccessibleFaults = false
                let book = try Self.book(kept, context)
                let missing = try Self.book(gone, context)
                book.title = missing.title + "!"
            }
        }
        try await live.perform { context in
            // The earlier closure's error has been thrown, and reading works.
            #expect(try context.count(FetchRequest<Shelf.Book>()) == 1)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .objectMissing && error?.hint?.contains("Roll back the context") == true)
            context.rollback()
            let book = try Self.book(kept, context)
            #expect(book.title == "Untitled")
            book.title = "Saved"
            try context.save()
        }
        #expect(try title() == "Saved")
    }

    @Test("2: changes before an error are saved later")
    func before() async throws {
        let live = coordinator.liveContext()
        let (kept, gone) = (kept, gone)
        await #expect(throws: GraphError.self) {
            try await live.perform { context in
                context.shouldDeleteInaccessibleFaults = false
                try Self.book(kept, context).title = "Draft"
                _ = try Self.book(gone, context).title
            }
        }
        try await live.perform { context in try context.save() }
        #expect(try title() == "Draft")
    }

    @Test("an error that is thrown directly isn't deferred")
    func throwing() throws {
        try coordinator.withContext { context in
            context.shouldDeleteInaccessibleFaults = false
            let book = try Self.book(gone, context)
            #expect(throws: GraphError.self) { try book.value(of: \.title) }
            try Self.book(kept, context).setValue("Later", of: \.title)
            try context.save()
        }
        #expect(try title() == "Later")
    }

    /// The error that a closure throws.
    private func graphError(_ work: () throws -> Void) throws -> GraphError {
        do {
            try work()
        } catch let error as GraphError {
            return error
        }
        throw NoError()
    }

    private struct NoError: Error {}

    private static func book(_ id: ManagedObjectID, _ context: ManagedObjectContext) throws -> Shelf.Book {
        try #require(context.object(with: id) as? Shelf.Book)
    }

    private func title() throws -> String {
        try coordinator.withContext { try Self.book(kept, $0).title }
    }
}

/// A book that reads an unknown property in a hook.
private final class Careless: ManagedObject {
    override class var entityName: String { "Book" }

    override func willSave() {
        let _: String = self[attribute: "lost"]
    }
}
