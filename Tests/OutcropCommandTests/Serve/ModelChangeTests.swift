// SPDX-License-Identifier: Apache-2.0

// A running server takes another model.

import AtomicStores
import Foundation
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Changes of a served model")
struct ModelChangeTests {
    private static let first = """
        {"entities": {"Post": {"attributes": {"title": "String?", "note": "String?"}}}}
        """
    /// One attribute is renamed, and one is added.
    private static let second = """
        {"entities": {"Post": {"attributes": {
            "name": {"type": "String?", "renamedFrom": "title"}, "note": "String?", "views": {"type": "Int32", "default": 7}
        }}}}
        """
    /// An attribute with values is removed.
    private static let lossy = """
        {"entities": {"Post": {"attributes": {"note": "String?"}}}}
        """

    /// A server with a model file.
    private final class Served {
        let server: ServerProcess
        let api: String
        private let file: String

        init(in folder: String, on store: String = "sqlite:Store", _ arguments: [String]) throws {
            file = folder + "/Model.json"
            try ModelChangeTests.first.write(toFile: file, atomically: true, encoding: .utf8)
            let place = store.replacing(":Store", with: ":\(folder)/Store")
            server = try ServerProcess(
                in: folder,
                serving: ["--model", file, "--store", place],
                ["--listen", "127.0.0.1:0"] + arguments
            )
            api = try server.address() + "/api"
        }

        func write(_ model: String) throws { try model.write(toFile: file, atomically: true, encoding: .utf8) }

        /// Reads the model file again, and returns the last line of the log about it.
        func hangUp(_ level: String) throws -> String {
            let count = try lines.count
            server.signal(SIGHUP)
            for _ in 0..<1_500 {
                if try lines.count > count { break }
                usleep(20_000)
            }
            let line = try #require(try lines.dropFirst(count).last)
            #expect(line["level"]?.string == level)
            return line["message"]?.string ?? ""
        }

        private var lines: [JSONValue] {
            get throws { try server.events().filter { $0["event"]?.string == "model" } }
        }

        func get(_ path: String) throws -> JSONValue { try JSONValue(parsing: server.curl(api + path).body) }

        @discardableResult
        func send(_ method: String, _ path: String, _ body: String? = nil) throws -> (json: JSONValue, status: String) {
            let content = body.map { ["--json", $0] } ?? []
            let answer = try server.curl(["-X", method] + content + [api + path])
            return (try JSONValue(parsing: answer.body), answer.status)
        }
    }

    @Test("SIGHUP makes a server take the model file again, with drafts", arguments: ["sqlite", "xml", "memory"])
    func hangUp(kind: String) throws {
        try Checkout.withFolder { folder in
            let store = kind == "memory" ? "memory:" : "\(kind):Store"
            let served = try Served(in: folder, on: store, ["--migrate", "auto"])
            try served.send("POST", "/Post", #"{"title": "One"}"#)
            try served.send("POST", "/contexts", "{}")
            try served.send("PATCH", "/contexts/c1/Post/1", #"{"title": "Draft"}"#)
            try served.send("POST", "/contexts/c1/Post", #"{"title": "New"}"#)
            try served.send("POST", "/contexts", #"{"parent": "c1"}"#)
            try served.send("PATCH", "/contexts/c2/Post/1", #"{"note": "child"}"#)
            let tag = try served.server.curl("-o", "/dev/null", "-w", "%header{etag}", served.api + "/Post/1").status
            try served.write(Self.second)
            #expect(try served.hangUp("info").hasPrefix("“Model” is served now. Migrated "))
            let post = try served.get("/Post/1")
            #expect(post["name"] == "One" && post["views"] == 7 && post["_version"] == 1)
            #expect(try served.server.curl("-H", "If-None-Match: \(tag)", served.api + "/Post/1").status == "200")
            let draft = try served.get("/contexts/c1/Post/1")
            #expect(draft["name"] == "Draft" && draft["views"] == 7)
            #expect(try served.get("/contexts/c2/Post/1")["note"] == "child")
            #expect(try served.send("POST", "/contexts/c1/undo").status == "200")
            #expect(try served.send("POST", "/contexts/c1/redo").status == "200")
            #expect(try served.send("POST", "/contexts/c2/save").status == "200")
            #expect(try served.send("POST", "/contexts/c1/save").status == "200")
            let posts = try served.get("/Post")["items"]?.array ?? []
            #expect(posts.map { $0["name"]?.string } == ["Draft", "New"])
            #expect(posts.map { $0["note"]?.string } == ["child", nil])
            #expect(posts.map { $0["views"]?.int64 } == [7, 7])
            served.server.signal(SIGTERM)
            #expect(served.server.end() == 0)
            // All connections were closed.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasSuffix("-wal") })
        }
    }

    @Test("a change that loses something is refused, and the server goes on")
    func refused() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, ["--migrate", "auto", "--allow-model-changes"])
            try served.send("POST", "/Post", #"{"title": "One"}"#)
            try served.send("POST", "/contexts", "{}")
            try served.send("PATCH", "/contexts/c1/Post/1", #"{"title": "Draft"}"#)
            try served.write(Self.lossy)
            let message = try served.hangUp("error")
            #expect(
                message.hasPrefix("The server goes on with its model. The migration would lose Post.title of 1 object.")
            )
            let answer = try served.send("POST", "/model")
            #expect(answer.status == "409" && answer.json["code"] == "model")
            try served.write("{")
            #expect(try served.hangUp("error").hasPrefix("The server goes on with its model. "))
            try served.write(#"{"entities": {"api": {"attributes": {"title": "Int16"}}}}"#)
            let unsuitable = try served.send("POST", "/model")
            #expect(unsuitable.status == "409", "\(unsuitable.json)")
            #expect(try served.get("/contexts/c1/Post/1")["title"] == "Draft")
            #expect(try served.send("POST", "/contexts/c1/save").status == "200")
            #expect(try served.get("/Post/1")["title"] == "Draft")
        }
    }

    @Test("the log names what stands in the way of a migration")
    func obstacle() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, ["--migrate", "auto"])
            try served.write(Self.first.replacing(#""note": "String?""#, with: #""note": "Int64?""#))
            let message = try served.hangUp("error")
            #expect(message.contains(" Post.note: error: ") && !message.contains("StyledText"), "\(message)")
        }
    }

    @Test("a draft whose changes the model doesn't permit ends with the reason")
    func lostDraft() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, ["--migrate", "auto"])
            try served.send("POST", "/Post", "{}")
            for _ in 0..<2 { try served.send("POST", "/contexts", "{}") }
            try served.send("PATCH", "/contexts/c1/Post/1", #"{"title": "Draft"}"#)
            try served.send("PATCH", "/contexts/c2/Post/1", #"{"note": "Draft"}"#)
            // No object has a title in the store, so nothing is lost there.
            try served.write(Self.lossy)
            #expect(try served.hangUp("info").hasPrefix("“Model” is served now."))
            let lost = try served.send("GET", "/contexts/c1")
            #expect(lost.status == "410")
            #expect(
                lost.json["detail"]?.string
                    == "The editing context c1 couldn't be loaded: Post.title was changed in the context, and the model has "
                    + "removed it since."
            )
            #expect(try served.get("/contexts/c2/Post/1")["note"] == "Draft")
        }
    }

    @Test("drafts follow names that were exchanged", arguments: ["sqlite", "memory"])
    func exchangedNames(kind: String) throws {
        try Checkout.withFolder { folder in
            let store = kind == "memory" ? "memory:" : "\(kind):Store"
            let served = try Served(in: folder, on: store, ["--migrate", "auto"])
            try served.send("POST", "/Post", #"{"title": "One", "note": "first"}"#)
            try served.send("POST", "/contexts", "{}")
            try served.send("PATCH", "/contexts/c1/Post/1", #"{"title": "Draft"}"#)
            try served.write(
                """
                {"entities": {"Post": {"attributes": {
                    "title": {"type": "String?", "renamedFrom": "note"}, "note": {"type": "String?", "renamedFrom": "title"}
                }}}}
                """
            )
            #expect(try served.hangUp("info").hasPrefix("“Model” is served now."))
            let post = try served.get("/Post/1")
            #expect(post["title"] == "first" && post["note"] == "One")
            let draft = try served.get("/contexts/c1/Post/1")
            #expect(draft["title"] == "first" && draft["note"] == "Draft")
            #expect(try served.send("POST", "/contexts/c1/save").status == "200")
            #expect(try served.get("/Post/1")["note"] == "Draft")
        }
    }

    @Test("while the API is replaced, requests about the server are answered, and others wait until it fails")
    func gate() throws {
        let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Model {}))
        try coordinator.add(InMemoryStore(model: coordinator.model))
        let served = ReplaceableAPI(try API(coordinator), holdTime: .milliseconds(50), drainTime: .seconds(5))
        let (ready, list) = (HTTPRequest(.get, "/readyz"), HTTPRequest(.get, "/api"))
        try served.replace(isRequested: false) { api in
            #expect(served.respondUnlessLong(to: ready)?.status == .ok)
            #expect(served.respond(to: ready).status == .ok)
            #expect(served.respondShortly(to: HTTPRequest(.get, "/api/Post/1")) == nil)
            #expect(served.respond(to: list).status == .serviceUnavailable)
            return api
        }
        #expect(served.respond(to: list).status == .ok)
        #expect(throws: Failure.self) {
            try served.replace(isRequested: false) { _ in throw ReplaceableAPI.Unusable(reason: "It is so.") }
        }
        #expect(served.respondUnlessLong(to: list)?.status == .serviceUnavailable)
    }

    @Test("a request that takes long doesn't keep a change of the model from happening, nor others from being answered")
    func longRequest() throws {
        let model = Model { Entity("Post") { Attribute("title", .string).optional() } }
        let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(model))
        try coordinator.add(InMemoryStore(model: coordinator.model))
        let served = ReplaceableAPI(try API(coordinator), holdTime: .milliseconds(40), drainTime: .seconds(60))
        let body = BlockingBody()
        let upload = HTTPRequest(
            .post,
            "/api/Post/batch-insert",
            fields: [.contentType: "application/x-ndjson"],
            body: .stream(body)
        )
        let replaced = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { _ = served.respond(to: upload) }
        body.begun.wait()
        DispatchQueue.global().async {
            try? served.replace(isRequested: false) { $0 }
            replaced.signal()
        }
        for _ in 0..<20 {
            #expect(served.respond(to: HTTPRequest(.get, "/api")).status == .ok)
            usleep(5_000)
        }
        #expect(replaced.wait(timeout: .now()) == .timedOut)
        body.mayEnd.signal()
        #expect(replaced.wait(timeout: .now() + 60) == .success)
    }

    @Test("requests change the model only if they may")
    func requests() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, [])
            let forbidden = try served.send("POST", "/model")
            #expect(forbidden.status == "403" && forbidden.json["code"] == "forbidden")
            try served.write(Self.second)
            #expect(try served.hangUp("error").contains("the setting migrate is no"))
            // Nothing is migrated for a rule.
            try served.write(
                Self.first.replacing(#""title": "String?""#, with: #""title": {"type": "String?", "maxLength": 3}"#)
            )
            #expect(try served.hangUp("info") == "“Model” is served now.")
            #expect(try served.send("POST", "/Post", #"{"title": "long"}"#).status == "422")
        }
    }

    @Test("a server without a model file takes a model from a request, after a dry run")
    func fromRequest() throws {
        try Checkout.withFolder { folder in
            let file = folder + "/Model.json"
            try Self.first.write(toFile: file, atomically: true, encoding: .utf8)
            let store = folder + "/Store.sqlite"
            let first = try ServerProcess(in: folder, serving: ["--model", file, "--store", store])
            _ = try first.curl("--json", #"{"title": "One"}"#, first.address() + "/api/Post")
            first.signal(SIGTERM)
            #expect(first.end() == 0)
            try FileManager.default.removeItem(atPath: first.log)
            let arguments = ["--listen", "127.0.0.1:0", "--allow-model-changes"]
            let server = try ServerProcess(in: folder, serving: ["--store", store], arguments)
            let api = try server.address() + "/api"
            let rehearsed = try JSONValue(parsing: server.curl("--json", Self.second, api + "/model?dryRun=true").body)
            #expect(rehearsed["isChanged"] == true)
            let entity = rehearsed["stores"]?[0]?["stages"]?[0]?["entities"]?[0]
            #expect(entity?["name"] == "Post" && entity?["outcome"] == "kept")
            #expect(try JSONValue(parsing: server.curl(api + "/Post/1").body)["title"] == "One")
            #expect(try server.curl("-X", "POST", api + "/model").status == "409")
            let answer = try server.curl("--json", Self.second, api + "/model")
            #expect(answer.status == "200")
            let version = try JSONValue(parsing: answer.body)["version"]?.string
            let shown = try server.curl("-o", "/dev/null", "-w", "%header{model-version}", api + "/Post/1").status
            #expect(version != nil && shown == version)
            #expect(try JSONValue(parsing: server.curl(api + "/Post/1").body)["views"] == 7)
            server.signal(SIGTERM)
            #expect(server.end() == 0)
            try FileManager.default.removeItem(atPath: server.log)
            // The store carries the model now.
            let last = try ServerProcess(in: folder, serving: ["--store", store])
            #expect(try JSONValue(parsing: last.curl(last.address() + "/api/Post/1").body)["name"] == "One")
        }
    }

    @Test("clients of the former model go on after a change, and are refused after one that loses something")
    func formerClients() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, ["--migrate", "auto", "--allow-model-changes"])
            try served.send("POST", "/Post", #"{"title": "One"}"#)
            let path = served.api + "/Post/1"
            let version = try served.server.curl("-o", "/dev/null", "-w", "%header{model-version}", path).status
            let former = ["-H", "Accept-Model: \(version)"]
            try served.write(Self.second)
            #expect(try served.send("POST", "/model").status == "200")
            let post = try JSONValue(parsing: served.server.curl(former + [path]).body)
            #expect(post == ["_id": "Post/1", "_entity": "Post", "_version": 1, "title": "One", "note": .null])
            let patch = ["-X", "PATCH", "--json", #"{"title": "Two"}"#, path]
            #expect(try served.server.curl(former + patch).status == "200")
            #expect(try served.get("/Post/1")["name"] == "Two")
            try served.send("PATCH", "/Post/1", #"{"name": null}"#)
            try served.write(
                Self.second.replacing("\"name\": {\"type\": \"String?\", \"renamedFrom\": \"title\"}, ", with: "")
            )
            #expect(try served.send("POST", "/model").status == "200")
            let refused = try served.server.curl(former + [path])
            #expect(refused.status == "409")
            let errors = try JSONValue(parsing: refused.body)["errors"]?.array
            #expect(errors?.map { $0["message"]?.string } == ["Post.title: attribute removed"])
        }
    }

    @Test("a server knows the versions of its model's bundle")
    func bundle() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(
                in: folder,
                serving: ["--model", Files.demo, "--store", "memory:", "--demo"],
                ["--listen", "127.0.0.1:0"]
            )
            let list = try server.address() + "/api/Article?limit=1"
            let answer = try server.curl("-H", "Accept-Model: Demo", list)
            let article = try JSONValue(parsing: answer.body)["items"]?[0]
            #expect(answer.status == "200" && article?["_entity"] == "Article" && article?["body"] != nil)
        }
    }

    @Test("a live list ends with the reason when the model has changed", arguments: ["sqlite", "memory"])
    func liveList(kind: String) throws {
        try Checkout.withFolder { folder in
            let store = kind == "memory" ? "memory:" : "\(kind):Store"
            let served = try Served(in: folder, on: store, ["--migrate", "auto"])
            let output = folder + "/output"
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = ["curl", "-sSN", "-o", output, served.api + "/Post/live"]
            try curl.run()
            for _ in 0..<500 {
                if (try? String(contentsOfFile: output, encoding: .utf8))?.contains("event: result") == true { break }
                usleep(20_000)
            }
            try served.write(Self.second)
            #expect(try served.hangUp("info").hasPrefix("“Model” is served now."))
            curl.waitUntilExit()
            #expect(curl.terminationStatus == 0)
            let events = try String(contentsOfFile: output, encoding: .utf8)
            let last = #"{"code":"migrating","detail":"The server takes another model. Connect again."}"#
            #expect(events.hasSuffix("event: end\ndata: \(last)\n\n"), "\(events)")
        }
    }

    @Test("a migration of a store that is being served names the server, and what to do instead")
    func servedStore() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, [])
            try served.send("POST", "/Post", #"{"title": "One"}"#)
            try served.write(Self.second)
            for option in ["--dry-run", "--no-backup"] {
                let refused = outcrop("migrate", folder + "/Store", "--to", folder + "/Model.json", option)
                #expect(refused.status == .problems, "\(refused.output)")
                let server = "The store is in use by process \(served.server.number), “"
                #expect(refused.errors.contains(server), "\(refused.errors)")
                #expect(refused.errors.contains("--migrate auto, and send it SIGHUP"), "\(refused.errors)")
            }
        }
    }

    @Test("a stream that has begun ends with the model that it began with")
    func stream() throws {
        try Checkout.withFolder { folder in
            let served = try Served(in: folder, ["--migrate", "auto"])
            let rows = (0..<40_000).map { #"{"title": "\#($0) \#(String(repeating: "x", count: 500))"}"# }
            let file = folder + "/rows"
            try rows.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            let insert = ["-H", "Content-Type: application/x-ndjson", "--data-binary", "@" + file]
            #expect(try served.server.curl(insert + [served.api + "/Post/batch-insert"]).status == "200")
            let output = folder + "/output"
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = [
                "curl", "-sS", "--limit-rate", "8M", "-o", output, "-H", "Accept: application/x-ndjson",
                served.api + "/Post",
            ]
            try curl.run()
            usleep(300_000)
            try served.write(Self.second)
            #expect(try served.hangUp("info").hasPrefix("“Model” is served now."))
            #expect(curl.isRunning)
            #expect(try served.get("/Post/1")["views"] == 7)
            curl.waitUntilExit()
            #expect(curl.terminationStatus == 0)
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 40_000)
            #expect(lines.allSatisfy { $0.contains("\"title\":") })
        }
    }
}

/// A body that ends when it may.
private struct BlockingBody: HTTPBodyReader {
    let begun = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)

    func read() -> [UInt8]? {
        begun.signal()
        mayEnd.wait()
        mayEnd.signal()
        return nil
    }
}
