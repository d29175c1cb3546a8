// SPDX-License-Identifier: Apache-2.0

// Writes to two files, which behave like writes to one, and change both or neither.

import AtomicStores
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import Predicates
import SQLiteStore
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Writes to several stores")
struct SeveralStoresTests {
    private struct World {
        let api: API
        let coordinator: PersistentStoreCoordinator

        init(_ folder: String, isSQLite: Bool) throws {
            let model = try ManagedObjectModel(
                Model {
                    for (name, path) in [("Book", "books"), ("Song", "songs"), ("Tag", "tags")] {
                        Entity(name, userInfo: ["path": path]) {
                            Attribute("title", .string)
                            Attribute("views", .int64).default(0)
                            UniquenessConstraint("title")
                        }
                    }
                    Configuration("books", entities: ["Book", "Tag"])
                    Configuration("songs", entities: ["Song", "Tag"])
                }
            )
            coordinator = PersistentStoreCoordinator(model: model)
            for name in ["books", "songs"] {
                var options = SQLiteStoreOptions()
                options.configuration = name
                let store: any PersistentStore =
                    isSQLite
                    ? try SQLiteStore(path: "\(folder)/\(name).sqlite", model: model, options: options)
                    : try AtomicStore(path: "\(folder)/\(name).xml", format: .xml, model: model)
                try coordinator.add(store, configuration: name)
            }
            api = try API(coordinator)
        }

        func send(
            _ method: HTTPMethod,
            _ target: String,
            _ json: String? = nil,
            _ fields: HeaderFields = HeaderFields()
        ) throws -> Answer {
            var fields = fields
            if json != nil { fields[.contentType] = "application/json" }
            let body = json.map { HTTPRequestBody.bytes(Array($0.utf8)) } ?? .none
            return try Answer(api.respond(to: HTTPRequest(method, target, fields: fields, body: body)), statements: nil)
        }

        func insertBoth(_ book: String, _ song: String, _ fields: HeaderFields = HeaderFields()) throws -> Answer {
            try send(
                .post,
                "/api/transaction",
                """
                {"operations":[{"insert":"books","id":"$b","values":{"title":"\(book)"}},
                {"insert":"songs","id":"$s","values":{"title":"\(song)"}}]}
                """,
                fields
            )
        }

        /// Inserts tags with these titles into the stores.
        func insertTags(_ titles: [[String]]) throws {
            try coordinator.withContext { context in
                for (titles, store) in zip(titles, coordinator.stores) {
                    for title in titles {
                        let tag = try context.insert("Tag")
                        try tag.setValue(.string(title), forKey: "title")
                        try context.assign(tag, to: store)
                    }
                }
                try context.save()
            }
        }

        func titles() throws -> [[String]] {
            try ["books", "songs"].map { path in
                let answer = try send(.get, "/api/\(path)?sort=title")
                return try #require(answer["items"]?.array).compactMap { $0["title"]?.string }
            }
        }
    }

    private func each(_ body: (World) throws -> Void) throws {
        for isSQLite in [true, false] {
            try Checkout.withFolder { folder in try body(World(folder, isSQLite: isSQLite)) }
        }
    }

    @Test("a transaction with a duplicate value in either store is refused with 409, and changes neither")
    func transaction() throws {
        try each { (world) throws in
            #expect(try world.insertBoth("a", "a").status == 200)
            for (book, song) in [("a", "b"), ("b", "a")] {
                let answer = try world.insertBoth(book, song)
                #expect(answer.status == 409, "\(answer.text)")
                #expect(answer["code"] == "unique", "\(answer.text)")
                #expect(answer.text.contains("title"))
                #expect(try world.titles() == [["a"], ["a"]])
            }
            #expect(try world.insertBoth("b", "b").status == 200)
            #expect(try world.titles() == [["a", "b"], ["a", "b"]])
        }
    }

    @Test("a context refused for a duplicate value in one store can be changed and saved")
    func draft() throws {
        try each { (world) throws in
            #expect(try world.insertBoth("a", "a").status == 200)
            let context = try #require(try world.send(.post, "/api/contexts", "{}")["context"]?.string)
            let path = "/api/contexts/\(context)"
            #expect(try world.send(.post, "\(path)/books", "{\"title\":\"b\"}").status == 201)
            let song = try #require(try world.send(.post, "\(path)/songs", "{\"title\":\"a\"}")["_id"]?.string)
            for _ in 0..<2 {
                let refused = try world.send(.post, "\(path)/save")
                #expect(refused.status == 409, "\(refused.text)")
                #expect(try world.titles() == [["a"], ["a"]])
            }
            #expect(try world.send(.patch, "\(path)/\(song)", "{\"title\":\"b\"}").status == 200)
            let saved = try world.send(.post, "\(path)/save")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(try world.titles() == [["a", "b"], ["a", "b"]])
        }
    }

    @Test("“Prefer: merge=overwrite” changes the holders in both stores")
    func upsert() throws {
        try each { (world) throws in
            #expect(try world.insertBoth("a", "a").status == 200)
            let operations = ["books", "songs"].map {
                "{\"insert\":\"\($0)\",\"values\":{\"title\":\"a\",\"views\":5}}"
            }
            let answer = try world.send(
                .post,
                "/api/transaction",
                "{\"operations\":[\(operations.joined(separator: ","))]}",
                ["Prefer": "merge=overwrite"]
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try world.titles() == [["a"], ["a"]])
            for path in ["books", "songs"] {
                #expect(try world.send(.get, "/api/\(path)?where=views%20==%205")["items"]?.array?.count == 1)
            }
        }
    }

    @Test("a transaction over two stores with a key is done once, and its response stored")
    func idempotency() throws {
        try each { (world) throws in
            let key: HeaderFields = [.idempotencyKey: "both"]
            let first = try world.insertBoth("a", "a", key)
            #expect(first.status == 200, "\(first.text)")
            let again = try world.insertBoth("a", "a", key)
            #expect(again.fields.contains(.idempotencyReplayed))
            #expect(again.text == first.text)
            #expect(try world.insertBoth("b", "b", key).status == 422)
            #expect(try world.insertBoth("a", "b", [.idempotencyKey: "refused"]).status == 409)
            #expect(try world.insertBoth("b", "b", [.idempotencyKey: "other"]).status == 200)
            #expect(try world.titles() == [["a", "b"], ["a", "b"]])
        }
    }

    @Test("a batch over two stores changes both or neither, once per key, and none in a dry run")
    func batch() throws {
        try each { (world) throws in
            try world.insertTags([["a"], ["b", "c"]])
            let update = "/api/tags/batch-update"
            let taken = try world.send(.post, update, #"{"all":true,"set":{"title":"same","views":9}}"#)
            #expect(taken.status == 409, "\(taken.text)")
            #expect(try world.send(.get, "/api/tags?result=count&where=views%20==%209")["count"] == 0)

            let assignment = #"{"all":true,"set":{"views":9}}"#
            for (route, body) in [(update, assignment), ("/api/tags/batch-delete", #"{"all":true}"#)] {
                let rehearsed = try world.send(.post, route + "?dryRun=true", body)
                #expect(rehearsed["count"] == 3, "\(rehearsed.text)")
                #expect(try world.send(.get, "/api/tags?result=count&where=views%20!=%209")["count"] == 3)
            }
            let refused = try world.send(.post, update + "?dryRun=true", #"{"all":true,"set":{"title":"same"}}"#)
            #expect(refused.status == 409, "\(refused.text)")

            let key: HeaderFields = [.idempotencyKey: "views"]
            for isRepeated in [false, true] {
                let answer = try world.send(.post, update, #"{"all":true,"set":{"views":2}}"#, key)
                #expect(answer["count"] == 3, "\(answer.text)")
                #expect(answer.fields.contains(.idempotencyReplayed) == isRepeated)
            }
            #expect(try world.send(.get, "/api/tags?result=count&where=views%20==%202")["count"] == 3)

            let deleted = try world.send(.post, "/api/tags/batch-delete", #"{"where":"title != 'b'"}"#)
            #expect(deleted["count"] == 2, "\(deleted.text)")
            #expect(try world.send(.get, "/api/tags")["items"]?.array?.compactMap { $0["title"]?.string } == ["b"])
        }
    }

    /// Copies a store's files during the preparation of a save into it and another store, which is missing.
    private static func leaveUndecided(_ store: any PersistentStore, copying folder: String, to copy: String) throws {
        struct Stop: Error {}
        let save = JointSave(identifier: UUID(), decider: JointSave.Place(store: UUID(), path: folder + "/gone"))
        let preparing = try #require(store as? any PreparingStore)
        #expect(throws: (any Error).self) {
            try preparing.prepare(StoreSaveRequest(), as: .follower(save), commit: Commit()) { _ in
                try FileManager.default.copyItem(atPath: folder, toPath: copy)
                throw Stop()
            }
        }
    }

    @Test(
        "a store with an undecided save refuses writes with 503, as /readyz reports, and others accept them",
        arguments: [true, false]
    )
    func undecided(isSQLite: Bool) throws {
        try Checkout.withFolder { folder in
            let (work, copy) = (folder + "/work", folder + "/copy")
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            do {
                let world = try World(work, isSQLite: isSQLite)
                #expect(try world.insertBoth("a", "a").status == 200)
                try Self.leaveUndecided(world.coordinator.stores[1], copying: work, to: copy)
            }
            let world = try World(copy, isSQLite: isSQLite)
            let refused = try world.send(.post, "/api/songs", #"{"title":"b"}"#)
            #expect(refused.status == 503 && refused["code"] == "not-ready", "\(refused.text)")
            #expect(
                refused["detail"]?.string?.contains("recorded in a store that can't be read") == true,
                "\(refused.text)"
            )
            #expect(!refused.text.contains(folder))
            #expect(refused.fields.contains(.retryAfter))
            let both = try world.insertBoth("b", "b")
            #expect(both.status == 503, "\(both.text)")
            let healthy = try world.send(.post, "/api/books", #"{"title":"c"}"#)
            #expect(healthy.status == 201, "\(healthy.text)")
            #expect(try world.titles() == [["a", "c"], ["a"]])
            let ready = try world.send(.get, "/readyz")
            #expect(ready.status == 503, "\(ready.text)")
            #expect(ready["errors"]?.array?.count == 1)
            #expect(ready["errors"]?[0]?["uuid"]?.string == world.coordinator.stores[1].identifier.uuidString)
        }
    }

    @Test("a dry run reports the conflict of the second store")
    func dryRun() throws {
        try each { (world) throws in
            #expect(try world.insertBoth("a", "a").status == 200)
            let body =
                #"{"operations":[{"insert":"books","values":{"title":"b"}},{"insert":"songs","values":{"title":"a"}}]}"#
            #expect(try world.send(.post, "/api/transaction?dryRun=true", body).status == 409)
            #expect(try world.titles() == [["a"], ["a"]])
        }
    }
}
