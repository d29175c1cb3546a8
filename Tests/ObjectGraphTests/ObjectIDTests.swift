// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import ObjectGraph

@Suite("Object IDs")
struct ObjectIDTests {
    @Test(
        "an ID is read back from its URI, with any reference text",
        arguments: ["a", "a b", "ü/?#%41", "%", "p1"]
    )
    func textReference(text: String) throws {
        let model = try World.model.get()
        let entity = try #require(model.entity(named: "Tag"))
        let store = UUID()
        let id = ManagedObjectID(entity: entity, store: store, reference: .text(text))
        let parts = try #require(model.parts(ofURI: id.uri))
        #expect(parts.entity == entity && parts.store == store && parts.reference == text)
    }

    @Test("IDs are equal if they refer to the same row, also by a parent entity")
    func equality() throws {
        let model = try World.model.get()
        let (user, admin) = (try #require(model.entity(named: "User")), try #require(model.entity(named: "Admin")))
        let (tag, store) = (try #require(model.entity(named: "Tag")), UUID())
        let id = ManagedObjectID(entity: user, store: store, reference: .integer(1))
        #expect(id == ManagedObjectID(entity: admin, store: store, reference: .integer(1)))
        #expect(id != ManagedObjectID(entity: tag, store: store, reference: .integer(1)))
        #expect(id != ManagedObjectID(entity: user, store: store, reference: .integer(2)))
        #expect(id != ManagedObjectID(entity: user, store: UUID(), reference: .integer(1)))
        #expect(ManagedObjectID(temporaryFor: user) != ManagedObjectID(temporaryFor: user))
    }

    @Test(
        "text that isn't a URI of an object is refused",
        arguments: [
            "", "x-coredata://", "x-coredata:///Tag/t1", "x-coredata:///Tag/p1", "http://a/Tag/p1",
            "x-coredata://nonsense/Tag/p1", "x-coredata://00000000-0000-0000-0000-000000000000/Gat/p1",
            "x-coredata://00000000-0000-0000-0000-000000000000/Tag/p",
            "x-coredata://00000000-0000-0000-0000-000000000000/Tag/p%4",
        ]
    )
    func noURI(text: String) throws {
        #expect(try World.model.get().parts(ofURI: text) == nil)
    }
}
