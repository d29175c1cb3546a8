// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Deletion previews")
struct DeletionClosureTests {
    /// Ann with a profile, two posts with pages and tags, and a student.
    private static func fill(_ context: ManagedObjectContext) throws {
        let (ann, ben) = (try context.insert("User"), try context.insert("User"))
        try ann.setValue("Ann", forKey: "name")
        try ben.setValue("Ben", forKey: "name")
        try ben.relate("mentor", ann)
        try ann.relate("profile", context.insert("Profile"))
        let tag = try context.insert("Tag")
        for title in ["One", "Two"] {
            let post = try context.insert("Post")
            try post.setValue(.string(title), forKey: "title")
            try post.relate("author", ann)
            try post.relate("tags", tag)
            for _ in 0..<3 { try post.relate("pages", context.insert("Page")) }
        }
        try context.save()
    }

    private static func user(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        try #require(
            try context.fetch(FetchRequest<ManagedObject>("User", predicate: ObjectPredicate("name == %@", name))).first
        )
    }

    private static func described(_ closure: DeletionClosure) -> [String] {
        var lines = Dictionary(grouping: closure.deleted, by: \.entity.name).map { "deletes \($1.count) \($0)" }
        lines += Dictionary(grouping: closure.nullified) { "\($0.objectID.entity.name).\($0.relationship.name)" }
            .map { "changes \($1.count) \($0)" }
        lines += closure.denied.map { "\($0.objectID.entity.name).\($0.relationship.name) has \($0.count)" }
        return lines.sorted()
    }

    @Test("a deletion preview is computed level by level and changes nothing")
    func levels() throws {
        let world = try World()
        try world.run { try Self.fill($0) }
        try world.run { context in
            let ann = try Self.user("Ann", context)
            let before = world.coordinator.statistics
            let closure = try context.deletionClosure(of: [ann])
            #expect(
                Self.described(closure) == [
                    "changes 1 Tag.posts", "changes 1 User.mentor", "deletes 1 Profile", "deletes 1 User",
                    "deletes 2 Post",
                    "deletes 6 Page",
                ]
            )
            #expect(closure.deleted.first == ann.objectID)
            #expect(!context.hasChanges)
            let after = world.coordinator.statistics
            // Friends, students and posts; and the tags, pages and locks of the posts.
            #expect(after.relationshipFaults.count - before.relationshipFaults.count == 6)
            // One for each level below the first.
            #expect(after.faults.count - before.faults.count == 2)
        }
    }

    @Test("a deletion preview agrees with the deletion", arguments: [false, true])
    func agreement(isPending: Bool) throws {
        let world = try World()
        try world.run { context in
            try Self.fill(context)
            let ann = try Self.user("Ann", context)
            if isPending {
                let post = try context.insert("Post")
                try post.relate("author", ann)
                try Self.user("Ben", context).relate("mentor", nil)
            }
            let closure = try context.deletionClosure(of: [ann])
            if isPending { #expect(!Self.described(closure).contains("changes 1 User.mentor")) }
            let counts = try context.count(FetchRequest<ManagedObject>("Post"))
            #expect(closure.deleted.count { $0.entity.name == "Post" } == counts)
            context.delete(ann)
            try context.processPendingChanges()
            let gone = Set(closure.deleted.filter { !$0.isTemporary })
            #expect(gone == Set(context.deletedObjects.map(\.objectID)))
            #expect(try context.deletionClosure(of: [ann]).deleted.isEmpty)
        }
    }

    @Test("a deletion preview names the objects that deny it and their number")
    func denial() throws {
        let world = try World()
        try world.run { context in
            let post = try context.insert("Post")
            for _ in 0..<25 { try post.relate("locks", context.insert("Lock")) }
            try context.save()
            let closure = try context.deletionClosure(of: [post])
            let denial = try #require(closure.denied.first)
            #expect(denial.objectID == post.objectID && denial.relationship.name == "locks")
            #expect(denial.count == 25 && denial.blockingObjects.count == 20)
            let locks = try post.related("locks")
            #expect(try context.deletionClosure(of: [post] + locks).denied.isEmpty)
            #expect(try context.deletionClosure(of: locks).nullified.map(\.objectID) == [post.objectID])
            context.delete(post)
            let error = #expect(throws: GraphError.self) { try context.save() }
            let failure = try #require(error?.failures.first)
            #expect(failure.blockingCount == 25 && failure.blockingObjects == denial.blockingObjects)
        }
        let error = #expect(throws: GraphError.self) {
            try world.coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Post")))
        }
        #expect(error?.failures.first?.blockingCount == 25)
    }
}
