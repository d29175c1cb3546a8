// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Synchronization
import TestSupport
import Testing

@Suite("Change counters")
struct ChangeCounterTests {
    private static func counter(_ coordinator: PersistentStoreCoordinator, _ names: String...) throws -> UInt64 {
        coordinator.changeCounter(of: try names.map { try #require(coordinator.model.entity(named: $0)) })
    }

    private static let changes: [(String, [String], @Sendable (ManagedObjectContext) throws -> Void)] = [
        ("an insertion", ["Book"], { try $0.insert("Book").setValue("New", forKey: "title") }),
        ("an update", ["Book"], { try $0.book("Ash").setValue(1, forKey: "sold") }),
        ("a deletion", ["Book"], { $0.delete(try $0.book("Elm")) }),
        ("a change below", ["Writer"], { try $0.writer("Ada").setValue("Eda", forKey: "name") }),
        ("another owner", ["Book"], { try $0.book("Elm").relate("writer", try $0.writer("Cy")) }),
        ("a pair", ["Book", "Tag"], { try $0.book("Ash").relate("tags", try $0.insert("Tag")) }),
    ]

    @Test("a save changes exactly the counters of the entities that it changed", arguments: changes.indices)
    func saves(place: Int) throws {
        let shop = try Bookshop()
        let (_, changed, change) = Self.changes[place]
        for name in ["Book", "Writer", "Novelist", "Tag", "Editor"] {
            let before = try Self.counter(shop.coordinator, name)
            try shop.run { context in
                try change(context)
                #expect(try Self.counter(shop.coordinator, name) == before)
                try context.save()
            }
            let isChanged = changed.contains(name) || name == "Novelist" && changed.contains("Writer")
            #expect(try (Self.counter(shop.coordinator, name) != before) == isChanged, "\(name)")
            if place == 2 || place == 3 { return }
        }
    }

    @Test("counters change after a batch, another program's changes, and adding a store")
    func others() throws {
        let shop = try Bookshop()
        func isChanged(_ body: () throws -> Void) throws -> [Bool] {
            let before = try ["Book", "Writer", "Page"].map { try Self.counter(shop.coordinator, $0) }
            try body()
            return zip(before, try ["Book", "Writer", "Page"].map { try Self.counter(shop.coordinator, $0) }).map {
                $0 != $1
            }
        }
        #expect(
            try isChanged { try shop.coordinator.execute(BatchInsertRequest("Book", rows: [["title": "New"]])) }
                == [true, false, false]
        )
        var update = BatchUpdateRequest("Book")
        update.propertiesToUpdate = ["sold": .constant(3)]
        #expect(try isChanged { try shop.coordinator.execute(update) } == [true, false, false])
        #expect(
            try isChanged { try shop.coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Book"))) }
                == [true, false, false]
        )
        #expect(
            try isChanged { try shop.coordinator.add(TestStore.make(shop.coordinator.model)) } == [true, true, true]
        )
        #expect(try isChanged {} == [false, false, false])
        #expect(try isChanged { shop.coordinator.remove(shop.store) } == [true, true, true])
        #expect(try shop.coordinator.epoch != Bookshop().coordinator.epoch)
    }

    @Test("a counter taken before reading never hides a later change", arguments: [true, false])
    func hammer(keepsRows: Bool) async throws {
        let model = try Bookshop.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(CountingStore(TestStore.make(model), keepsRowsInMemory: keepsRows))
        let objectID = try coordinator.withContext { context in
            let book = try context.insert("Book")
            try context.save()
            return book.objectID
        }
        let sold = try #require(objectID.entity.attribute(named: "sold"))
        // The value read under a counter: later reads under the same counter must give the same or a newer one.
        let known = SharedValue<[UInt64: Int64]>([:])
        let (isDone, acknowledged) = (SharedValue(false), SharedValue<(UInt64, Int64)>((0, 0)))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...300 {
                    try coordinator.withContext { context in
                        try context.existingObject(with: objectID).setValue(.integer(Int64(number)), forKey: "sold")
                        try context.save()
                    }
                    acknowledged.set((coordinator.changeCounter(of: [objectID.entity]), Int64(number)))
                }
                isDone.set(true)
            }
            for _ in 0..<3 {
                group.addTask {
                    while !isDone.value {
                        let last = acknowledged.value
                        let counter = coordinator.changeCounter(of: [objectID.entity])
                        let row =
                            try coordinator.cachedSnapshot(of: objectID)
                            ?? coordinator.read { try $0.snapshots(of: [objectID])[0] }
                        guard case .integer(let value)? = row?.row[sold] else {
                            Issue.record("no row")
                            return
                        }
                        // An acknowledged save is counted, and no older value is read under its counter.
                        #expect(counter >= last.0 && value >= last.1)
                        known.change { $0[counter] = max($0[counter] ?? 0, value) }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        // Each save counts once: the last counter stands for the final state.
        let final = coordinator.changeCounter(of: [objectID.entity])
        let row = try coordinator.read { try $0.snapshots(of: [objectID])[0] }
        #expect(row?.row[sold] == 300)
        #expect(known.value[final] ?? 300 == 300)
    }
}

/// A value that several threads share.
private final class SharedValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }

    func change(_ body: @Sendable (inout Value) -> Void) { state.withLock { body(&$0) } }
}
