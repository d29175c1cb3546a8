// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("Work limits")
struct WorkLimitsTests {
    private static let passed = WorkLimits(deadline: .now - .seconds(1))
    private static let given = WorkLimits(isCancelled: { true })

    /// Limits that are cancelled at the n-th check.
    private static func cancelled(after count: Int) -> WorkLimits {
        let left = Mutex(count)
        return WorkLimits(isCancelled: {
            left.withLock { left in
                left -= 1
                return left < 0
            }
        })
    }

    private static func count(_ coordinator: PersistentStoreCoordinator, _ entity: String = "Book") throws -> Int {
        try coordinator.read { try $0.count(FetchRequest(entity)) }
    }

    @Test(
        "a limit ends every kind of store call with its own error code",
        arguments: [(passed, GraphError.Code.deadline), (given, .cancelled)]
    )
    func codes(limits: WorkLimits, code: GraphError.Code) throws {
        let shop = try Bookshop()
        let writer = try shop.run { try $0.writer("Ada").objectID }
        let books = try #require(writer.entity.relationship(named: "books"))
        let works: [@Sendable () throws -> Void] = [
            { _ = try shop.run { try $0.fetch(FetchRequest("Book")).count } },
            { _ = try shop.coordinator.read { try $0.objectIDs(FetchRequest("Book")) } },
            { _ = try shop.coordinator.read { try $0.snapshots(of: [writer]) } },
            { _ = try shop.coordinator.read { try $0.related(along: books, owners: [writer]) } },
            { _ = try shop.coordinator.read(pinned: true) { try $0.count(FetchRequest("Book")) } },
            {
                try shop.run { context in
                    try context.insert("Book")
                    try context.save()
                }
            },
            { try shop.coordinator.execute(BatchInsertRequest("Book", rows: [["title": "New"]])) },
            {
                var update = BatchUpdateRequest("Book")
                update.propertiesToUpdate = ["sold": .constant(0)]
                try shop.coordinator.execute(update)
            },
            { try shop.coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Book"))) },
        ]
        for (place, work) in works.enumerated() {
            let error = #expect(throws: GraphError.self) { try limits.hold(work) }
            #expect(error?.code == code, "\(place)")
        }
        #expect(try Self.count(shop.coordinator) == 5)
        for work in works { try work() }
    }

    @Test("limits apply within their closure only, and inner ones replace outer ones")
    func nesting() throws {
        #expect(WorkLimits.current == nil)
        Self.passed.hold {
            #expect(throws: GraphError.self) { try WorkLimits.check() }
            #expect(throws: Never.self) {
                try WorkLimits(deadline: .now + .seconds(60)).hold { try WorkLimits.check() }
            }
        }
        #expect(throws: Never.self) { try WorkLimits.check() }
    }

    @Test("limits are checked while objects are evaluated in memory")
    func evaluation() throws {
        let shop = try Bookshop()
        let rows: [[String: Value]] = (0..<5_000).map { ["title": .string("Book \($0)")] }
        try shop.coordinator.execute(BatchInsertRequest("Book", rows: rows))
        let request = try FetchRequest("Book", where: "title MATCHES '.*77' OR ANY tags.name == 'x'")
        // Once at the call, and again during the evaluation.
        let error = #expect(throws: GraphError.self) {
            try Self.cancelled(after: 2).hold { try shop.coordinator.read { try $0.snapshots(request) } }
        }
        #expect(error?.code == .cancelled)
        #expect(try shop.coordinator.read { try $0.snapshots(request).count } == 50)
    }

    @Test("limits are checked while a single object with many related ones is evaluated")
    func longEvaluation() throws {
        let shop = try Bookshop()
        try shop.run { context in
            let tag = try context.insert("Tag")
            for _ in 0..<500 { try tag.add(context.insert("Book"), forKey: "books") }
            try context.save()
        }
        let request = try FetchRequest("Tag", where: "ANY books.tags.books.title == 'none'")
        let books = try #require(shop.coordinator.model.entity(named: "Tag")?.relationship(named: "books"))
        let tags = try shop.coordinator.read { try $0.objectIDs(FetchRequest("Tag")) }
        let hostile = RelatedRequest(predicate: try ObjectPredicate("ANY tags.books.tags.books.title == 'none'"))
        let works: [@Sendable (CoordinatorReader) throws -> Void] = [
            { _ = try $0.snapshots(request) },
            { _ = try $0.related(along: books, owners: tags, matching: hostile) },
        ]
        for work in works {
            let error = #expect(throws: GraphError.self) {
                try Self.cancelled(after: 20).hold { try shop.coordinator.read { try work($0) } }
            }
            #expect(error?.code == .cancelled)
        }
    }

    @Test("a limit doesn't stop a save after it has begun in one store")
    func severalStores() throws {
        let shop = try Bookshop(spansStores: true)
        let second = try #require(shop.second)
        let limits = WorkLimits(isCancelled: { shop.store.savesDone + second.savesDone > 0 })
        try shop.run { context in
            for store in [shop.store, second] {
                let book = try context.insert("Book")
                try context.assign(book, to: store)
            }
            try limits.hold { try context.save() }
        }
        #expect(try Self.count(shop.coordinator) == 7)
        #expect(throws: GraphError.self) { try limits.hold { try Self.count(shop.coordinator) } }
    }

    @Test("limits don't apply to observers of a save or to live contexts that merge it")
    func others() async throws {
        let shop = try Bookshop()
        let coordinator = shop.coordinator
        let counts = Mutex<[Int?]>([])
        let live = coordinator.liveContext()
        let title = try await live.perform { try $0.book("Ash").objectID }
        let observation = coordinator.observe { _ in
            let count = try? Self.count(coordinator)
            counts.withLock { $0.append(count) }
        }
        defer { coordinator.remove(observation) }
        let limits = WorkLimits(isCancelled: { shop.store.savesDone > 0 })
        try limits.hold {
            try shop.run { context in
                try context.book("Ash").setValue(77, forKey: "sold")
                try context.save()
            }
        }
        let sold = try await live.perform { try $0.existingObject(with: title).value(forKey: "sold") }
        #expect(sold == 77)
        #expect(counts.withLock { $0 } == [5])
    }
}
