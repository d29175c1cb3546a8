// SPDX-License-Identifier: Apache-2.0

import ObjectGraph
import Predicates
import Testing

@Suite("Child contexts")
struct ChildContextTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a child sees its parent's pending changes, and its saves become pending there")
    func pending() throws {
        try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            try context.withOpenChild { child in
                let seen = child.object(with: user.objectID)
                #expect(seen !== user)
                #expect(try seen.value(forKey: "name") == "Ann")
                try seen.setValue("Bea", forKey: "name")
                try seen.relate("posts", try child.insert("Post"))
                #expect(try user.value(forKey: "name") == "Ann")
                try child.save()
                #expect(!child.hasChanges)
            }
            #expect(try user.value(forKey: "name") == "Bea")
            let posts = try user.related("posts")
            #expect(posts.count == 1 && posts[0].isInserted && posts[0].objectID.isTemporary)
            #expect(try posts[0].related("author") == [user])
            try context.save()
            #expect(!posts[0].objectID.isTemporary)
        }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Post")) } == 1)
    }

    @Test(
        "an object that a child inserts reaches its parent, even if the parent has its fault already",
        arguments: [false, true]
    )
    func askedBefore(isRead: Bool) throws {
        let archive = try world.run { context in
            context.undoManager = ObjectUndoManager()
            try context.withOpenChild { child in
                let (user, post) = (try child.insert("User"), try child.insert("Post"))
                try user.setValue("Ann", forKey: "name")
                try user.relate("posts", post)
                let early = context.object(with: user.objectID)
                if isRead {
                    #expect(throws: GraphError.self) { try context.existingObject(with: user.objectID) }
                    #expect(try context.snapshots(of: [user.objectID])[0] == nil)
                    #expect(early.isFault)
                }
                try child.save()
                #expect(context.insertedObjects.count == 2)
                #expect(try early.value(forKey: "name") == "Ann")
                #expect(try early.related("posts").map(\.objectID) == [post.objectID])
                try user.setValue("Bea", forKey: "name")
                try child.save()
            }
            return try context.archive()
        }
        try world.run { context in
            context.undoManager = ObjectUndoManager()
            try context.restore(archive)
            try context.save()
            #expect(
                try context.fetch(FetchRequest<ManagedObject>("User")).map { try $0.value(forKey: "name") } == ["Bea"]
            )
        }
    }

    @Test("a child's removal of a member applies even if the parent added it without reading")
    func removedAfterAdding() throws {
        let (postID, tagID) = try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try post.relate("tags", tag)
            try context.save()
            return (post.objectID, tag.objectID)
        }
        try world.run { context in
            try context.object(with: postID).relate("tags", context.object(with: tagID))
            try context.withChild { child in
                try child.object(with: postID).unrelate("tags", child.object(with: tagID))
                try child.save()
            }
            try context.save()
        }
        try world.run { (context) throws in
            #expect(try context.object(with: postID).related("tags").isEmpty)
            #expect(try context.object(with: tagID).related("posts").isEmpty)
        }
    }

    @Test("a child's unsaved changes are dropped, and a grandchild's save reaches only the child")
    func levels() throws {
        try world.run { context in
            let post = try context.insert("Post")
            let postID = post.objectID
            try context.withChild { child in
                try child.object(with: postID).setValue("Lost", forKey: "title")
            }
            #expect(try post.value(forKey: "title") == "Untitled")
            try context.withOpenChild { child in
                try child.withChild { grandchild in
                    try grandchild.object(with: postID).setValue("Deep", forKey: "title")
                    try grandchild.save()
                }
                #expect(try child.object(with: postID).value(forKey: "title") == "Deep")
                #expect(try post.value(forKey: "title") == "Untitled")
                try child.save()
            }
            #expect(try post.value(forKey: "title") == "Deep")
        }
    }

    @Test("a child saves an object that it has related but never read")
    func unread() throws {
        let id = try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            try user.relate("profile", try context.insert("Profile"))
            try context.save()
            return user.objectID
        }
        try world.run { context in
            try context.withChild { child in
                let user = child.object(with: id)
                try user.relate("posts", try child.insert("Post"))
                #expect(user.isFault)
                try child.save()
                #expect(try user.value(forKey: "name") == "Ann")
            }
            try context.save()
            #expect(try context.object(with: id).related("posts").count == 1)
        }
    }

    @Test("a child's deletion applies to its parent, with its consequences")
    func deleting() throws {
        try world.run { context in
            let (post, page) = (try context.insert("Post"), try context.insert("Page"))
            try post.relate("pages", page)
            try context.save()
            let postID = post.objectID
            try context.withChild { child in
                child.delete(child.object(with: postID))
                try child.save()
            }
            #expect(post.isDeleted && page.isDeleted)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Page")) == 0)
        }
    }

    @Test("a child's fetch includes its parent's pending changes, and its save is validated")
    func fetching() throws {
        try world.run { context in
            try context.insert("Post").setValue(5, forKey: "views")
            try context.withChild { child in
                let request = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("views == 5"))
                #expect(try child.fetch(request).count == 1)
                try child.insert("Post").setValue(5, forKey: "views")
                #expect(try child.count(request) == 2)
                try child.insert("User")
                #expect(throws: GraphError.self) { try child.save() }
            }
            #expect(context.insertedObjects.count == 1)
        }
    }
}
