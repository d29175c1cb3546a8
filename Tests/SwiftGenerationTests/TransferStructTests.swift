// SPDX-License-Identifier: Apache-2.0

// The structs generated for the example, in use.

import FoundationEssentials
import Outcrop
import TestSupport
import Testing

@testable import LibraryExample

@Suite("Generated transfer structs")
struct TransferStructTests {
    private static func coordinator() throws -> PersistentStoreCoordinator {
        let file = try ModelFile.read(path: Checkout.path + "/Config/Demo.xcdatamodeld")
        let model = try ManagedObjectModel(file.current.model)
        let coordinator = PersistentStoreCoordinator(model: model, classes: DemoModel.classes)
        try coordinator.add(InMemoryStore(model: model))
        return coordinator
    }

    @Test("a transfer struct holds an object's values, is coded as JSON, and applies to another object")
    func roundTrip() throws {
        let coordinator = try Self.coordinator()
        let original = try coordinator.withContext { context in
            let author = try context.insert(User.self)
            author.name = "Anna"
            author.username = "anna"
            let post = try context.insert(Post.self)
            post.title = "Faults"
            post.slug = "faults"
            post.createdAt = Date(timeIntervalSinceReferenceDate: 1)
            post.price = Decimal(string: "1.10")
            post.uuid = UUID()
            post.link = URL(string: "https://example.org")
            post.cover = Data([0, 1, 255])
            post.metadata = .dictionary(["a": [1, .date(.init(timeIntervalSinceReferenceDate: 2))]])
            post.author = author
            try context.save()
            return try PostDTO(post)
        }
        #expect(original.title == "Faults" && original.author != nil && original.inReplyTo == nil)
        #expect(original.canonicalTitle == "faults" && original.metadata != .null)
        let decoded = try JSONDecoder().decode(PostDTO.self, from: JSONEncoder().encode(original))
        #expect(decoded == original)
        let copy = try coordinator.withContext { context in
            let post = try context.insert(Post.self)
            try decoded.apply(to: post)
            post.slug = "faults-again"
            #expect(post.author?.posts.count == 2)
            try context.save()
            return try PostDTO(post)
        }
        var expected = original
        (expected.slug, expected.updatedAt) = ("faults-again", copy.updatedAt)
        #expect(copy == expected)
    }

    @Test("a transfer struct holds inherited values and composites")
    func inherited() throws {
        try Self.coordinator().withContext { context in
            let user = try context.insert(User.self)
            user.name = "Anna"
            user.address = Address(city: "Aarhus", zip: "8000")
            let values = try UserDTO(user)
            #expect(values.name == "Anna" && values.address == Address(city: "Aarhus", zip: "8000"))
            let other = try context.insert(User.self)
            try values.apply(to: other)
            #expect(other.address?.zip == "8000" && other.address?.street == nil)
        }
    }
}
