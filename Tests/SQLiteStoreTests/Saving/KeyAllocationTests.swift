// SPDX-License-Identifier: Apache-2.0

// Keys for new rows while others wait for theirs.

import Dispatch
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteDriver
import Synchronization
import Testing

@testable import SQLiteStore

@Suite("Key allocation")
struct KeyAllocationTests {
    @Test(
        "a batch uses available keys while another thread waits for the writer to reserve more",
        .timeLimit(.minutes(1))
    )
    func batch() throws {
        try Shop.open { shop in
            // Uses part of a range, so that some keys are left.
            try shop.coordinator.withContext { context in
                try context.insert("Tag").setValue("a", forKey: "name")
                try context.save()
            }
            let tag = try #require(shop.coordinator.model.entity(named: "Tag"))
            let others = Mutex<[ManagedObjectID]>([])
            let done = DispatchSemaphore(value: 0)
            let given = Mutex<[ManagedObjectID]>([])
            let count = Atomic(0)
            let store = shop.store
            let request = BatchInsertRequest("Tag") {
                guard count.add(1, ordering: .relaxed).newValue == 1 else { return nil }
                Thread.detachNewThread {
                    let ids = try? store.permanentIDs(for: Array(repeating: tag, count: 5_000))
                    others.withLock { $0 = ids ?? [] }
                    done.signal()
                }
                while store.database.waitingWriteCount == 0 { usleep(1_000) }
                let ids = try store.permanentIDs(for: [tag])
                given.withLock { $0 = ids }
                return ["name": "b"]
            }
            #expect(try shop.coordinator.execute(request).count == 1)
            done.wait()
            let all = others.withLock { $0 } + given.withLock { $0 }
            #expect(all.count == 5_001 && Set(all).count == 5_001)
        }
    }

    @Test("a key that was never issued or reserved can be kept, also across processes")
    func keeping() throws {
        try StoreCopy.inFolder { folder in
            let path = folder + "/Shop.sqlite"
            let (one, two) = (try Shop(path: path), try Shop(path: path))
            let identities = Mutex(0)
            func insert(_ number: Int64?, into shop: Shop) throws -> Int64? {
                let name = identities.withLock { count in
                    count += 1
                    return "kept \(count)"
                }
                let identity = number.flatMap { RetainedReference(reference: .integer($0), version: 2) }
                let objectID = try shop.coordinator.withContext { context in
                    let object = try context.insert("Tag")
                    try object.setValue(.string(name), forKey: "name")
                    try context.keep(identity, for: object)
                    try context.save()
                    return object.objectID
                }
                guard case .integer(let key)? = objectID.reference else { return nil }
                return key
            }
            // The first store reserves a range, of which it may keep keys that it hasn't issued.
            let first = try #require(try insert(nil, into: one))
            #expect(try insert(first + 5, into: one) == first + 5)
            // The second store reserves another range, which the first can't know.
            let second = try #require(try insert(nil, into: two))
            #expect(second > first + 5)
            #expect(try insert(second + 5, into: one) != second + 5)
            #expect(try insert(second + 5, into: two) == second + 5)
            // Unused keys of the first store's range are free for both.
            #expect(try insert(first + 7, into: two) == first + 7)
            #expect(try insert(first + 7, into: one) != first + 7)
            #expect(try insert(10_000, into: one) == 10_000)
            #expect(try insert(9_000, into: two) == 9_000)
            #expect(try #require(try insert(nil, into: one)) > 10_000)
            for number in [0, -3, RetainedReference.limit, .max] {
                #expect(try #require(try insert(number, into: one)) > 10_000)
            }
            #expect(RetainedReference(reference: .integer(1), version: .max) == nil)
            let found = try one.store.check()
            #expect(found.isEmpty, "\(found.map(\.message))")
        }
    }

    @Test("a save is in conflict if its kept key was used meanwhile, and then gets another key")
    func keptMeanwhile() throws {
        try Shop.open { shop in
            let tag = try #require(shop.coordinator.model.entity(named: "Tag"))
            func request(_ name: String) throws -> StoreSaveRequest {
                let id = try shop.store.permanentIDs(for: [tag], keeping: [0: .integer(500)])[0]
                let slot = try #require(tag.attribute(named: "name")).slot
                let values = tag.attributes.map { $0.slot == slot ? Value.string(name) : .null }
                let row = Row(attributes: values, toOnes: tag.toOnes.map { _ in nil })
                var request = StoreSaveRequest()
                request.insertions = [.init(objectID: id, row: row, keepsReference: id.reference == .integer(500))]
                return request
            }
            let (one, two) = (try request("a"), try request("b"))
            guard case .saved = try shop.store.save(one) else { throw StoreError.noKeys(1) }
            let error = #expect(throws: GraphError.self) { try shop.store.save(two) }
            #expect(error?.code == .conflict)
            guard case .saved(let rows) = try shop.store.save(request("b")) else { throw StoreError.noKeys(1) }
            #expect(rows[0].objectID.reference != .integer(500))
        }
    }

    @Test("a read-only store refuses to issue keys and to save")
    func readOnly() throws {
        try StoreCopy.inFolder { folder in
            let path = folder + "/Shop.sqlite"
            _ = try Shop(path: path)
            var options = SQLiteStoreOptions()
            options.isReadOnly = true
            let shop = try Shop(path: path, options)
            let tag = try #require(shop.coordinator.model.entity(named: "Tag"))
            #expect(throws: StoreError.self) { try shop.store.permanentIDs(for: [tag]) }
            do {
                _ = try shop.store.save(StoreSaveRequest.deleting(tag, in: shop.store))
                Issue.record("It was written.")
            } catch {
                #expect((error as? StoreError)?.graphCode == .readOnly)
            }
        }
    }
}

extension StoreSaveRequest {
    fileprivate static func deleting(_ entity: EntityDescription, in store: SQLiteStore) -> StoreSaveRequest {
        var request = StoreSaveRequest()
        let objectID = ManagedObjectID(entity: entity, store: store.identifier, reference: .integer(1))
        request.deletions = [.init(objectID: objectID, version: 1)]
        return request
    }
}
