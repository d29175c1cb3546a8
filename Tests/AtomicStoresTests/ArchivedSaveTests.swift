// SPDX-License-Identifier: Apache-2.0

// Saves as bytes: a save read from them has the effect of the original.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import StoreConformance
import Testing

@Suite("Archived saves")
struct ArchivedSaveTests {
    private static let kind = StoreKind("saves as bytes", without: [.reopening, .readOnly, .notes]) { model, _, _ in
        ArchivingStore(InMemoryStore(model: model), model)
    }

    @Test("an archived save passes every conformance case", arguments: ConformanceRun.all(on: [kind]))
    func conforms(run: ConformanceRun) async throws { try await run() }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            Model {
                Entity("Statue") {
                    Attribute("name", .string).optional()
                    Attribute("worth", .int64).optional()
                }
            }
        )
    }

    @Test("an archived save skips missing rows and is based on the current rows")
    func overtaken() throws {
        let model = try Self.model()
        let store = InMemoryStore(model: model)
        let statue = try #require(model.entity(named: "Statue"))
        let name = try #require(statue.attribute(named: "name")).slot
        let worth = try #require(statue.attribute(named: "worth")).slot
        let ids = store.permanentIDs(for: [statue, statue, statue])
        func row(_ text: String) -> Row {
            var row = Row(
                attributes: Array(repeating: .null, count: statue.attributes.count),
                toOnes: Array(repeating: nil, count: statue.toOnes.count)
            )
            row.attributes[name] = .string(text)
            return row
        }
        var insertion = StoreSaveRequest()
        insertion.insertions = ids.prefix(2).map { .init(objectID: $0, row: row("old")) }
        _ = try store.save(insertion)
        var request = StoreSaveRequest()
        for id in [ids[0], ids[2]] {
            request.updates.append(.init(objectID: id, version: 1, row: row("new"), attributes: [name], toOnes: []))
        }
        request.deletions = [.init(objectID: ids[1], version: 1), .init(objectID: ids[2], version: 1)]
        let archived = try ArchivedSave(request, in: model)
        var change = StoreSaveRequest()
        var changed = row("other")
        changed.attributes[worth] = 7
        change.updates = ids.prefix(2).map {
            .init(objectID: $0, version: 1, row: changed, attributes: [name, worth], toOnes: [])
        }
        _ = try store.save(change)
        let late = try archived.request(in: model, of: store.identifier) { store.snapshots(of: $0, at: nil) }
        guard case .saved = try store.save(late) else {
            Issue.record("It has conflicts")
            return
        }
        let rows = store.snapshots(of: ids, at: nil)
        #expect(rows[0]?.row.attributes[name] == "new")
        #expect(rows[0]?.row.attributes[worth] == 7)
        #expect(rows[1] == nil)
        #expect(rows[2] == nil)
    }

    @Test("reading an archived save from damaged bytes fails")
    func damaged() throws {
        let model = try Self.model()
        let statue = try #require(model.entity(named: "Statue"))
        let id = InMemoryStore(model: model).permanentIDs(for: [statue])[0]
        var request = StoreSaveRequest()
        request.deletions = [.init(objectID: id, version: 1)]
        let bytes = try ArchivedSave(request, in: model).bytes
        for cut in bytes.indices {
            #expect(throws: GraphError.self) {
                try ArchivedSave(bytes: Array(bytes[..<cut])).request(in: model, of: UUID()) { $0.map { _ in nil } }
            }
        }
    }
}

/// A store that performs each save from its archived bytes.
private final class ArchivingStore: PersistentStore {
    private let inner: InMemoryStore
    private let model: ManagedObjectModel

    init(_ inner: InMemoryStore, _ model: ManagedObjectModel) {
        self.inner = inner
        self.model = model
    }

    var identifier: UUID { inner.identifier }
    var metadata: StoreMetadata { inner.metadata }
    var isReadOnly: Bool { false }

    func setMetadata(_ metadata: StoreMetadata) throws { try inner.setMetadata(metadata) }

    func reference(from text: String) -> ManagedObjectID.Reference? { inner.reference(from: text) }

    func currentGeneration() -> any StoreGeneration { inner.currentGeneration() }

    func permanentIDs(
        for entities: [EntityDescription],
        keeping _: [Int: ManagedObjectID.Reference]
    ) -> [ManagedObjectID] {
        inner.permanentIDs(for: entities)
    }

    func fetch(_ request: StoreFetchRequest, at generation: (any StoreGeneration)?) throws -> StoreFetchResult {
        try inner.fetch(request, at: generation)
    }

    func snapshots(of objects: [ManagedObjectID], at generation: (any StoreGeneration)?) -> [Snapshot?] {
        inner.snapshots(of: objects, at: generation)
    }

    func members(
        of relationship: RelationshipDescription,
        owners: [ManagedObjectID],
        at generation: (any StoreGeneration)?
    ) -> [[ManagedObjectID]] {
        inner.members(of: relationship, owners: owners, at: generation)
    }

    func save(_ request: StoreSaveRequest, commit: Commit<[Snapshot]>) throws -> StoreSaveResult {
        let rehearsed = try inner.rehearse(request)
        if case .conflicts = rehearsed { return rehearsed }
        let archived = try ArchivedSave(bytes: ArchivedSave(request, in: model).bytes)
        return try inner.save(
            archived.request(in: model, of: identifier) { inner.snapshots(of: $0, at: nil) },
            commit: commit
        )
    }
}
