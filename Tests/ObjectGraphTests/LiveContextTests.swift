// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Live contexts")
struct LiveContextTests {
    let world: World

    init() throws {
        world = try World()
    }

    private func change(_ body: @Sendable (ManagedObject) throws -> Void) throws {
        try world.run { context in
            try body(try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first))
            try context.save()
        }
    }

    /// A live context that has read the only post.
    private func reader() async throws -> (LiveContext, ManagedObjectID) {
        let id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        let live = world.coordinator.liveContext()
        try await live.perform { (context) throws in
            // The undo manager retains the object, so that it is refreshed.
            context.undoManager = ObjectUndoManager()
            try context.existingObject(with: id).setValue("Read", forKey: "title")
            try context.save()
        }
        return (live, id)
    }

    @Test("unchanged objects get the values of other saves, and changed objects keep their changes")
    func updates() async throws {
        let (live, id) = try await reader()
        try await live.perform { try $0.object(with: id).setValue("Mine", forKey: "title") }
        try change { try $0.setValue(7, forKey: "views") }
        try await live.perform { (context) throws in
            let post = context.object(with: id)
            #expect(try post.value(forKey: "views") == 7)
            #expect(try post.value(forKey: "title") == "Mine")
            // No other context has changed the title, so there is no conflict.
            try context.save()
        }
    }

    @Test("a property that both sides changed keeps the own change, and is a conflict when saved")
    func contested() async throws {
        let (live, id) = try await reader()
        try await live.perform { try $0.object(with: id).setValue("Mine", forKey: "title") }
        try change { post in
            try post.setValue("Theirs", forKey: "title")
            try post.setValue(7, forKey: "views")
        }
        try await live.perform { (context) throws in
            let post = context.object(with: id)
            #expect(try post.value(forKey: "views") == 7)
            #expect(try post.value(forKey: "title") == "Mine")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.conflicts.first?.base.row.attributes.first == "Read")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
        }
        try change { (post) throws in #expect(try post.value(forKey: "title") == "Mine") }
    }

    @Test("deleted objects are removed, and loaded relationships are updated")
    func relationships() async throws {
        let (live, id) = try await reader()
        try await live.perform { (context) throws in
            #expect(try context.object(with: id).related("tags").isEmpty)
            #expect(try context.object(with: id).related("pages").isEmpty)
        }
        try change { post in
            let context = try #require(post.context)
            try post.relate("tags", try context.insert("Tag"))
            try post.relate("pages", try context.insert("Page"))
        }
        try await live.perform { (context) throws in
            #expect(try context.object(with: id).related("tags").count == 1)
            #expect(try context.object(with: id).related("pages").count == 1)
        }
        try change { post in post.context?.delete(post) }
        try await live.perform { (context) throws in
            #expect(throws: GraphError.self) { try context.existingObject(with: id) }
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }
}
