// SPDX-License-Identifier: Apache-2.0

// Cascades of many objects at once, compared with the same ones object by object.

import ObjectModel
import Predicates
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Cascades in sets")
struct CascadeInSetsTests {
    @Test(
        "a deletion has the same effects whether or not edits are recorded and classes may have hooks",
        arguments: SeededGenerator.seeds(40)
    )
    func sameEffects(seed: UInt64) throws {
        let plain = try Outcome(seed)
        let recorded = try Outcome(seed, recordsEdits: true)
        #expect(recorded.differences(from: plain).isEmpty, "\(recorded.differences(from: plain))")
        let hooked = try Outcome(seed, classes: [HookedPost.self, HookedPage.self])
        #expect(hooked.differences(from: plain).isEmpty, "\(hooked.differences(from: plain))")
    }

    @Test("removing all members at once is removing each", arguments: SeededGenerator.seeds(20))
    func removeAll(seed: UInt64) throws {
        let world = try World()
        try world.run { context in
            var random = SeededGenerator(seed: seed)
            for name in ["tags", "pages"] {
                let relationship = try context.insert("Post").relationship(name)
                let entity = name == "tags" ? "Tag" : "Page"
                let ids = try (0..<12).map { _ in try context.insert(entity).objectID }
                var one = ToMany.fault(relationship)
                one.load(Array(ids.prefix(Int.random(in: 0...8, using: &random))))
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let member = ids[Int.random(in: 0..<ids.count, using: &random)]
                    if Bool.random(using: &random) { one.add(member) } else { one.remove(member) }
                }
                var other = one
                for member in (other.members ?? OrderedMembers()).members { other.remove(member) }
                let removes = one.members?.isEmpty == false
                #expect(one.removeAll() == removes)
                #expect(one == other)
            }
        }
    }

    @Test("rows are found in order and in any other order")
    func rowsInOrder() throws {
        let world = try World()
        try world.run { context in
            let tags = try (0..<5).map { _ in try context.insert("Tag") }
            try context.save()
            let rows = tags.compactMap(\.committedSnapshot)
            for order in [[0, 1, 2, 3, 4], [0, 1, 3, 2, 4], [4, 0, 0, 1], [1, 2]] {
                var found = RowsInOrder(rows)
                for place in order { #expect(found.row(of: tags[place].objectID) === rows[place]) }
            }
            var some = RowsInOrder(Array(rows.prefix(2)))
            #expect(some.row(of: tags[4].objectID) == nil)
            #expect(some.row(of: tags[1].objectID) === rows[1])
        }
    }
}

private final class HookedPost: ManagedObject {
    override class var entityName: String { "Post" }
}

private final class HookedPage: ManagedObject {
    override class var entityName: String { "Page" }
}

/// The effects of deleting some objects of a random world, partly loaded and changed before.
private struct Outcome {
    /// The objects of the context after its delete rules were applied.
    private(set) var pending: [String] = []
    private(set) var notification: [String] = []
    /// The error of the save, or the stored objects after it.
    private(set) var saved: [String] = []

    private static let entities = ["User", "Profile", "Post", "Tag", "Page", "Lock"]
    private static let links = [
        ("User", "posts", "Post"), ("User", "profile", "Profile"), ("User", "friends", "User"),
        ("User", "mentor", "User"), ("Post", "tags", "Tag"), ("Post", "pages", "Page"), ("Post", "author", "User"),
    ]

    init(_ seed: UInt64, recordsEdits: Bool = false, classes: [ManagedObject.Type] = []) throws {
        let model = try World.model.get()
        let coordinator = PersistentStoreCoordinator(model: model, classes: classes)
        try coordinator.add(TestStore.make(model))
        let ids = try coordinator.withContext { context in
            var random = SeededGenerator(seed: seed)
            var objects: [ManagedObject] = []
            for (entity, count) in zip(Self.entities, [4, 3, 8, 4, 20, Int.random(in: 0...1, using: &random)]) {
                for number in 0..<count {
                    objects.append(try context.insert(entity))
                    if entity == "User" { try objects.last?.setValue(.string("User \(number)"), forKey: "name") }
                }
            }
            for _ in 0..<60 { try Self.link(objects, using: &random) }
            for lock in objects where lock.entity.name == "Lock" { try lock.relate("post", objects[9]) }
            try context.save()
            return objects.map(\.objectID)
        }
        self = try coordinator.withContext { context in
            try Self(context, ids, seed, recordsEdits: recordsEdits)
        }
        guard saved.isEmpty else { return }
        saved = try coordinator.withContext { context in
            let rows = try context.existingObjects(with: ids).compactMap(\.self)
            return try rows.map { try Self.description(of: $0, Self.names(ids)) }
        }
    }

    private init(
        _ context: ManagedObjectContext,
        _ ids: [ManagedObjectID],
        _ seed: UInt64,
        recordsEdits: Bool
    ) throws {
        if recordsEdits { context.undoManager = ObjectUndoManager() }
        var random = SeededGenerator(seed: seed &+ 1)
        var names = Self.names(ids)
        var objects = ids.map(context.object(with:))
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try context.fire(objects[Int.random(in: objects.indices, using: &random)])
            case 1:
                let object = objects[Int.random(in: objects.indices, using: &random)]
                for relationship in object.entity.relationships { _ = try object.related(relationship.name) }
            case 2:
                let entity = ["Post", "Tag", "Page"][Int.random(in: 0..<3, using: &random)]
                objects.append(try context.insert(entity))
                names[objects[objects.count - 1].objectID] = "new \(objects.count)"
            default: try Self.link(objects, using: &random)
            }
        }
        try context.processPendingChanges()
        var notification: [String] = []
        let observation = context.observeChanges { [names] changes in
            for (kind, objects) in [
                ("inserted", changes.inserted), ("updated", changes.updated), ("deleted", changes.deleted),
            ] { notification.append("\(kind): \(objects.compactMap { names[$0.objectID] }.sorted())") }
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            context.delete(objects[Int.random(in: 0..<8, using: &random)])
        }
        try context.processPendingChanges()
        context.remove(observation)
        self.notification = notification
        pending = try objects.map { try Self.description(of: $0, names) }
        do throws(GraphError) {
            try context.save()
        } catch {
            saved = ["\(error.code)"]
        }
    }

    /// The lines of both that aren't the same.
    func differences(from other: Outcome) -> [String] {
        let (one, two) = (pending + notification + saved, other.pending + other.notification + other.saved)
        return one == two ? [] : Set(one).symmetricDifference(two).sorted()
    }

    private static func names(_ ids: [ManagedObjectID]) -> [ManagedObjectID: String] {
        Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, "\($1.entity.name) \($0)") })
    }

    private static func link(_ objects: [ManagedObject], using random: inout SeededGenerator) throws {
        let (entity, name, destination) = links[Int.random(in: links.indices, using: &random)]
        let owners = objects.filter { $0.entity.name == entity }
        let others = objects.filter { $0.entity.name == destination }
        let owner = owners[Int.random(in: owners.indices, using: &random)]
        try owner.relate(name, others[Int.random(in: others.indices, using: &random)])
    }

    private static func description(
        of object: ManagedObject,
        _ names: [ManagedObjectID: String]
    ) throws -> String {
        func list(_ ids: [ManagedObjectID]) -> [String] { ids.map { names[$0] ?? "?" } }
        let states = [
            ("inserted", object.isInserted), ("updated", object.isUpdated), ("deleted", object.isDeleted),
        ]
        var parts = [names[object.objectID] ?? "?"] + states.filter(\.1).map(\.0)
        for attribute in object.entity.attributes where !attribute.isDerived {
            parts.append("\(attribute.name)=\(try object.value(of: attribute))")
        }
        for relationship in object.entity.relationships {
            let related = try object.related(relationship.name).map(\.objectID)
            let members = relationship.isOrdered ? list(related) : list(related).sorted()
            parts.append("\(relationship.name)=\(members)")
            guard relationship.isToMany else { continue }
            let (added, removed, isReordered) = object.changedMembers(of: relationship)
            parts.append("+\(list(added).sorted()) -\(list(removed).sorted()) \(isReordered)")
        }
        return parts.joined(separator: " ")
    }
}
