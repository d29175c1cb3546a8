// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Synchronization
import Testing

@Suite("Adding stores")
struct StoreAddingTests {
    /// A store that records how many stores its coordinator has when it begins to listen.
    final class WatchedStore: PersistentStore {
        private let base: InMemoryStore
        let seen = Mutex<[Int]>([])
        let coordinator: PersistentStoreCoordinator

        init(_ coordinator: PersistentStoreCoordinator) {
            (base, self.coordinator) = (InMemoryStore(model: coordinator.model), coordinator)
        }

        func observeOtherWriters(for owner: any AnyObject & Sendable, _ tell: @escaping @Sendable (OtherWrites) -> Void)
        {
            seen.withLock { $0.append(coordinator.stores.count) }
            // Has no effect before the store is added.
            tell(.unknown)
        }

        var identifier: UUID { base.identifier }
        var metadata: StoreMetadata { base.metadata }
        var isReadOnly: Bool { base.isReadOnly }
        func setMetadata(_ metadata: StoreMetadata) throws { try base.setMetadata(metadata) }
        func reference(from text: String) -> ManagedObjectID.Reference? { base.reference(from: text) }
        func currentGeneration() throws -> any StoreGeneration { base.currentGeneration() }
        func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
            try base.fetch(request, at: generation)
        }
        func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) throws -> [Snapshot?] {
            base.snapshots(of: objects, at: generation)
        }
        func members(
            of relationship: RelationshipDescription,
            owners: [ManagedObjectID],
            at generation: (any StoreGeneration)?
        ) throws -> [[ManagedObjectID]] {
            base.members(of: relationship, owners: owners, at: generation)
        }
        func permanentIDs(
            for entities: [EntityDescription],
            keeping _: [Int: ManagedObjectID.Reference]
        ) throws -> [ManagedObjectID] {
            base.permanentIDs(for: entities)
        }
        func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
            try base.save(request, commit: commit)
        }
    }

    @Test("a coordinator listens to a store's changes before the store can be read")
    func listening() throws {
        let model = try ManagedObjectModel(Model { Entity("Note") { Attribute("text", .string).optional() } })
        let coordinator = PersistentStoreCoordinator(model: model)
        let store = WatchedStore(coordinator)
        try coordinator.add(store)
        #expect(store.seen.withLock { $0 } == [0])
        #expect(throws: GraphError.self) { try coordinator.add(store) }
        #expect(coordinator.stores.count == 1)
    }

    @Test("a rehearsal without the store's support returns the rows as they would be saved")
    func rehearsal() throws {
        let model = try ManagedObjectModel(Model { Entity("Note") { Attribute("text", .string).optional() } })
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(WatchedStore(coordinator))
        try coordinator.withContext { (context) throws in
            let note = try context.insert("Note")
            try note.setValue("a", forKey: "text")
            let rows = try context.rehearseSave()
            #expect(rows.map(\.version) == [1])
            #expect(rows.map(\.objectID) == [note.objectID])
            #expect(note.isInserted)
            try context.save()
            try note.setValue("b", forKey: "text")
            #expect(try context.rehearseSave().map(\.version) == [2])
            #expect(note.isUpdated)
        }
        #expect(try coordinator.read { try $0.count(FetchRequest("Note")) } == 1)
    }
}
