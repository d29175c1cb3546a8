// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Deleting objects")
struct DeletingTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("cascades go on through cycles and end; what is only related forgets the deleted")
    func cascade() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            let profile = try context.insert("Profile")
            try user.relate("profile", profile)
            let tag = try context.insert("Tag")
            let posts = try (0..<3).map { _ in try context.insert("Post") }
            for post in posts {
                try user.relate("posts", post)
                try post.relate("tags", tag)
                try post.relate("pages", try context.insert("Page"))
            }
            try context.save()
            context.delete(user)
            #expect(!posts[0].isDeleted)
            try context.processPendingChanges()
            #expect(posts.allSatisfy(\.isDeleted) && profile.isDeleted)
            #expect(!tag.isDeleted)
            #expect(try tag.related("posts").isEmpty)
            try context.save()
            for entity in ["User", "Profile", "Post", "Page"] {
                #expect(try context.count(FetchRequest<ManagedObject>(entity)) == 0, "\(entity)")
            }
            #expect(try context.count(FetchRequest<ManagedObject>("Tag")) == 1)
        }
    }

    @Test("deny is judged on all that is deleted together")
    func deny() throws {
        try world.run { context in
            let (post, lock) = (try context.insert("Post"), try context.insert("Lock"))
            try lock.relate("post", post)
            try context.save()
            context.delete(post)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.code) == [.relationshipDeniedDelete])
            #expect(post.isDeleted)
            context.delete(lock)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }

    @Test("what was never saved just goes")
    func neverSaved() throws {
        try world.run { context in
            let (post, user) = (try context.insert("Post"), try context.insert("User"))
            try user.relate("posts", post)
            context.delete(post)
            try context.processPendingChanges()
            #expect(try user.related("posts").isEmpty)
            #expect(context.insertedObjects == [user])
            #expect(context.deletedObjects.isEmpty)
        }
    }
}
