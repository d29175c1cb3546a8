// SPDX-License-Identifier: Apache-2.0

import Glibc
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("Fetches in batches")
struct LazyFetchTests {
    let library: Bookshop

    init() throws {
        library = try Bookshop()
    }

    private static func request(_ batchSize: Int) throws -> FetchRequest<ManagedObject> {
        var request = try FetchRequest<ManagedObject>("Book", by: "title")
        request.fetchBatchSize = batchSize
        return request
    }

    // MARK: Lazily

    @Test("a lazy fetch requests the IDs in one call, and each batch in one call when it is accessed")
    func batches() throws {
        try library.run { (context) throws in
            let books = try context.fetchLazily(try Self.request(2))
            #expect(library.store.kinds == [.objectIDs])
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1))
            #expect(books.count == 5)
            #expect(library.takeCalls().all == 0)
            #expect(try books[3].title() == "Dew")
            #expect(try books[2].title() == "Clay")
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 1))
            #expect(try books.map { try $0.title() } == ["Ash", "Bread", "Clay", "Dew", "Elm"])
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 2))
            #expect(books[0] === books[0])
        }
    }

    @Test("without a batch size, all objects are read at once")
    func oneBatch() throws {
        try library.run { (context) throws in
            let books = try context.fetchLazily(try Self.request(0))
            library.takeCalls()
            #expect(try books.map { try $0.title() }.count == 5)
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 1))
        }
    }

    @Test("relationships are prefetched batch by batch")
    func prefetching() throws {
        try library.run { (context) throws in
            var request = try Self.request(3)
            request.relationshipKeyPathsForPrefetching = ["writer"]
            let books = try context.fetchLazily(request)
            library.takeCalls()
            #expect(try books.compactMap { try $0.related("writer").first?.title() } == ["Ada", "Ada", "Ada", "Bo"])
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 4))
        }
    }

    @Test("a lazy fetch includes pending changes, and a saved object keeps its position")
    func pendingChanges() throws {
        try library.run { (context) throws in
            let new = try context.insert("Book")
            try new.setValue("Birch", forKey: "title")
            context.delete(try context.book("Clay"))
            try context.processPendingChanges()
            library.takeCalls()
            let books = try context.fetchLazily(try Self.request(2))
            #expect(library.takeCalls() == CountingStore.Calls(fetch: 1))
            #expect(try books.map { try $0.title() } == ["Ash", "Birch", "Bread", "Dew", "Elm"])
            try context.save()
            #expect(books[1] === new)
        }
    }

    @Test("objects that became faults are read again, a batch at a time")
    func faultsAgain() throws {
        try library.run { (context) throws in
            let books = try context.fetchLazily(try Self.request(2))
            let first = books[0]
            try context.refresh(first, mergingChanges: false)
            library.takeCalls()
            #expect(books[0] === first)
            #expect(!first.isFault)
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 1))
        }
    }

    @Test("a row that is deleted meanwhile doesn't prevent reading the others of its batch")
    func missingRows() throws {
        try library.run { (context) throws in
            context.shouldDeleteInaccessibleFaults = false
            var request = try Self.request(0)
            request.relationshipKeyPathsForPrefetching = ["writer"]
            let books = try context.fetchLazily(request)
            try library.run { (other) throws in
                other.delete(try other.book("Bread"))
                try other.save()
            }
            library.takeCalls()
            let (first, gone) = (books[0], books[1])
            #expect(library.takeCalls() == CountingStore.Calls(snapshots: 2))
            #expect(try first.related("writer")[0].title() == "Ada")
            #expect(gone.isFault)
            #expect(throws: GraphError.self) { try gone.title() }
            #expect(try books[4].title() == "Elm")
        }
    }

    @Test("a class that the objects don't have is an error at once")
    func wrongClass() throws {
        final class Other: ManagedObject {}
        let error = try library.error { context in _ = try context.fetchLazily(FetchRequest<Other>("Book")) }
        #expect(error.code == .invalidRequest)
    }

    // MARK: Asynchronously

    @Test("an asynchronous fetch returns the closure's results and reports its progress")
    func progress() async throws {
        let told = Mutex<[FetchProgress]>([])
        let live = library.coordinator.liveContext()
        let titles = try await live.fetch(
            try Self.request(2),
            progress: { progress in told.withLock { $0.append(progress) } },
            transform: { try $0.title() }
        )
        #expect(titles == ["Ash", "Bread", "Clay", "Dew", "Elm"])
        #expect(told.withLock { $0.map(\.completed) } == [0, 2, 4, 5])
        #expect(told.withLock { $0.allSatisfy { $0.total == 5 } })
        #expect(library.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 3))
    }

    /// Records from callbacks on other threads.
    private final class Notes: Sendable {
        private let count = Mutex(0)
        private let task = Mutex<Task<Void, any Error>?>(nil)

        var number: Int { count.withLock { $0 } }
        var started: Task<Void, any Error>? { task.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
        func keep(_ started: Task<Void, any Error>) { task.withLock { $0 = started } }
    }

    @Test("a cancelled fetch ends between two batches")
    func cancellation() async throws {
        let live = library.coordinator.liveContext()
        let (request, notes) = (try Self.request(1), Notes())
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate {}
            _ = try await live.fetch(
                request,
                progress: { if $0.completed == 2 { notes.started?.cancel() } },
                transform: { book in
                    notes.add()
                    return try book.title()
                }
            )
        }
        notes.keep(task)
        opening.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(notes.number == 2)
        #expect(library.takeCalls() == CountingStore.Calls(fetch: 1, snapshots: 2))
    }

    @Test("the context is available between two batches, and objects deleted meanwhile are left out")
    func interleaving() async throws {
        try library.run { (context) throws in
            for number in 0..<200 { try context.insert("Book").setValue(.string("F\(number)"), forKey: "title") }
            try context.insert("Book").setValue("Z", forKey: "title")
            try context.save()
        }
        let live = library.coordinator.liveContext()
        let notes = Notes()
        let titles = try await live.fetch(
            try Self.request(1),
            progress: { progress in
                // Time for the deletion before the last batch.
                if progress.completed > 0, notes.number == 0 { usleep(50_000) }
                guard progress.completed == 1 else { return }
                notes.keep(
                    Task {
                        try await live.perform { (context) throws in
                            context.delete(try context.book("Z"))
                            try context.save()
                        }
                        notes.add()
                    }
                )
            },
            transform: { try $0.title() }
        )
        try await notes.started?.value
        #expect(titles.count == 205)
        #expect(!titles.contains("Z"))
    }
}
