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

@Suite("Keys")
struct KeyAllocationTests {
    @Test(
        "that are there are given to a batch's rows while somebody waits for the writer to get more of them",
        .timeLimit(.minutes(1))
    )
    func batch() throws {
        try Shop.open { shop in
            // A range is begun, of which some are left.
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

    @Test("of a store that is only read are refused as such, as all that would write it")
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
