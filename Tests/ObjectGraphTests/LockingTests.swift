// SPDX-License-Identifier: Apache-2.0

import AtomicStores
import ObjectGraph
import Predicates
import Testing

@Suite("Conflict detection for unchanged objects")
struct LockingTests {
    private let world: World
    private let id: ManagedObjectID

    init() throws {
        world = try World()
        id = try world.run { context in
            let post = try context.insert("Post")
            try context.save()
            return post.objectID
        }
    }

    private func changeElsewhere() throws {
        try world.run { [id] context in
            try context.object(with: id).setValue("Theirs", forKey: "title")
            try context.save()
        }
    }

    private func deleteElsewhere() throws {
        try world.run { [id] context in
            context.delete(context.object(with: id))
            try context.save()
        }
    }

    @Test("an object with detectConflicts is checked by the save although it is unchanged")
    func locked() throws {
        try world.run { context in
            let post = context.object(with: id)
            try context.detectConflicts(for: post)
            try changeElsewhere()
            _ = try context.insert("Tag")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
            #expect(error?.conflicts.map(\.objectID) == [id])
            #expect(error?.conflicts.first?.stored?.row.attributes.first == "Theirs")
            #expect(context.insertedObjects.count == 1)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try post.value(forKey: "title") == "Theirs")
            #expect(!context.hasChanges)
        }
    }

    @Test("an object with detectConflicts that another context deleted is a conflict")
    func deleted() throws {
        try world.run { context in
            try context.detectConflicts(for: context.object(with: id))
            try deleteElsewhere()
            _ = try context.insert("Tag")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
            context.mergePolicy = .overwrite
            try context.save()
            #expect(try context.count(FetchRequest<ManagedObject>("Post")) == 0)
        }
    }

    @Test("an object with detectConflicts of which only members are changed is checked by the save")
    func members() throws {
        try world.run { context in
            let post = context.object(with: id)
            try context.detectConflicts(for: post)
            try post.relate("tags", try context.insert("Tag"))
            try post.relate("pages", try context.insert("Page"))
            try changeElsewhere()
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
            #expect(error?.conflicts.map(\.objectID) == [id])
            #expect(throws: GraphError.self) { try context.rehearseSave() }
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try post.value(forKey: "title") == "Theirs")
            #expect(try post.related("tags").count == 1)
        }
    }

    @Test("a save that writes nothing has no conflict, even with detectConflicts")
    func nothing() throws {
        try world.run { context in
            let post = context.object(with: id)
            try context.detectConflicts(for: post)
            try post.setValue("Mine", forKey: "title")
            try post.setValue("Untitled", forKey: "title")
            try changeElsewhere()
            try context.save()
        }
    }

    @Test("detectConflicts applies to one save only")
    func once() throws {
        try world.run { context in
            let post = context.object(with: id)
            try context.detectConflicts(for: post)
            _ = try context.insert("Tag")
            try context.save()
            try changeElsewhere()
            _ = try context.insert("Tag")
            try context.save()
        }
    }

    @Test("a child's detectConflicts applies to its parent's save")
    func child() throws {
        try world.run { context in
            try context.withChild { child in
                try child.detectConflicts(for: child.object(with: id))
                _ = try child.insert("Tag")
                try child.save()
            }
            try changeElsewhere()
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test("detectConflicts in a child applies to its parent's save, even if the child changes members")
    func childMembers() throws {
        try world.run { context in
            try context.withChild { child in
                let post = child.object(with: id)
                try child.detectConflicts(for: post)
                try post.relate("tags", try child.insert("Tag"))
                try child.save()
            }
            try changeElsewhere()
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test("permanent IDs can be obtained before the save, and relationships refer to them")
    func permanentIDs() throws {
        let (postID, tagID) = try world.run { context in
            let (post, tag) = (try context.insert("Post"), try context.insert("Tag"))
            try post.relate("tags", tag)
            let page = try context.insert("Page")
            try page.relate("post", post)
            let temporary = post.objectID
            try context.obtainPermanentIDs(for: [post, tag, post])
            #expect(!post.objectID.isTemporary && !tag.objectID.isTemporary && page.objectID.isTemporary)
            #expect(post.isInserted)
            #expect(context.object(with: temporary) === post)
            #expect(try page.related("post") == [post])
            #expect(try post.related("tags") == [tag])
            let id = post.objectID
            try context.save()
            #expect(post.objectID == id)
            return (post.objectID, tag.objectID)
        }
        try world.run { (context) throws in
            #expect(try context.existingObject(with: postID).related("tags").map(\.objectID) == [tagID])
            #expect(try context.object(with: postID).related("pages").count == 1)
        }
    }

    @Test("a child's objects can obtain permanent IDs, before and after saving to the parent")
    func permanentIDsOfChildren() throws {
        let ids = try world.run { context in
            let ids = try context.withChild { child in
                let (post, page) = (try child.insert("Post"), try child.insert("Page"))
                try page.relate("post", post)
                try child.obtainPermanentIDs(for: [post])
                try child.save()
                #expect(page.objectID.isTemporary)
                try child.obtainPermanentIDs(for: [page])
                #expect(!page.objectID.isTemporary)
                #expect(try post.related("pages") == [page])
                return [post.objectID, page.objectID]
            }
            try context.save()
            return ids
        }
        try world.run { (context) throws in
            #expect(try context.existingObject(with: ids[0]).related("pages").map(\.objectID) == [ids[1]])
        }
    }

    @Test("new objects keep their given references, also in children")
    func keptReferences() throws {
        @Sendable func keep(_ number: Int64, _ version: Int64, _ context: ManagedObjectContext) throws -> ManagedObject
        {
            let tag = try context.insert("Tag")
            try context.keep(RetainedReference(reference: .integer(number), version: version), for: tag)
            return tag
        }
        let ids = try world.run { context in
            let first = try keep(900, 4, context)
            try context.obtainPermanentIDs(for: [first])
            #expect(first.objectID.reference == .integer(900))
            try context.withChild { child in
                _ = try keep(800, 0, child)
                try child.obtainPermanentIDs(for: [keep(850, 7, child)])
                _ = try keep(900, 7, child)
                try child.save()
            }
            try context.save()
            #expect(throws: GraphError.self) { try context.keep(RetainedReference(reference: .integer(1)), for: first) }
            return try context.objectIDs(FetchRequest<ManagedObject>("Tag"))
        }
        let rows = try world.coordinator.read { reader in try reader.snapshots(of: ids) }.compactMap(\.self)
        let versions = Dictionary(rows.map { ($0.objectID.reference, $0.version) }) { first, _ in first }
        #expect(versions[.integer(900)] == 5 && versions[.integer(800)] == 1 && versions[.integer(850)] == 8)
        #expect(rows.count { $0.objectID.reference == .integer(900) } == 1)
    }

    @Test("committed values are those of the last save, and null in a new object")
    func committedValues() throws {
        try world.run { context in
            let post = context.object(with: id)
            let tag = try context.insert("Tag")
            try post.setValue("Changed", forKey: "title")
            try post.relate("tags", tag)
            #expect(try post.committedValues(forKeys: ["title", "views"]) == ["title": "Untitled", "views": 0])
            // Unread to-many relationships are left out unless they are requested.
            #expect(try Set(post.committedValues().keys) == ["title", "views", "tagCount", "author"])
            #expect(try post.committedValues(forKeys: ["tags"]) == ["tags": []])
            #expect(try tag.committedValues(forKeys: ["name"]) == ["name": .null])
            let error = #expect(throws: GraphError.self) { try post.committedValues(forKeys: ["titel"]) }
            #expect(error?.code == .unknownName)
        }
    }
}
