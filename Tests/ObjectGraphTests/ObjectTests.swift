// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import FoundationEssentials
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Objects in a context")
struct ObjectTests {
    let world: World

    init() throws {
        world = try World()
    }

    @Test("a context reads what another one has saved, with one object for each ID")
    func saveAndFetch() throws {
        let id = try world.run { context in
            let user = try context.insert("User")
            try user.setValue("Ann", forKey: "name")
            #expect(user.objectID.isTemporary)
            try context.save()
            #expect(!user.objectID.isTemporary)
            #expect(!context.hasChanges)
            return user.objectID
        }
        try world.run { context in
            let found = try context.fetch(FetchRequest<ManagedObject>("User"))
            #expect(found.map(\.objectID) == [id])
            #expect(found[0].isFault)
            #expect(try found[0].value(forKey: "name") == "Ann")
            #expect(!found[0].isFault)
            #expect(context.object(with: id) === found[0])
        }
    }

    @Test("relationships are read and set by their names, on both sides")
    func relationshipNames() throws {
        try world.run { context in
            let (post, user, tag) = (try context.insert("Post"), try context.insert("User"), try context.insert("Tag"))
            try post.setObject(user, forKey: "author")
            #expect(try post.object(forKey: "author") === user)
            #expect(try user.objects(forKey: "posts") == [post])
            try tag.add(post, forKey: "posts")
            #expect(try post.objects(forKey: "tags") == [tag])
            try post.remove(tag, forKey: "tags")
            #expect(try tag.objects(forKey: "posts") == [])
            try user.setObjects([], forKey: "posts")
            #expect(try post.object(forKey: "author") == nil)
        }
    }

    @Test(
        "a method for another kind of property is an error that names the right method",
        arguments: [("author", "setObject(_:forKey:)"), ("title", "setValue(_:forKey:)"), ("titel", "title")]
    )
    func otherKinds(name: String, remedy: String) throws {
        try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            let error = #expect(throws: GraphError.self) { try post.add(tag, forKey: name) }
            #expect(error?.property == name)
            #expect(error?.hint?.contains(remedy) == true, "\(String(describing: error))")
            #expect(throws: GraphError.self) { try post.object(forKey: "tags") }
            #expect(throws: GraphError.self) { try post.setValue("x", forKey: "author") }
        }
    }

    @Test("a URI refers to its object")
    func uri() throws {
        let id = try world.run { context in
            let tag = try context.insert("Tag")
            try context.save()
            return tag.objectID
        }
        #expect(world.coordinator.objectID(forURI: id.uri) == id)
        for other in ["", "x-coredata://", id.uri + "x", "x-coredata:///Tag/t1", id.uri.replacing("Tag", with: "Gat")] {
            #expect(world.coordinator.objectID(forURI: other) == nil, "\(other)")
        }
    }

    @Test("a URI with a parent entity refers to the object")
    func uriOfParent() throws {
        let id = try world.run { context in
            let admin = try context.insert("Admin")
            try admin.setValue("Ann", forKey: "name")
            try context.insert("Post").relate("author", admin)
            try context.save()
            return admin.objectID
        }
        let found = try #require(world.coordinator.objectID(forURI: id.uri.replacing("Admin", with: "User")))
        #expect(found.entity.name == "Admin" && found.uri == id.uri)
        try world.run { (context) throws in
            #expect(context.object(with: found).entity.name == "Admin")
            let posts = FetchRequest<ManagedObject>("Post", predicate: try ObjectPredicate("author == %@", found))
            #expect(try context.count(posts) == 1)
        }
    }

    @Test("a predicate with an object's temporary ID still finds the object after the save")
    func temporaryReferences() throws {
        try world.run { context in
            let (user, post) = (try context.insert("User"), try context.insert("Post"))
            try user.setValue("Ann", forKey: "name")
            try post.relate("author", user)
            var posts = FetchRequest<ManagedObject>("Post")
            posts.predicate = try ObjectPredicate("author == %@ OR author IN %@", user.objectID, [user.objectID])
            posts.sortDescriptors = [ObjectSortDescriptor("title")]
            let controller = try FetchedResultsController(request: posts, context: context)
            try controller.performFetch()
            #expect(try context.fetch(posts) == [post])
            try context.save()
            #expect(try context.fetch(posts) == [post])
            try user.relate("posts", try context.insert("Post"))
            try context.processPendingChanges()
            #expect(controller.fetchedObjects.count == 2)
            #expect(try context.count(posts) == 2)
        }
    }

    @Test("an object that was deleted or has left its context refuses changes")
    func withoutContext() throws {
        try world.run { context in
            let (user, post) = (try context.insert("User"), try context.insert("Post"))
            try user.setValue("Ann", forKey: "name")
            try context.save()
            context.delete(user)
            let deleted = #expect(throws: GraphError.self) { try post.relate("author", user) }
            #expect(deleted?.message == "Post.author can't refer to a User that was deleted.")
            try context.save()
            #expect(throws: GraphError.self) { try user.setValue("Bea", forKey: "name") }
            context.reset()
            let gone = #expect(throws: GraphError.self) { try post.setValue("Lost", forKey: "title") }
            #expect(gone?.message.hasPrefix("This Post no longer belongs to its context") == true)
            let again = context.object(with: post.objectID)
            #expect(throws: GraphError.self) { try again.relate("pages", try context.insert("Tag")) }
            #expect(throws: GraphError.self) { try again.add(post, to: try again.relationship("pages")) }
        }
    }

    @Test("NaN and infinite numbers are refused")
    func notANumber() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Reading") {
                    Attribute("exact", .double).optional()
                    Attribute("rough", .float).optional()
                    Attribute("price", .decimal).optional()
                    Attribute("at", .date).optional()
                }
            }
        )
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(TestStore.make(model))
        try coordinator.withContext { context in
            let reading = try context.insert("Reading")
            let none = Date(timeIntervalSinceReferenceDate: .nan)
            for (key, value) in [
                ("exact", Value.double(.nan)), ("rough", .double(.nan)), ("rough", .double(1e300)),
                ("price", .double(1.7e308)), ("price", .decimal(.nan)), ("at", .date(none)),
            ] {
                let error = #expect(throws: GraphError.self) { try reading.setValue(value, forKey: key) }
                #expect(error?.code == .wrongType, "\(key)")
            }
            try reading.setValue(.double(.infinity), forKey: "rough")
            try context.save()
        }
    }

    @Test("an unknown key and a value of another type are errors that name them")
    func misuse() throws {
        try world.run { context in
            let post = try context.insert("Post")
            let unknown = #expect(throws: GraphError.self) { try post.setValue("x", forKey: "titel") }
            #expect(unknown?.description == "Post has no property “titel”. Did you mean “title”?")
            let wrong = #expect(throws: GraphError.self) { try post.setValue("x", forKey: "views") }
            #expect(wrong?.message == "Post.views is of type Int64 and can't be \"x\".")
            #expect(throws: GraphError.self) { try context.insert("Pst") }
            let derived = #expect(throws: GraphError.self) { try post.setValue(3, forKey: "tagCount") }
            #expect(derived?.code == .notWritable)
            let tag = try context.insert("Tag")
            let other = #expect(throws: GraphError.self) { try post.relate("author", tag) }
            #expect(other?.message == "The destination of Post.author is User, not Tag.")
            #expect(try post.related("author").isEmpty)
        }
    }

    @Test("a missing row is an error for existingObject, and otherwise reads as a deleted object")
    func missing() throws {
        let id = try world.run { context in
            let tag = try context.insert("Tag")
            try context.save()
            let id = tag.objectID
            context.delete(tag)
            try context.save()
            #expect(tag.context == nil)
            return id
        }
        try world.run { context in
            let error = #expect(throws: GraphError.self) { try context.existingObject(with: id) }
            #expect(error?.code == .objectMissing)
            let ghost = context.object(with: id)
            let name = try ghost.value(forKey: "name")
            #expect(name == .null)
            #expect(ghost.isDeleted)
        }
        try world.run { context in
            context.shouldDeleteInaccessibleFaults = false
            let ghost = context.object(with: id)
            #expect(throws: GraphError.self) { try ghost.value(forKey: "name") }
        }
    }

    @Test("all validation failures are in one error, and nothing is saved")
    func validation() throws {
        let error = #expect(throws: GraphError.self) {
            try world.run { context in
                let user = try context.insert("User")
                try user.setValue(200, forKey: "age")
                let other = try context.insert("User")
                try other.setValue("", forKey: "name")
                do {
                    try context.save()
                } catch {
                    #expect(context.insertedObjects == [user, other])
                    throw error
                }
            }
        }
        #expect(
            error?.failures.map(\.code) == [.missingMandatoryProperty, .numberTooLarge, .stringTooShort]
        )
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("User")) } == 0)
    }

    @Test("a predicate can test the entity, in the store and on pending changes", arguments: [true, false])
    func entityKey(isSaved: Bool) throws {
        try world.run { context in
            for (entity, name) in [("User", "Ann"), ("Admin", "Bea")] {
                try context.insert(entity).setValue(.string(name), forKey: "name")
            }
            if isSaved { try context.save() }
            let admins = FetchRequest<ManagedObject>("User", predicate: try ObjectPredicate("entity == %@", "Admin"))
            #expect(try context.fetch(admins).map { try $0.value(forKey: "name") } == ["Bea"])
        }
    }

    @Test("pending changes are included in a fetch's result, order and window")
    func overlay() throws {
        try world.run { context in
            for views in [10, 20, 30, 40] {
                try context.insert("Post").setValue(.integer(Int64(views)), forKey: "views")
            }
            try context.save()
            var request = FetchRequest<ManagedObject>("Post")
            request.sortDescriptors = [ObjectSortDescriptor("views")]
            request.predicate = try ObjectPredicate("views > 15")
            let posts = try context.fetch(request)
            try posts[0].setValue(5, forKey: "views")
            context.delete(posts[1])
            try context.insert("Post").setValue(35, forKey: "views")
            func views() throws -> [Value] { try context.fetch(request).map { try $0.value(forKey: "views") } }
            #expect(try views() == [35, 40])
            #expect(try context.count(request) == 2)
            request.fetchLimit = 1
            #expect(try views() == [35])
            request.fetchOffset = 1
            #expect(try views() == [40])
            request.includesPendingChanges = false
            request.fetchOffset = 0
            #expect(try context.objectIDs(request) == [posts[0].objectID])
        }
    }

    @Test("an invalid model is refused, with all its errors and their places")
    func unusableModel() throws {
        let error = #expect(throws: ModelProblems.self) {
            try ManagedObjectModel(
                Model {
                    Entity("A") {
                        Attribute("x", .int16).default(70_000)
                        Relationship("b", toMany: "B", inverse: "a")
                    }
                }
            )
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("The model can't be used: "))
        #expect(text.contains("A.x: The default value") && text.contains("A.b: “b” has"))
    }

    @Test(
        "a member that is removed and added again becomes the last, even if members are unread",
        arguments: [true, false]
    )
    func comesBack(fromMember: Bool) throws {
        let world = try World()
        let (postID, pageIDs) = try world.run { context in
            let post = try context.insert("Post")
            let pages = try (0..<3).map { _ in try context.insert("Page") }
            for page in pages { try post.relate("pages", page) }
            try context.save()
            return (post.objectID, pages.map(\.objectID))
        }
        let expected = [pageIDs[1], pageIDs[2], pageIDs[0]]
        try world.run { context in
            let (post, page) = (context.object(with: postID), context.object(with: pageIDs[0]))
            if fromMember {
                try page.relate("post", nil)
                try page.relate("post", post)
            } else {
                try post.unrelate("pages", page)
                try post.relate("pages", page)
            }
            #expect(try post.related("pages").map(\.objectID) == expected)
            try context.save()
        }
        try world.run { (context) throws in
            #expect(try context.object(with: postID).related("pages").map(\.objectID) == expected)
        }
    }
}
