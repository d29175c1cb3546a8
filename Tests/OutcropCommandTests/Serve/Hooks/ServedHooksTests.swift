// SPDX-License-Identifier: Apache-2.0

// Webhooks of a server in a process of its own.

import Foundation
import HTTPMessage
import JSON
import Synchronization
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Webhooks of a server")
struct ServedHooksTests {
    private static let model = """
        {"entities": {"Post": {"attributes": {"title": "String?"}}, "Tag": {"attributes": {"name": "String?"}}}}
        """
    private static let next = """
        {"entities": {"Post": {"attributes": {"title": "String?", "views": {"type": "Int32", "default": 0}}},
                      "Tag": {"attributes": {"name": "String?"}}}}
        """

    private final class World {
        let folder: String
        let receiver: HookReceiver
        private(set) var server: ServerProcess
        private let arguments: [String]
        private let store: String

        init(
            in folder: String,
            _ hooks: String = "",
            store: String = "sqlite",
            options: String...
        ) throws {
            self.folder = folder
            receiver = try HookReceiver()
            let receiver = receiver
            try Self.write(hooks, in: folder, for: receiver)
            try ServedHooksTests.model.write(toFile: folder + "/Model.json", atomically: true, encoding: .utf8)
            arguments =
                ["--listen", "127.0.0.1:0", "--hooks", folder + "/hooks.json", "--hook-hosts", receiver.authority]
                + options
            self.store = "\(store):\(folder)/Store"
            server = try ServerProcess(
                in: folder,
                serving: ["--model", folder + "/Model.json", "--store", self.store],
                arguments
            )
        }

        func write(_ hooks: String) throws { try Self.write(hooks, in: folder, for: receiver) }

        private static func write(_ hooks: String, in folder: String, for receiver: HookReceiver) throws {
            let text =
                #"[{"name": "all", "url": "http://\#(receiver.authority)/in", "secret": "0123456789abcdef"\#(hooks)}]"#
            try text.write(toFile: folder + "/hooks.json", atomically: true, encoding: .utf8)
        }

        func restart() throws {
            try FileManager.default.removeItem(atPath: server.log)
            server = try ServerProcess(
                in: folder,
                serving: ["--model", folder + "/Model.json", "--store", store],
                arguments
            )
        }

        func post(_ path: String, _ body: String? = nil) throws -> JSONValue {
            let content = body.map { ["--json", $0] } ?? ["-X", "POST"]
            return try JSONValue(parsing: server.curl(content + [server.address() + "/api" + path]).body)
        }

        func get(_ path: String) throws -> JSONValue {
            try JSONValue(parsing: server.curl(server.address() + "/api" + path).body)
        }

        /// Waits until a condition holds, or a test would fail.
        func wait(until condition: () throws -> Bool) rethrows {
            for _ in 0..<1_500 {
                if try condition() { return }
                usleep(10_000)
            }
        }

        func expect(_ changes: [String], at location: SourceLocation = #_sourceLocation) {
            wait { receiver.requests.count >= changes.count }
            #expect(receiver.requests.flatMap(\.hookChanges) == changes, sourceLocation: location)
        }
    }

    @Test(
        "saves are delivered, and after a crash what wasn't written as delivered is delivered again",
        arguments: [
            "sqlite", "xml",
        ]
    )
    func crash(store: String) throws {
        try Checkout.withFolder { folder in
            let world = try World(in: folder, store: store)
            _ = try world.post("/Tag", #"{"name": "a"}"#)
            world.expect(["inserted Tag"])
            world.server.signal(SIGKILL)
            _ = world.server.end()
            try world.restart()
            _ = try world.post("/Post", #"{"title": "b"}"#)
            world.wait { world.receiver.requests.last?.hookChanges == ["inserted Post"] }
            let requests = world.receiver.requests
            #expect(requests.last?.hookChanges == ["inserted Post"])
            #expect(requests.count == 2 || requests.count == 3)
            // Unless the position was written just before.
            if requests.count == 3 {
                #expect(requests[0].fields["Outcrop-Delivery"] == requests[1].fields["Outcrop-Delivery"])
            }
            // After an orderly end nothing is repeated.
            world.server.signal(SIGTERM)
            #expect(world.server.end() == 0)
            // All connections were closed.
            #expect(!FileManager.default.fileExists(atPath: folder + "/Store-wal"))
            try world.restart()
            _ = try world.post("/Tag", #"{"name": "c"}"#)
            world.wait { world.receiver.requests.count > requests.count }
            #expect(world.receiver.requests.count == requests.count + 1)
        }
    }

    @Test("a receiver that fails gets the delivery later, and the log and the API say so")
    func failing() throws {
        try Checkout.withFolder { folder in
            let world = try World(in: folder)
            world.receiver.answer { _ in HTTPResponse(.serviceUnavailable) }
            _ = try world.post("/Tag", #"{"name": "a"}"#)
            _ = try world.server.event("hook")
            let hook = try world.get("/hooks/all")
            #expect(hook["attempts"] == 1)
            #expect(hook["lastFailure"]?["status"] == 503)
            #expect(hook["url"]?.string == "http://\(world.receiver.authority)/…")
            #expect(hook["secret"] == nil)
            world.receiver.answer { _ in HTTPResponse(.ok) }
            try world.wait { try world.get("/hooks/all")["lastSuccess"] != .null }
            #expect(try world.get("/hooks/all")["attempts"] == 0)
        }
    }

    @Test("hooks go on with a changed model, and SIGHUP reads their file again")
    func changes() throws {
        try Checkout.withFolder { folder in
            let world = try World(in: folder, options: "--migrate", "auto")
            _ = try world.post("/Tag", #"{"name": "a"}"#)
            world.expect(["inserted Tag"])
            try Self.next.write(toFile: folder + "/Model.json", atomically: true, encoding: .utf8)
            world.server.signal(SIGHUP)
            _ = try world.server.event("model")
            #expect(try world.post("/Post", #"{"title": "b", "views": 3}"#)["views"] == 3)
            world.expect(["inserted Tag", "inserted Post"])
            try world.write(#", "entities": ["Post"], "predicate": "views > 3""#)
            world.server.signal(SIGHUP)
            try world.wait { try world.get("/hooks/all")["predicate"] != .null }
            _ = try world.post("/Tag", #"{"name": "c"}"#)
            _ = try world.post("/Post", #"{"title": "d", "views": 3}"#)
            _ = try world.post("/Post", #"{"title": "e", "views": 4}"#)
            world.expect(["inserted Tag", "inserted Post", "inserted Post"])
            // A file with mistakes changes nothing.
            try world.write(#", "entities": ["Nothing"]"#)
            world.server.signal(SIGHUP)
            try world.wait { try world.server.events().contains { $0["level"] == "error" } }
            #expect(try world.get("/hooks/all")["predicate"] == "views > 3")
        }
    }

    @Test("a file of webhooks that needs what a new model adds is read with it by one SIGHUP")
    func changesWithModel() throws {
        try Checkout.withFolder { folder in
            let world = try World(in: folder, options: "--migrate", "auto")
            try Self.next.write(toFile: folder + "/Model.json", atomically: true, encoding: .utf8)
            try world.write(#", "entities": ["Post"], "predicate": "views > 3""#)
            world.server.signal(SIGHUP)
            try world.wait { try world.get("/hooks/all")["predicate"] != .null }
            #expect(try world.get("/hooks/all")["predicate"] == "views > 3")
            #expect(try world.server.events().allSatisfy { $0["level"] != "error" })
            _ = try world.post("/Post", #"{"title": "a", "views": 4}"#)
            world.expect(["inserted Post"])
        }
    }

    @Test("a receiver that doesn't answer delays the server's end only by the time for draining")
    func slowEnd() throws {
        try Checkout.withFolder { folder in
            let world = try World(in: folder, options: "--drain-time", "3 s")
            let isHeld = Mutex(true)
            defer { isHeld.withLock { $0 = false } }
            world.receiver.answer { _ in
                while isHeld.withLock(\.self) { usleep(10_000) }
                return HTTPResponse(.ok)
            }
            _ = try world.post("/Tag", #"{"name": "a"}"#)
            world.wait { world.receiver.requests.count == 1 }
            let start = ContinuousClock.now
            world.server.signal(SIGTERM)
            #expect(world.server.end() == 0)
            #expect(ContinuousClock.now - start < .seconds(5.5))
        }
    }

    @Test("a server with a mistake in its hooks, or a host that isn't allowed, doesn't start")
    func refusals() throws {
        try Checkout.withFolder { folder in
            let path = folder + "/hooks.json"
            try #"[{"name": "n", "url": "http://localhost:9000/", "secret": "0123456789abcdef"}]"#
                .write(toFile: path, atomically: true, encoding: .utf8)
            let arguments = ["--listen", "127.0.0.1:0", "--hooks", path]
            let host = try ServerProcess.refusal(arguments)
            #expect(host.contains("hooks.json:1:16: Webhooks may not send to localhost:9000."), "\(host)")
            #expect(host.contains("--hook-hosts localhost:9000"))
            let off = try ServerProcess.refusal(arguments + ["--hook-hosts", "localhost", "--history", "off"])
            #expect(off.contains("Webhooks deliver the history, which is off."))
        }
    }
}
