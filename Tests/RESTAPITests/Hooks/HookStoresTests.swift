// SPDX-License-Identifier: Apache-2.0

// Hooks over several stores.

import AtomicStores
import FoundationEssentials
import Glibc
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Hooks over several stores")
struct HookStoresTests {
    private static let model = Model {
        Entity("Book") { Attribute("title", .string) }
        Entity("Song") { Attribute("title", .string) }
        Configuration("books", entities: ["Book"])
        Configuration("songs", entities: ["Song"])
    }

    private func with(_ body: (HookWorld, SQLiteStore, InMemoryStore) throws -> Void) throws {
        let model = try ManagedObjectModel(Self.model)
        try Checkout.withFolder { folder in
            var options = SQLiteStoreOptions()
            options.configuration = "books"
            let books = try SQLiteStore(path: folder + "/books.sqlite", model: model, options: options)
            let songs = InMemoryStore(model: model)
            let world = try HookWorld(in: folder, [], model: model)
            try world.coordinator.add(books, configuration: "books")
            try world.coordinator.add(songs, configuration: "songs")
            defer { world.hooks.end(within: .seconds(10)) }
            try body(world, books, songs)
        }
    }

    private func create(_ entity: String, in world: HookWorld) throws -> String {
        let answer = try world.send(.post, "/api/\(entity)", #"{"title":"x"}"#)
        return "inserted \(try #require(answer["_id"]?.string))"
    }

    @Test("the changes of all stores are delivered, each once")
    func both() throws {
        try with { world, _, _ in
            try world.start(HookWorld.hook())
            let made = try (0..<12).map { try create($0 % 3 == 0 ? "Song" : "Book", in: world) }
            try world.expect({ world.receiver.deliveries.count >= made.count }, "too few")
            #expect(world.receiver.deliveries.flatMap(\.changes).sorted() == made.sorted())
            for entity in ["Song", "Book"] {
                let changes: [String] = world.receiver.deliveries.flatMap(\.changes)
                let delivered = changes.filter { $0.contains(entity) }
                #expect(delivered == made.filter { $0.contains(entity) })
            }
            try world.restart()
            try world.start(HookWorld.hook())
            let last = try create("Song", in: world)
            try world.expect({ world.receiver.deliveries.last?.changes == [last] }, "nothing follows")
            #expect(world.receiver.deliveries.count == made.count + 1)
        }
    }

    @Test("a store in which the hook has no position begins at its end, and the other goes on")
    func newStore() throws {
        try with { world, _, songs in
            let hook = try HookWorld.hook()
            try world.start(hook)
            try world.restart()
            try songs.setHistoryConsumer(hook.consumer, to: nil)
            _ = try create("Song", in: world)
            let book = try create("Book", in: world)
            try world.start(hook)
            let song = try create("Song", in: world)
            try world.expect({ world.receiver.deliveries.count >= 2 }, "too few")
            #expect(world.receiver.deliveries.flatMap(\.changes).sorted() == [book, song].sorted())
        }
    }

    @Test("only the store that was trimmed is skipped")
    func trimmed() throws {
        try with { world, books, _ in
            let hook = try HookWorld.hook()
            try world.start(hook)
            try world.send(.post, "/api/hooks/search/pause")
            let made = try ["Song", "Book", "Song", "Book", "Book"].map { try create($0, in: world) }
            try books.setHistoryConsumer(hook.consumer, to: nil)
            var trim = HistoryTrim()
            trim.changeLimit = 1
            #expect(try books.trimHistory(trim) > 0)
            try world.send(.post, "/api/hooks/search/resume")
            try world.expect({ world.receiver.deliveries.count >= 3 }, "too few")
            #expect(
                world.receiver.deliveries.flatMap(\.changes).sorted() == [made[0], made[2], made[4]].sorted()
            )
            #expect(try world.send(.get, "/api/hooks/search")["losses"] == 1)
        }
    }

    @Test("a position that can't be written is written later, and deliveries go on")
    func failingWrites() throws {
        let model = try ManagedObjectModel(Self.model)
        try Checkout.withFolder { folder in
            let data = folder + "/data"
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            let store = try AtomicStore(path: data + "/Store", format: .xml, model: model)
            let world = try HookWorld(in: folder, [store], model: model)
            defer { world.hooks.end(within: .seconds(10)) }
            let hook = try HookWorld.hook()
            try world.start(hook)
            try world.send(.post, "/api/hooks/search/pause")
            let made = [try create("Book", in: world), try create("Book", in: world)]
            let position = try world.position(of: hook)
            try FileManager.default.moveItem(atPath: data, toPath: folder + "/away")
            try world.send(.post, "/api/hooks/search/resume")
            try world.expect(deliveries: made.map { [$0] })
            try world.expect({ world.events.contains { $0.message.contains("can't be written") } }, "it is written")
            #expect(try world.position(of: hook) == position)
            try FileManager.default.moveItem(atPath: folder + "/away", toPath: data)
            try world.expect({ try world.position(of: hook) == world.coordinator.currentHistoryToken() }, "not written")
        }
    }

    @Test("a client of another version of the model sees what is pending by the hook's rule")
    func versions() throws {
        let model = try ManagedObjectModel(TwoVersions.present)
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(InMemoryStore(model: model))
        let hooks = Hooks(folder: nil, send: { _ in .status(500) })
        var options = APIOptions()
        options.modelVersions = TwoVersions.versions
        let api = try API(coordinator, options: options, hooks: hooks)
        defer { hooks.end(within: .seconds(10)) }
        try hooks.start([HookWorld.hook { $0.entities = ["Review"] }], with: api)
        #expect(api.respond(to: HTTPRequest(.post, "/api/hooks/search/pause")).status == .ok)
        try TwoVersions.fill(coordinator)
        for fields in [HeaderFields(), TwoVersions.fields] {
            let response = api.respond(to: HTTPRequest(.get, "/api/hooks/search", fields: fields))
            #expect(try Answer(response, statements: nil)["pending"] == 1)
        }
    }
}
