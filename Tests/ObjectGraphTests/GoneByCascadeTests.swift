// SPDX-License-Identifier: Apache-2.0

// Objects that are edited in one context while another deletes them by a cascade.

import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Edits of objects that are deleted by a cascade")
struct GoneByCascadeTests {
    static let model = Model {
        Entity("Folder") {
            Attribute("label", .string)
            Relationship("notes", toMany: "Note", inverse: "folder", deleteRule: .cascade).optional()
            Relationship("links", toMany: "Link", inverse: "folder", deleteRule: .cascade).optional()
        }
        Entity("Note") {
            Attribute("size", .int64).default(0)
            Relationship("folder", toOne: "Folder", inverse: "notes")
        }
        Entity("Link") {
            Attribute("size", .int64).default(0)
            Relationship("folder", toOne: "Folder", inverse: "links").optional()
        }
    }

    let coordinator: PersistentStoreCoordinator
    let live: LiveContext
    let folder: ManagedObjectID
    let note: ManagedObjectID
    let link: ManagedObjectID

    init() throws {
        let model = try ManagedObjectModel(Self.model)
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(try TestStore.make(model))
        (folder, note, link) = try coordinator.withContext { (context) throws in
            let (folder, note, link) = (
                try context.insert("Folder"), try context.insert("Note"), try context.insert("Link")
            )
            try folder.setValue("Drafts", forKey: "label")
            try note.relate("folder", folder)
            try link.relate("folder", folder)
            try context.save()
            return (folder.objectID, note.objectID, link.objectID)
        }
        live = coordinator.liveContext()
    }

    private func edit(_ objectID: ManagedObjectID) async throws {
        try await live.perform { try $0.existingObject(with: objectID).setValue(7, forKey: "size") }
    }

    private func save(_ policy: MergePolicy) async throws {
        try await live.perform { (context) throws in
            context.mergePolicy = policy
            try context.save()
        }
    }

    @Test(
        "an edit of a cascaded object is a conflict, and the store-trump policy gives it up",
        arguments: [true, false]
    )
    func required(isBatch: Bool) async throws {
        try await edit(note)
        if isBatch {
            try coordinator.execute(BatchDeleteRequest(objectIDs: [folder]))
        } else {
            try coordinator.withContext { (context) throws in
                context.delete(try context.existingObject(with: folder))
                try context.save()
            }
        }
        let conflict = await #expect(throws: GraphError.self) { try await save(.error) }
        #expect(conflict?.code == .conflict)
        let invalid = await #expect(throws: GraphError.self) { try await save(.overwrite) }
        #expect(invalid?.failures.map(\.property) == ["folder"])
        try await save(.mergeByPropertyStoreTrump)
        try await live.perform { (context) throws in
            #expect(!context.hasChanges)
            #expect(try context.snapshots(of: [note])[0] == nil)
        }
    }

    @Test("an edited object isn't related to objects that a batch has deleted", arguments: [true, false])
    func optional(knowsFolder: Bool) async throws {
        try await edit(link)
        if knowsFolder {
            try await live.perform { try #expect($0.existingObject(with: link).related("folder").count == 1) }
        }
        try coordinator.execute(BatchDeleteRequest(objectIDs: [folder]))
        try await live.perform { (context) throws in
            #expect(context.updatedObjects.map(\.objectID) == [link])
            #expect(try context.existingObject(with: link).related("folder").isEmpty)
        }
        try await save(.overwrite)
        let sizes = try coordinator.withContext { (context) throws in
            try context.fetch(FetchRequest<ManagedObject>("Link")).map { try $0.value(forKey: "size") }
        }
        #expect(sizes == [7])
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Folder")) } == 0)
    }
}
