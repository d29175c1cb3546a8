// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ObjectGraph
import Predicates
import Synchronization
import Testing

@Suite("Limits on work")
struct WorkLimitsTests {
    private static let passed = WorkLimits(deadline: .now - .seconds(1))
    private static let given = WorkLimits(isCancelled: { true })

    /// A cancellation that is noticed when it was asked for the n-th time.
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
        "end every call to a store with a code of their own",
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

    @Test("hold for the closure alone, inner ones in the place of outer ones")
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

    @Test("are looked at while objects are evaluated in memory")
    func evaluation() throws {
        let shop = try Bookshop()
        let rows: [[String: Value]] = (0..<5_000).map { ["title": .string("Book \($0)")] }
        try shop.coordinator.execute(BatchInsertRequest("Book", rows: rows))
        let request = try FetchRequest("Book", where: "title MATCHES '.*77' OR ANY tags.name == 'x'")
        // Once at the call, and then while it goes on.
        let error = #expect(throws: GraphError.self) {
            try Self.cancelled(after: 2).hold { try shop.coordinator.read { try $0.snapshots(request) } }
        }
        #expect(error?.code == .cancelled)
        #expect(try shop.coordinator.read { try $0.snapshots(request).count } == 50)
    }

    @Test("are looked at while one object is evaluated that leads to many")
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

    @Test("of a save that has begun in one store don't end it in another")
    func severalStores() throws {
        let shop = try Bookshop(isSpread: true)
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

    @Test("bind neither those who hear of a save nor live contexts that merge it")
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
