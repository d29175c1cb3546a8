// SPDX-License-Identifier: Apache-2.0

// Notes of saves in the engine: their content, and the store that stores them.

import AtomicStores
import FoundationEssentials
import ObjectGraph
import Predicates
import StoreConformance
import Synchronization
import Testing

@Suite("Notes of saves")
struct NoteTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a note is made from the saved rows, under their permanent IDs")
    func rows() throws {
        let told = Mutex<[String]>([])
        try world.run { context in
            let (post, user) = (try context.insert("Post"), try context.insert("User"))
            try user.setValue("Ann", forKey: "name")
            try post.relate("author", user)
            try post.relate("tags", try context.insert("Tag"))
            let (postID, userID) = (post.objectID, user.objectID)
            try context.save {
                PendingNote(key: "a") { rows in
                    let row = try #require(rows[postID])
                    #expect(row.version == 1)
                    #expect(row.row.toOnes == [rows[userID]?.objectID])
                    #expect(row.objectID == rows.permanentID(of: postID))
                    #expect(rows[row.objectID]?.objectID == row.objectID)
                    let slot = try #require(row.objectID.entity.attribute(named: "tagCount")).slot
                    told.withLock { $0 = [row.objectID.uri, "\(row.row.attributes[slot])"] }
                    return [1]
                }
            }
            let count = try post.value(forKey: "tagCount")
            #expect(told.withLock(\.self) == [post.objectID.uri, "\(count)"])
            #expect(count == 1)
        }
        #expect(try world.coordinator.note("a")?.content == [1])
        #expect(try world.coordinator.note("b") == nil)
        #expect(try world.coordinator.note("a", since: .distantFuture) == nil)
    }

    @Test("a note is made again if the merge policy changes the save")
    func rounds() throws {
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        try world.run { context in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let post = try context.existingObject(with: id)
            try post.setValue("mine", forKey: "title")
            try world.run { other in
                try other.existingObject(with: id).setValue(7, forKey: "views")
                try other.save()
            }
            let seen = Mutex<[String]>([])
            try context.save { () throws(GraphError) in
                let views = try context.existingObject(with: id).value(forKey: "views")
                seen.withLock { $0.append("\(views)") }
                return PendingNote(key: "a") { rows in Array("\(rows[id]?.version ?? 0)".utf8) }
            }
            #expect(seen.withLock(\.self) == ["\(Value.integer(0))", "\(Value.integer(7))"])
        }
        #expect(try world.coordinator.note("a")?.content == Array("3".utf8))
    }

    @Test("a save with a used key leaves the context unchanged")
    func taken() throws {
        try world.run { context in
            try context.save { PendingNote(key: "a") { _ in [] } }
            let tag = try context.insert("Tag")
            let error = #expect(throws: GraphError.self) { try context.save { PendingNote(key: "a") { _ in [] } } }
            #expect(error?.code == .noteTaken)
            #expect(tag.isInserted && tag.objectID.isTemporary)
            try context.save { PendingNote(key: "b") { _ in [] } }
            #expect(!tag.objectID.isTemporary)
        }
    }

    @Test("a child's save with a note is refused, and its parent's save stores one")
    func children() throws {
        try world.run { context in
            try context.withChild { child in
                _ = try child.insert("Tag")
                let error = #expect(throws: GraphError.self) { try child.save { PendingNote(key: "a") { _ in [] } } }
                #expect(error?.code == .noteUnkept)
                #expect(child.hasChanges)
                try child.save()
            }
            try context.save { PendingNote(key: "a") { _ in [] } }
        }
        #expect(try world.coordinator.note("a") != nil)
    }

    @Test("a note is stored with the saved rows, or in the deciding store if there are several")
    func severalStores() throws {
        let second = try TestStore.make(world.coordinator.model)
        try world.coordinator.add(second)
        try world.run { context in
            let tag = try context.insert("Tag")
            try context.assign(tag, to: second)
            try context.save { PendingNote(key: "second") { _ in [2] } }
            try context.save { PendingNote(key: "none") { _ in [1] } }
            try tag.setValue("new", forKey: "name")
            _ = try context.insert("Tag")
            try context.save { PendingNote(key: "both") { _ in [3] } }
        }
        #expect(try world.coordinator.note("both")?.content == [3])
        #expect(try second.note("second") != nil)
        #expect(try second.note("none") == nil)
        #expect(try world.coordinator.note("second")?.content == [2])
        #expect(try world.coordinator.note("none")?.content == [1])
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 2)
    }

    @Test("a batch over several stores stores a note, and a batch in chunks with a note is refused")
    func batches() throws {
        let note = PendingNote<BatchResult>(key: "a") { _ in [] }
        var insert = BatchInsertRequest("Tag", rows: [["name": "a"]])
        insert.chunkSize = 1
        let inChunks = #expect(throws: GraphError.self) { try world.coordinator.execute(insert, noting: note) }
        #expect(inChunks?.code == .invalidRequest)
        try world.coordinator.execute(BatchDeleteRequest(objectIDs: []), noting: note)
        #expect(try world.coordinator.note("a") != nil)
        try world.coordinator.add(TestStore.make(world.coordinator.model))
        let other = PendingNote<BatchResult>(key: "b") { _ in [] }
        let all = BatchDeleteRequest(FetchRequest<ManagedObject>("Tag"))
        try world.coordinator.execute(all, noting: other)
        #expect(try world.coordinator.note("b") != nil)
    }

    @Test("a store without notes refuses a save with one and saves nothing")
    func unkept() throws {
        let model = world.coordinator.model
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(PlainStore(InMemoryStore(model: model)))
        try coordinator.withContext { context in
            _ = try context.insert("Tag")
            let error = #expect(throws: GraphError.self) { try context.save { PendingNote(key: "a") { _ in [] } } }
            #expect(error?.code == .noteUnkept)
            #expect(context.hasChanges)
        }
        let batch = BatchInsertRequest("Tag", rows: [["name": "a"]])
        let note = PendingNote<BatchResult>(key: "a") { _ in [] }
        let error = #expect(throws: GraphError.self) { try coordinator.execute(batch, noting: note) }
        #expect(error?.code == .noteUnkept)
        #expect(try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Tag")) } == 0)
    }
}
