// SPDX-License-Identifier: Apache-2.0

// A child's save into a parent that has changed meanwhile.

import ObjectGraph
import Predicates
import TestSupport
import Testing

@Suite("Saves into changed parents")
struct ChildSavingTests {
    let world: World
    let family: ContextFamily
    let child: ContextFamily.Member

    init() throws {
        world = try World()
        family = ContextFamily(world.coordinator)
        child = try family.addChild(of: family.root)
        try family.perform(in: family.root) { context in
            context.undoManager = ObjectUndoManager()
            context.mergesKeepBase = false
        }
    }

    private func prepareChild(merging: Bool) throws {
        try family.perform(in: child) { context in
            context.undoManager = ObjectUndoManager()
            context.automaticallyMergesChanges = merging
            context.mergesKeepBase = !merging
            context.retainsRegisteredObjects = !merging
        }
    }

    private func stored(_ entities: String...) throws -> [ManagedObjectID] {
        try world.run { context in
            let objects = try entities.enumerated().map { place, entity in
                let object = try context.insert(entity)
                if entity == "User" { try object.setValue(.string("\(place)"), forKey: "name") }
                return object
            }
            try context.save()
            return objects.map(\.objectID)
        }
    }

    private func edit(_ member: ContextFamily.Member, _ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
        try family.perform(in: member, body)
    }

    private func related(
        _ key: String,
        of id: ManagedObjectID,
        in member: ContextFamily.Member? = nil
    ) throws -> [ManagedObjectID] {
        let read = { @Sendable (context: ManagedObjectContext) throws in
            try context.object(with: id).related(key).map(\.objectID)
        }
        return try member.map { try family.perform(in: $0, read) } ?? world.run(read)
    }

    @Test("a one-to-one partner that the parent has reassigned leaves its new partner", arguments: [false, true])
    func oneToOne(fromOtherSide: Bool) throws {
        try prepareChild(merging: false)
        let ids = try stored("User", "User", "Profile")
        try edit(child) { context in
            let (user, profile) = (context.object(with: ids[0]), context.object(with: ids[2]))
            if fromOtherSide { try profile.relate("user", user) } else { try user.relate("profile", profile) }
        }
        try edit(family.root) { try $0.object(with: ids[1]).relate("profile", $0.object(with: ids[2])) }
        try edit(child) { try $0.save() }
        try edit(family.root) { try $0.save() }
        #expect(try related("profile", of: ids[0]) == [ids[2]])
        #expect(try related("profile", of: ids[1]) == [])
        #expect(try related("user", of: ids[2]) == [ids[0]])
    }

    @Test("a reference that a child sets again over an older state of its parent has two sides")
    func setOverOlderState() throws {
        try prepareChild(merging: false)
        let id = try stored("User")[0]
        let relate = { @Sendable (context: ManagedObjectContext) throws in
            let user = context.object(with: id)
            try user.relate("mentor", user)
        }
        try edit(child, relate)
        try edit(family.root, relate)
        try edit(child) { context in
            try context.undo()
            let archive = try context.archive()
            context.reset()
            try context.restore(archive)
            try context.redo()
        }
        try edit(family.root) { $0.rollback() }
        try edit(child) { try $0.save() }
        let mentor = try related("mentor", of: id, in: family.root)
        #expect(try related("students", of: id, in: family.root) == mentor)
    }

    @Test("an object that both contexts have moved ends in one place")
    func moved() throws {
        try prepareChild(merging: false)
        let ids = try stored("User", "User", "Post")
        try edit(child) { try $0.object(with: ids[2]).relate("author", $0.object(with: ids[0])) }
        try edit(family.root) { try $0.object(with: ids[2]).relate("author", $0.object(with: ids[1])) }
        try edit(child) { try $0.save() }
        #expect(try related("posts", of: ids[0], in: family.root) == [ids[2]])
        #expect(try related("posts", of: ids[1], in: family.root) == [])
        try edit(family.root) { try $0.save() }
        #expect(try related("author", of: ids[2]) == [ids[0]])
    }

    @Test("a child's deletion applies delete rules to objects that the parent has related")
    func deleted() throws {
        try prepareChild(merging: false)
        let ids = try stored("User", "Profile", "Post", "Tag", "User")
        try edit(child) { context in
            for id in [ids[0], ids[1], ids[3]] { context.delete(context.object(with: id)) }
        }
        try edit(family.root) { context in
            try context.object(with: ids[4]).relate("profile", context.object(with: ids[1]))
            try context.object(with: ids[2]).relate("tags", context.object(with: ids[3]))
            try context.object(with: ids[0]).relate("posts", context.insert("Post"))
        }
        try edit(child) { try $0.save() }
        #expect(try related("profile", of: ids[4], in: family.root) == [])
        #expect(try related("tags", of: ids[2], in: family.root) == [])
        try edit(family.root) { try $0.save() }
        #expect(try world.run { try $0.count(FetchRequest<ManagedObject>("Post")) } == 1)
    }

    @Test("an object that was moved before its owner's deletion isn't deleted with it", arguments: [false, true])
    func movedAway(merging: Bool) throws {
        try prepareChild(merging: merging)
        let ids = try stored("User", "User", "Post")
        try world.run { context in
            try context.object(with: ids[2]).relate("author", context.object(with: ids[0]))
            try context.save()
        }
        try edit(family.root) { _ = try $0.object(with: ids[0]).related("posts") }
        try edit(child) { context in
            try context.object(with: ids[2]).relate("author", context.object(with: ids[1]))
            context.delete(context.object(with: ids[0]))
            try context.save()
        }
        #expect(try related("author", of: ids[2], in: family.root) == [ids[1]])
        try edit(family.root) { try $0.undo() }
        #expect(try related("author", of: ids[2], in: family.root) == [ids[0]])
        #expect(try related("posts", of: ids[0], in: family.root) == [ids[2]])
        try edit(family.root) { context in
            try context.redo()
            try context.save()
        }
        #expect(try related("author", of: ids[2]) == [ids[1]])
        #expect(try related("posts", of: ids[1]) == [ids[2]])
    }

    @Test(
        "undoing a deletion that was saved into the parent restores all relationships",
        arguments: [0, 2],
        [false, true]
    )
    func undone(deleting: Int, reading: Bool) throws {
        try prepareChild(merging: true)
        let ids = try stored("User", "Tag", "Post")
        try world.run { context in
            let post = context.object(with: ids[2])
            try post.relate("author", context.object(with: ids[0]))
            try post.relate("tags", context.object(with: ids[1]))
            try context.save()
        }
        if reading {
            for member in [family.root, child] {
                _ = try related("posts", of: ids[0], in: member) + related("posts", of: ids[1], in: member)
            }
        }
        try edit(child) { $0.delete($0.object(with: ids[deleting])) }
        try edit(child) { try $0.save() }
        try edit(child) { try $0.undo() }
        func check(_ member: ContextFamily.Member?) throws {
            #expect(try related("author", of: ids[2], in: member) == [ids[0]])
            #expect(try related("posts", of: ids[0], in: member) == [ids[2]])
            #expect(try related("tags", of: ids[2], in: member) == [ids[1]])
            #expect(try related("posts", of: ids[1], in: member) == [ids[2]])
        }
        try check(child)
        try edit(child) { try $0.save() }
        try check(child)
        try check(family.root)
        try edit(family.root) { try $0.save() }
        try check(nil)
    }

    @Test("an object that the root has edited survives a batch deletion at every level")
    func batches() throws {
        try prepareChild(merging: true)
        let grandchild = try family.addChild(of: child)
        let ids = try stored("Post", "User")
        try world.run { context in
            try context.object(with: ids[0]).relate("author", context.object(with: ids[1]))
            try context.save()
        }
        #expect(try related("author", of: ids[0], in: grandchild) == [ids[1]])
        try edit(family.root) { try $0.object(with: ids[0]).setValue("Mine", forKey: "title") }
        try world.coordinator.execute(BatchDeleteRequest(FetchRequest<ManagedObject>("Post")))
        for member in [family.root, child, grandchild] {
            let title = try family.perform(in: member) { try $0.object(with: ids[0]).value(forKey: "title") }
            #expect(title == "Mine")
            #expect(try related("posts", of: ids[1], in: member) == [ids[0]])
        }
    }
}
