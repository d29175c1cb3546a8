// SPDX-License-Identifier: Apache-2.0

// Members that are removed one by one, without reading the others.

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Removal of single members")
struct RemovedMemberTests {
    static let model = Model {
        Entity("Book") {
            Relationship("tags", toMany: "Tag", inverse: "books").optional()
            Relationship("shelves", toMany: "Shelf", inverse: "books").optional().ordered()
        }
        Entity("Tag") { Relationship("books", toMany: "Book", inverse: "tags").optional() }
        Entity("Shelf") { Relationship("books", toMany: "Book", inverse: "shelves").optional() }
    }

    let store: CountingStore
    let coordinator: PersistentStoreCoordinator
    let book: ManagedObjectID
    let members: [String: [ManagedObjectID]]

    init() throws {
        let model = try ManagedObjectModel(Self.model)
        store = CountingStore(try TestStore.make(model))
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        (book, members) = try coordinator.withContext { (context) throws in
            let book = try context.insert("Book")
            let members = try ["tags": "Tag", "shelves": "Shelf"].mapValues { entity in
                try (0..<5).map { _ in try context.insert(entity) }
            }
            for (name, objects) in members { try book.setObjects(objects, forKey: name) }
            try context.save()
            return (book.objectID, members.mapValues { $0.map(\.objectID) })
        }
    }

    @Test(
        "removing a member checks its membership in the store and reads no other members",
        arguments: ["tags", "shelves"]
    )
    func removing(_ name: String) throws {
        let all = try #require(members[name])
        _ = store.takeCalls()
        try coordinator.withContext { (context) throws in
            let book = context.object(with: book)
            let relationship = try #require(book.entity.relationship(named: name))
            let member = context.object(with: all[2])
            #expect(try book.contains(member, in: relationship))
            try book.remove(member, from: relationship)
            #expect(try !book.contains(member, in: relationship))
            try context.save()
            #expect(store.takeCalls().members == 0)
            #expect(try Set(book.objectIDs(of: relationship)) == [all[0], all[1], all[3], all[4]])
        }
        try coordinator.withContext { (context) throws in
            let book = context.object(with: book)
            let relationship = try #require(book.entity.relationship(named: name))
            if relationship.isOrdered {
                #expect(try book.objectIDs(of: relationship) == [all[0], all[1], all[3], all[4]])
            }
            // From the other side, and a member that was already removed.
            try book.remove(context.object(with: all[2]), from: relationship)
            #expect(!context.hasChanges)
            let back = try #require(relationship.inverse.flatMap { all[0].entity.relationship(named: $0.name) })
            try context.object(with: all[0]).remove(book, from: back)
            try context.save()
        }
        try coordinator.withContext { (context) throws in
            let book = context.object(with: book)
            let relationship = try #require(book.entity.relationship(named: name))
            #expect(try Set(book.objectIDs(of: relationship)) == [all[1], all[3], all[4]])
        }
    }

    @Test("adding a removed member again reverts the removal", arguments: ["tags", "shelves"])
    func addingAgain(_ name: String) throws {
        let all = try #require(members[name])
        try coordinator.withContext { (context) throws in
            let book = context.object(with: book)
            let relationship = try #require(book.entity.relationship(named: name))
            try book.remove(context.object(with: all[0]), from: relationship)
            try book.add(context.object(with: all[0]), to: relationship)
            try context.save()
            #expect(try Set(book.objectIDs(of: relationship)) == Set(all))
        }
    }
}
