// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import Testing

@Suite("Refreshing and resetting")
struct RefreshingTests {
    private let world: World

    init() throws {
        world = try World()
    }

    @Test("a refresh without merging discards all changes, with relationships restored on both sides")
    func refreshWithoutMerging() throws {
        try world.run { context in
            let (anna, bob) = (try context.insert("User"), try context.insert("User"))
            try anna.setValue("Anna", forKey: "name")
            try bob.setValue("Bob", forKey: "name")
            let (post, tag, old) = (try context.insert("Post"), try context.insert("Tag"), try context.insert("Tag"))
            let profile = try context.insert("Profile")
            try post.relate("author", anna)
            try post.relate("tags", old)
            try anna.relate("profile", profile)
            try context.save()

            try post.setValue("Changed", forKey: "title")
            try post.relate("author", bob)
            try post.relate("tags", tag)
            try post.unrelate("tags", old)
            try bob.relate("profile", profile)
            try context.refresh(post, mergingChanges: false)
            #expect(post.isFault && !post.hasChanges)
            #expect(try post.value(forKey: "title") == "Untitled")
            #expect(try post.related("author") == [anna])
            #expect(try post.related("tags") == [old])
            #expect(try anna.related("posts") == [post])
            #expect(try bob.related("posts").isEmpty)
            #expect(try tag.related("posts").isEmpty)
            #expect(!tag.hasChanges && !old.hasChanges)

            try context.refresh(profile, mergingChanges: false)
            #expect(try anna.related("profile") == [profile])
            #expect(try bob.related("profile").isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test("a refresh doesn't revert the effects of another object's deletion")
    func refreshBesideDeletion() throws {
        let id = try world.run { context in
            let (anna, post) = (try context.insert("User"), try context.insert("Post"))
            try anna.setValue("Anna", forKey: "name")
            try post.relate("tags", try context.insert("Tag"))
            try anna.relate("mentor", anna)
            let (student, page) = (try context.insert("User"), try context.insert("Page"))
            try student.setValue("Bob", forKey: "name")
            try student.relate("mentor", anna)
            try post.relate("pages", page)
            try context.save()

            context.delete(anna)
            context.delete(page)
            try context.processPendingChanges()
            try student.setValue(7, forKey: "age")
            try context.refresh(student, mergingChanges: false)
            try context.refresh(post, mergingChanges: false)
            #expect(try student.value(forKey: "age") == .null)
            #expect(try student.related("mentor").isEmpty)
            #expect(try post.related("pages").isEmpty)
            try context.save()
            return student.objectID
        }
        try world.run { (context) throws in
            #expect(try context.existingObject(with: id).related("mentor").isEmpty)
        }
    }

    @Test("new and deleted objects aren't refreshed")
    func newAndDeleted() throws {
        try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try post.setValue("New", forKey: "title")
            try context.refresh(post, mergingChanges: false)
            #expect(try post.value(forKey: "title") == "New")
            try context.save()
            context.delete(tag)
            try context.refresh(tag, mergingChanges: false)
            #expect(tag.isDeleted)
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Tag")) == 0)
        }
    }

    @Test("a reset removes all objects and changes")
    func reset() throws {
        try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            let id = post.objectID
            try post.setValue("Changed", forKey: "title")
            _ = try context.insert("Tag")
            context.reset()
            #expect(!context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            #expect(context.registeredObject(for: id) == nil)
            #expect(post.context == nil)
            #expect(try context.object(with: id).value(forKey: "title") == "Untitled")
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Tag")) == 0)
        }
    }

    @Test(
        "an object from before a reset can be neither read nor changed",
        arguments: ["saved", "changed", "new", "deleted"]
    )
    func forgotten(state: String) throws {
        try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try post.relate("tags", tag)
            if state != "new" { try context.save() }
            if state == "changed" { try post.setValue("Changed", forKey: "title") }
            if state == "deleted" { context.delete(post) }
            context.reset()
            let uses: [() throws -> Void] = [
                { _ = try post.value(forKey: "title") }, { try post.setValue("Lost", forKey: "title") },
                { _ = try post.object(forKey: "author") }, { _ = try post.objects(forKey: "tags") },
                { _ = try post.committedValues() }, { try post.relate("tags", tag) },
                { try post.validateForUpdate() }, { _ = try post.contains(tag, in: try post.relationship("tags")) },
            ]
            let codes = uses.map { use in
                do {
                    try use()
                    return GraphError.Code?.none
                } catch {
                    return (error as? GraphError)?.code
                }
            }
            #expect(codes == uses.map { _ in .invalidRequest })
            #expect(!post.hasChanges && !context.hasChanges && post.changedValues.isEmpty)
        }
    }

    @Test("typed and fetched properties of an object from before a reset are errors at the end of the closure")
    func forgottenTypedProperties() throws {
        let reads: [@Sendable (Shelf.Author) throws -> Bool] = [
            { $0.name == nil }, { $0.home == nil }, { $0.books.isEmpty }, { $0.long.isEmpty },
            { author in
                #expect(throws: GraphError.self) { try author.objects(ofFetchedProperty: "long") }
                #expect(throws: GraphError.self) { try author.value(of: \.name) }
                return author.books.isEmpty
            },
        ]
        for read in reads {
            let error = #expect(throws: GraphError.self) {
                try Shelf.coordinator().withContext { context in
                    let author = try context.insert(Shelf.Author.self)
                    try context.save()
                    context.reset()
                    #expect(try read(author))
                }
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("primitive values don't change the object's state")
    func primitiveValues() throws {
        try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            let title = try #require(post.entity.attribute(named: "title"))
            try post.setPrimitiveValue("Quiet", of: title)
            #expect(post.primitiveValue(of: title) == "Quiet")
            #expect(!post.hasChanges && !context.hasChanges)
            try context.refresh(post, mergingChanges: false)
            #expect(post.primitiveValue(of: title) == .null)
            #expect(post.isFault)
            #expect(try post.value(of: title) == "Untitled")
        }
    }

    @Test("refreshing several objects equals refreshing each one", arguments: [true, false])
    func refreshingSeveral(mergingChanges: Bool) throws {
        try world.run { context in
            let tags = try ["a", "b", "c"].map { name in
                let tag = try context.insert("Tag")
                try tag.setValue(.string(name), forKey: "name")
                return tag
            }
            try context.save()
            let ids = tags.map(\.objectID)
            try world.run { other in
                try other.existingObject(with: ids[0]).setValue("theirs", forKey: "name")
                try other.existingObject(with: ids[1]).setValue("theirs, too", forKey: "name")
                other.delete(try other.existingObject(with: ids[2]))
                try other.save()
            }
            try tags[1].setValue("mine", forKey: "name")
            context.mergesKeepBase = false
            try context.refresh(tags + [try context.insert("Tag"), tags[0]], mergingChanges: mergingChanges)
            #expect(tags[0].isFault != mergingChanges)
            #expect(try tags[0].value(forKey: "name") == "theirs")
            #expect(try tags[1].value(forKey: "name") == .string(mergingChanges ? "mine" : "theirs, too"))
            #expect(tags[1].hasChanges == mergingChanges)
            _ = try tags[2].value(forKey: "name")
            #expect(tags[2].isDeleted)
        }
    }
}
