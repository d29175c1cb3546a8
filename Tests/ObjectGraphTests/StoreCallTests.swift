// SPDX-License-Identifier: Apache-2.0

// The number of store calls, which is part of the engine's specification.

import AtomicStores
import ObjectGraph
import Predicates
import Testing

@Suite("Store calls")
struct StoreCallTests {
    private typealias Calls = CountingStore.Calls

    private let store: CountingStore
    private let coordinator: PersistentStoreCoordinator
    private let user: ManagedObjectID
    private let tag: ManagedObjectID

    /// A user with twenty posts, each with a tag and two pages.
    init() throws {
        let model = try World.model.get()
        store = try CountingStore(TestStore.make(model))
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        (user, tag) = try coordinator.withContext { context in
            let (user, tag) = (try context.insert("User"), try context.insert("Tag"))
            try user.setValue("Anna", forKey: "name")
            for _ in 0..<20 {
                let post = try context.insert("Post")
                try post.relate("author", user)
                try post.relate("tags", tag)
                for _ in 0..<2 { try post.relate("pages", try context.insert("Page")) }
            }
            try context.save()
            return (user.objectID, tag.objectID)
        }
        _ = store.takeCalls()
    }

    @Test("known members are checked by one call for each relationship, for any number of owners")
    func knownMembers() throws {
        let (model, owner) = (coordinator.model, user)
        let (posts, tags) = (
            try #require(model.entity(named: "User")?.relationship(named: "posts")),
            try #require(model.entity(named: "Post")?.relationship(named: "tags"))
        )
        let written = try store.members(of: posts, owners: [owner], at: nil)[0]
        var request = StoreSaveRequest()
        request.known = written.map { post in .init(owner: post, relationship: tags, members: [tag]) }
        request.known.append(.init(owner: owner, relationship: posts, members: written.reversed()))
        var asked: [String] = []
        func conflicts() throws -> StoreConflicts? {
            asked = []
            return try request.conflicts(
                version: { _ in nil },
                holder: { _ in nil },
                members: { relationship, owners in
                    asked.append("\(relationship) of \(owners.count)")
                    return try store.members(of: relationship, owners: owners, at: nil)
                },
                stored: { _ in nil }
            )
        }
        #expect(try conflicts() == nil)
        #expect(asked == ["tags of 20", "posts of 1"])
        for place in [3, 20] {
            let known = request.known[place]
            request.known[place] = .init(owner: known.owner, relationship: known.relationship, members: [])
        }
        let found = try #require(try conflicts())
        #expect(found.members.map(\.owner) == [written[3], owner])
        #expect(found.members.map(\.members) == [[tag], written])
        #expect(asked == ["tags of 20", "posts of 1"])
    }

    @Test("adding to a relationship and removing a known member don't load the others, for any kind")
    func adding() throws {
        try coordinator.withContext { context in
            let (user, tag) = (context.object(with: user), context.object(with: tag))
            for _ in 0..<3 {
                let post = try context.insert("Post")
                try user.relate("posts", post)
                try tag.relate("posts", post)
            }
            let post = try context.insert("Post")
            try user.relate("posts", post)
            try user.unrelate("posts", post)
            #expect(store.takeCalls() == Calls())
            #expect(user.hasFault(forRelationshipNamed: "posts"))
            try context.save()
            #expect(store.takeCalls() == Calls())
            #expect(user.hasFault(forRelationshipNamed: "posts"))
            #expect(try user.related("posts").count == 23)
            #expect(store.takeCalls() == Calls(members: 1))
        }
    }

    @Test("faults of a relationship's objects are filled by one call if they are fetched together")
    func batchOfFaults() throws {
        try coordinator.withContext { context in
            let posts = try context.object(with: user).related("posts")
            #expect(store.takeCalls() == Calls(members: 1))
            let request = FetchRequest<ManagedObject>(
                "Post",
                predicate: try ObjectPredicate("SELF IN %@", posts.map(\.objectID))
            )
            _ = try context.fetch(request)
            for post in posts { _ = try post.value(forKey: "title") }
            #expect(store.takeCalls() == Calls(fetch: 1))
        }
    }

    @Test("a store that gives the same ID to two objects is an error, and nothing is saved")
    func repeatedIDs() throws {
        store.repeatIDs()
        try coordinator.withContext { context in
            for _ in 0..<2 { _ = try context.insert("Tag") }
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.message.hasSuffix("didn't return a distinct ID for each new object.") == true)
            #expect(context.insertedObjects.map(\.objectID.isTemporary) == [true, true])
        }
    }

    @Test("a deletion makes one call for each relationship and level, for any number of objects")
    func deleting() throws {
        try coordinator.withContext { context in
            context.delete(context.object(with: user))
            try context.processPendingChanges()
            #expect(context.deletedObjects.count == 61)
            let calls = store.takeCalls()
            #expect(calls.all < 20, "\(calls)")
        }
    }

    @Test("fetched rows need no second call, and each to-many relationship needs one at its first use")
    func firing() throws {
        try coordinator.withContext { context in
            let posts = try context.fetch(FetchRequest<ManagedObject>("Post"))
            for post in posts { _ = try post.value(forKey: "title") }
            #expect(store.takeCalls() == Calls(fetch: 1))
            _ = try posts[0].related("pages")
            _ = try posts[0].related("pages")
            #expect(store.takeCalls() == Calls(members: 1))
            #expect(try posts[0].related("author").map(\.objectID) == [user])
            #expect(store.takeCalls() == Calls())
        }
    }

    @Test("an object for an ID reads nothing until its values are needed")
    func identity() throws {
        try coordinator.withContext { context in
            let user = context.object(with: user)
            _ = (user.isFault, user.objectID, user.entity, user.hasChanges, user.changedValues)
            #expect(context.registeredObject(for: tag) == nil)
            #expect(store.takeCalls() == Calls())
            _ = try context.existingObject(with: user.objectID)
            _ = try user.value(forKey: "name")
            #expect(store.takeCalls() == Calls(snapshots: 1))
        }
    }
}
