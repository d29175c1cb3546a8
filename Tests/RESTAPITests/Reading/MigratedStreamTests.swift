// SPDX-License-Identifier: Apache-2.0

// Streams whose stores are migrated before they end.

import FoundationEssentials
import Glibc
import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import Testing

@testable import RESTAPI

@Suite("Streams across a migration")
struct MigratedStreamTests {
    private static let large = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private static func fill(_ coordinator: PersistentStoreCoordinator) throws {
        try coordinator.withContext { context in
            for number in 0..<300 { try context.insert("Post").setValue(.string("Post \(number)"), forKey: "title") }
            try context.insert("Page").setValue("first", forKey: "text")
            let post = try context.insert("Post")
            try post.setValue("picture", forKey: "title")
            try post.setValue(.data(Data(large)), forKey: "picture")
            try context.save()
        }
    }

    /// Migrates the store of an API to a version in which the table of posts is written anew, and continues the API.
    static func continued(_ world: APIWorld, _ store: SQLiteStore) throws -> (api: API, store: SQLiteStore) {
        var model = Blog.model
        let post = try #require(model.entities.firstIndex { $0.name == "Post" })
        model.entities[post].attributes.append(Attribute(name: "kind", type: .string, defaultValue: "long"))
        model.entities[post].attributes.removeAll { $0.name == "score" }
        let next = try ManagedObjectModel(model)
        let migration = try ModelMigration(from: world.coordinator.model, to: next)
        try world.api.prepareStreamsForMigration()
        let migrated = try #require(try store.migrated(by: migration, as: .complete).store as? SQLiteStore)
        let coordinator = PersistentStoreCoordinator(model: next)
        try coordinator.add(migrated)
        return (try world.api.continued(by: coordinator), migrated)
    }

    @Test(
        "a list that waits to be sent is that of the former version, also if its state had expired",
        arguments: [Duration.seconds(60), .nanoseconds(1)]
    )
    func waiting(lifetime: Duration) throws {
        var options = APIOptions()
        options.streamStateTime = lifetime
        try APIWorld.each(options: options, filling: Self.fill) { world throws in
            guard let store = world.sqlite else { return }
            let request = HTTPRequest(.get, "/api/posts", fields: [.accept: "application/x-ndjson"])
            guard case .stream(nil, let write) = world.api.respond(to: request).body else {
                Issue.record("The answer is no stream.")
                return
            }
            // By now the expired state has been released.
            usleep(50_000)
            let (api, _) = try Self.continued(world, store)
            let change = HTTPRequest(
                .post,
                "/api/posts/batch-delete",
                fields: [.contentType: "application/json"],
                body: .bytes(Array(#"{"all": true}"#.utf8))
            )
            #expect(api.respond(to: change).status == .ok)
            let writer = InterferingWriter { _ in }
            try write(writer)
            let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 301)
            #expect(lines.allSatisfy { $0.contains("\"score\":null") && !$0.contains("kind") })
        }
    }

    @Test("a large value that waits to be sent outlives the migration and its own deletion afterwards")
    func largeValue() throws {
        try APIWorld.each(filling: Self.fill) { world throws in
            guard let store = world.sqlite else { return }
            let reference = try world.reference("Post", "picture")
            let target = "/api/\(reference)/picture"
            guard case .stream(_, let write) = world.api.respond(to: HTTPRequest(.get, target)).body else {
                Issue.record("The answer is no stream.")
                return
            }
            let (api, migrated) = try Self.continued(world, store)
            #expect(api.respond(to: HTTPRequest(.delete, "/api/\(reference)")).status == .noContent)
            _ = try migrated.removeOrphanedFiles()
            let writer = InterferingWriter { _ in }
            try write(writer)
            #expect(writer.bytes == Self.large)
        }
    }
}
