// SPDX-License-Identifier: Apache-2.0

// Side effects of resolving uniqueness conflicts.

import AtomicStores
import ObjectGraph
import ObjectModel
import Predicates
import Testing

@Suite("Resolution of uniqueness conflicts")
struct ResolutionTests {
    private let store: CountingStore
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        let model = try ManagedObjectModel(
            Model {
                Entity("Member") {
                    Attribute("name", .string)
                    Relationship("seat", toOne: "Seat", inverse: "member").optional()
                    Relationship("badges", toMany: "Badge", inverse: "member").optional().count(0...1)
                    Relationship("notes", toMany: "Note", deleteRule: .cascade).optional()
                    UniquenessConstraint("name")
                    UniquenessConstraint("seat")
                }
                Entity("Seat") {
                    Relationship("member", toOne: "Member", inverse: "seat").optional()
                }
                Entity("Badge") {
                    Relationship("member", toOne: "Member", inverse: "badges")
                }
                Entity("Note") {
                    Attribute("text", .string).optional()
                }
            }
        )
        store = try CountingStore(TestStore.make(model))
        coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
    }

    private func insertMember(
        _ name: String,
        in context: ManagedObjectContext,
        badges: Int = 0
    ) throws -> ManagedObject {
        let member = try context.insert("Member")
        try member.setValue(.string(name), forKey: "name")
        for _ in 0..<badges { try member.relate("badges", try context.insert("Badge")) }
        return member
    }

    @Test("a dropped object's related objects move to the surviving one and aren't deleted")
    func handingOn() throws {
        try coordinator.withContext { context in
            let stored = try insertMember("Ann", in: context)
            try stored.relate("notes", try context.insert("Note"))
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let again = try insertMember("Ann", in: context, badges: 1)
            let note = try context.insert("Note")
            try again.relate("notes", note)
            try context.save()
            #expect(try stored.related("notes").count == 2)
            #expect(try stored.related("badges").count == 1)
            #expect(try context.count(FetchRequest<ManagedObject>("Member")) == 1)
            #expect(try context.count(FetchRequest<ManagedObject>("Note")) == 2)
        }
    }

    @Test("the resolved objects are validated, and a failed save leaves the context unchanged")
    func validated() throws {
        try coordinator.withContext { context in
            _ = try insertMember("Ann", in: context, badges: 1)
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let again = try insertMember("Ann", in: context, badges: 1)
            let badge = try #require(try again.related("badges").first)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.failures.map(\.code) == [.relationshipExceedsMaximumCount])
            #expect(Set(context.insertedObjects) == [again, badge])
            #expect(context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
            #expect(try badge.related("member") == [again])
            #expect(try again.related("badges") == [badge])
        }
        let found = try coordinator.withContext { try $0.count(FetchRequest<ManagedObject>("Badge")) }
        #expect(found == 1)
    }

    @Test("a save that the store finally refuses leaves the context unchanged")
    func unwritten() throws {
        try coordinator.withContext { context in
            let stored = try insertMember("Ann", in: context)
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            let again = try insertMember("Ann", in: context)
            let note = try context.insert("Note")
            try again.relate("notes", note)
            store.failSave(afterNext: 1)
            #expect(throws: GraphError.self) { try context.save() }
            #expect(Set(context.insertedObjects) == [again, note])
            #expect(!stored.hasChanges)
            #expect(try again.related("notes") == [note])
            try context.save()
            #expect(try stored.related("notes") == [note])
            #expect(again.context == nil)
        }
    }

    @Test("both sides of relationships agree after the resolution")
    func partners() throws {
        try coordinator.withContext { context in
            let (ann, bea) = (try insertMember("Ann", in: context), try insertMember("Bea", in: context))
            let seat = try context.insert("Seat")
            try bea.relate("seat", seat)
            try context.save()
            context.mergePolicy = .mergeByPropertyStoreTrump
            try bea.setValue("Ann", forKey: "name")
            try ann.relate("seat", seat)
            try context.save()
            #expect(try bea.value(forKey: "name") == "Bea")
            for member in [ann, bea] {
                let seats = try member.related("seat")
                #expect(try seats.flatMap { try $0.related("member") } == seats.map { _ in member })
            }
        }
    }
}
