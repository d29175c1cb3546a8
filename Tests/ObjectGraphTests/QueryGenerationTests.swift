// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import Testing

@Suite("Query generations")
struct QueryGenerationTests {
    private let world: World

    init() throws {
        world = try World()
        try world.run { context in
            try context.insert("Post").setValue("First", forKey: "title")
            try context.save()
        }
    }

    /// Changes by another context, which are saved.
    private func elsewhere(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try world.run { context in
            try body(context)
            try context.save()
        }
    }

    private static func titles(_ context: ManagedObjectContext) throws -> [Value] {
        var request = FetchRequest<ManagedObject>("Post")
        request.sortDescriptors = [ObjectSortDescriptor("title")]
        return try context.fetch(request).map { try $0.value(forKey: "title") }
    }

    @Test("a pinned context keeps reading the state of its first read: rows, members, counts")
    func pinned() throws {
        try world.run { context in
            try context.setQueryGeneration(.current)
            #expect(context.queryGenerationToken == nil)
            #expect(try Self.titles(context) == ["First"])
            #expect(context.queryGenerationToken != nil)
            let post = try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first)
            try elsewhere { other in
                let post = try #require(try other.fetch(FetchRequest<ManagedObject>("Post")).first)
                try post.setValue("Changed", forKey: "title")
                try post.relate("tags", try other.insert("Tag"))
                try other.insert("Post").setValue("Second", forKey: "title")
            }
            try context.refresh(post, mergingChanges: false)
            #expect(try post.value(forKey: "title") == "First")
            #expect(try post.related("tags").isEmpty)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 1)
            try context.setQueryGeneration(.unpinned)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 2)
        }
    }

    @Test("a pinned context reads rows that were deleted later")
    func deleted() throws {
        try world.run { context in
            try context.setQueryGeneration(.current)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 1)
            try elsewhere { other in
                for post in try other.fetch(FetchRequest<ManagedObject>("Post")) { other.delete(post) }
            }
            #expect(try Self.titles(context) == ["First"])
        }
    }

    @Test("several contexts can read one state by its token")
    func token() throws {
        let token = try world.coordinator.currentQueryGeneration()
        try elsewhere { try $0.insert("Post").setValue("Second", forKey: "title") }
        for _ in 0..<2 {
            try world.run { context in
                try context.setQueryGeneration(.token(token))
                #expect(try Self.titles(context) == ["First"])
            }
        }
    }

    @Test("a save moves to the latest state, and finds conflicts with saves since the pinned one")
    func saving() throws {
        try world.run { context in
            try context.setQueryGeneration(.current)
            let post = try #require(try context.fetch(FetchRequest<ManagedObject>("Post")).first)
            _ = try post.value(forKey: "title")
            try elsewhere { try $0.insert("Post").setValue("Second", forKey: "title") }
            try post.setValue(7, forKey: "views")
            #expect(try Self.titles(context) == ["First"])
            try context.save()
            #expect(try Self.titles(context) == ["First", "Second"])
            let id = post.objectID
            try elsewhere { try $0.object(with: id).setValue("Theirs", forKey: "title") }
            try post.setValue("Mine", forKey: "title")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test("a reset moves to the latest state")
    func resetting() throws {
        try world.run { context in
            try context.setQueryGeneration(.current)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 1)
            try elsewhere { _ = try $0.insert("Post") }
            context.reset()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 2)
        }
    }

    @Test("a store that was added later isn't visible in a pinned context")
    func laterStore() throws {
        let model = try World.model.get()
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        let later = try TestStore.make(model)
        let filler = PersistentStoreCoordinator(model: model)
        try filler.add(later)
        let id = try filler.withContext { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
        try coordinator.withContext { context in
            try context.setQueryGeneration(.current)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
            try coordinator.add(later)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
            #expect(throws: GraphError.self) { try context.existingObject(with: id) }
            try context.setQueryGeneration(.current)
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 1)
        }
    }

    @Test("a child context can't be pinned")
    func child() throws {
        try world.run { context in
            try context.withChild { child in
                #expect(child.queryGenerationToken == nil)
                let error = #expect(throws: GraphError.self) { try child.setQueryGeneration(.current) }
                #expect(error?.code == .invalidRequest)
            }
        }
    }
}
