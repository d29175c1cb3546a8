// SPDX-License-Identifier: Apache-2.0

// Drafts that are in their files alone until a request is about them.

import Dispatch
import Files
import FoundationEssentials
import HTTPMessage
import JSON
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Editing contexts outside memory")
struct ContextLoadingTests {
    private typealias Run = ContextJournalTests.Run

    /// Room for two drafts with a long note each.
    private var narrow: APIOptions {
        var options = APIOptions()
        options.contextsMemoryLimit = 200_000
        return options
    }

    private func loaded(_ run: Run) throws -> [String] { try #require(run.api.contexts).inMemory }

    private func add(_ name: String, to context: String, _ run: Run) throws -> Answer {
        let note = String(repeating: "x", count: 80_000)
        return try run.send(.post, "/api/contexts/\(context)/users", "{\"name\":\"\(name)\",\"note\":\"\(note)\"}")
    }

    private func names(_ context: String, _ run: Run) throws -> [JSONValue?] {
        let answer = try run.get("/api/contexts/\(context)/changes")
        #expect(answer.status == 200, "\(answer.text)")
        return answer["inserted"]?.array?.map { $0["name"] } ?? []
    }

    @Test("a request to a context or a related one loads it; listing, counting and ending don't")
    func firstUse() throws {
        try Checkout.withFolder { folder in
            let list: JSONValue?
            do {
                let run = try Run(folder)
                for (number, body) in ["{}", #"{"parent":"c1"}"#, #"{"name":"Other"}"#, "{}"].enumerated() {
                    _ = try run.send(.post, "/api/contexts", body, [.idempotencyKey: "\(number)"])
                }
                for name in ["c1", "c2", "c3", "c4"] { #expect(try add(name, to: name, run).status == 201) }
                list = try run.get("/api/contexts")["items"]
            }
            let run = try Run(folder)
            func withoutTimes(_ items: JSONValue?) -> [[String]] {
                items?.array?.map {
                    ["context", "name", "parent", "created"].map { [item = $0] in item[$0]?.string ?? "" }
                } ?? []
            }
            #expect(try withoutTimes(run.get("/api/contexts")["items"]) == withoutTimes(list))
            // A batch counts those that merge what it does when they are there.
            #expect(try run.send(.post, "/api/tags/batch-insert", #"[{"name":"x"}]"#)["merged"] == 4)
            let again = try run.send(
                .post,
                "/api/contexts",
                #"{"name":"Other"}"#,
                [.idempotencyKey: "2"]
            )
            #expect(again["context"] == "c3")
            #expect(try run.send(.delete, "/api/contexts/c4").status == 204)
            #expect(try run.get("/api/contexts/c4").status == 410)
            #expect(!FileManager.default.fileExists(atPath: folder + "/contexts/c4.draft"))
            #expect(try loaded(run).isEmpty)
            #expect(run.api.lane(of: HTTPRequest(.get, "/api/contexts/c2/posts"))?.name == "c1")
            #expect(try names("c2", run) == ["c2"])
            #expect(try loaded(run) == ["c1", "c2"])
            #expect(try run.get("/api/contexts/c1")["children"] == ["c2"])
            #expect(try names("c3", run) == ["c3"])
            #expect(try loaded(run) == ["c1", "c2", "c3"])
            #expect(try run.send(.post, "/api/tags/batch-insert", #"[{"name":"y"}]"#)["merged"] == 3)
        }
    }

    @Test("the least recently used contexts are unloaded when memory is needed, and are unchanged when loaded again")
    func room() throws {
        try Checkout.withFolder { folder in
            var run = try Run(folder, options: narrow)
            for number in 1...5 {
                _ = try run.send(.post, "/api/contexts")
                #expect(try add("A\(number)", to: "c\(number)", run).status == 201)
                _ = try run.send(.post, "/api/contexts/c\(number)/tags", "{\"name\":\"T\(number)\"}")
            }
            #expect(try loaded(run) == ["c4", "c5"])
            for _ in 0..<2 {
                for number in [1, 3, 5, 2, 4] {
                    #expect(try names("c\(number)", run) == ["A\(number)", "T\(number)"].map { .string($0) })
                    #expect(try #require(run.api.contexts).memory.total <= 200_000)
                }
                #expect(try loaded(run) == ["c2", "c4"])
                // A child comes with its parent, and what can be undone with both.
                #expect(try run.send(.post, "/api/contexts/c1/undo")["undo"] == 1)
                #expect(try names("c1", run) == ["A1"])
                _ = try run.get("/api/contexts/c2")
                #expect(try run.send(.post, "/api/contexts/c1/redo").status == 200)
                run = try Run(folder, options: narrow)
            }
            let saved = try run.send(.post, "/api/contexts/c1/save")["ids"]?["tags/t2"]?.string
            for number in 2...5 { _ = try run.get("/api/contexts/c\(number)") }
            #expect(try loaded(run) == ["c4", "c5"])
            #expect(try run.get("/api/contexts/c1/tags/t2")["_id"]?.string == saved)
        }
    }

    @Test("a loaded context merges what others have saved meanwhile")
    func meanwhile() throws {
        try Checkout.withFolder { folder in
            let run = try Run(folder)
            let contexts = try #require(run.api.contexts)
            _ = try run.send(.post, "/api/contexts")
            _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
            _ = try run.send(.patch, "/api/contexts/c2/posts/1", #"{"title":"Mine"}"#)
            for round in 0..<3 {
                contexts.unloadAll()
                #expect(contexts.inMemory.isEmpty)
                _ = try run.send(.patch, "/api/posts/1", "{\"title\":\"Theirs \(round)\",\"views\":\(round)}")
                #expect(try run.get("/api/contexts/c2/posts/1")["views"]?.int64 == Int64(round))
                let change = try run.get("/api/contexts/c2/changes")["updated"]?[0]?["properties"]?["title"]
                #expect(change?["stored"]?.string == "Theirs \(round)" && change?["conflict"] == true)
                #expect(change?["new"] == "Mine")
            }
        }
    }

    @Test("contexts with listeners, on their base or without a complete file aren't unloaded")
    func staying() throws {
        try Checkout.withFolder { folder in
            let disk = FailingFiles()
            let run = try Run(folder, options: narrow)
            let contexts = try #require(run.api.contexts)
            let listener = Listener()
            for body in ["{}", #"{"automaticallyMergesChanges":false}"#, "{}"] {
                _ = try run.send(.post, "/api/contexts", body)
            }
            try listener.listen(to: "/api/contexts/c1", of: run.api)
            for name in ["c1", "c2"] { #expect(try add(name, to: name, run).status == 201) }
            let refused = try add("c3", to: "c3", run)
            #expect(refused.status == 503 && refused["limit"] == "contextsMemory")
            #expect(try names("c3", run) == [])
            #expect(try loaded(run) == ["c1", "c2", "c3"])
            #expect(try run.send(.delete, "/api/contexts/c2").status == 204)
            _ = try run.send(.patch, "/api/contexts/c3/posts/1", #"{"title":"Mine"}"#)
            // The store knows of the save, and the file doesn't.
            disk.fail(1, .write, lasts: true)
            let saved = try disk.run { try run.send(.post, "/api/contexts/c3/save") }
            #expect(saved.status == 200)
            disk.run { contexts.unloadAll() }
            #expect(disk.mend() > 0)
            #expect(try loaded(run) == ["c1", "c3"])
            contexts.unloadAll()
            #expect(try loaded(run) == ["c1"])
            #expect(try run.get("/api/contexts/c3")["undo"] == 1)
            #expect(try add("c3", to: "c3", run).status == 201)
            #expect(try add("again", to: "c1", run).status == 201)
            #expect(try loaded(run) == ["c1"])
            // The only room is taken by what is in use.
            let full = try run.get("/api/contexts/c3")
            #expect(full.status == 503 && full["limit"] == "contextsMemory" && full.fields[.retryAfter] == "60")
            #expect(full["detail"]?.string?.contains("c3 can't be loaded from its file now") == true)
            #expect(try run.get("/api/contexts")["items"]?.array?.count == 2)
            #expect(try run.send(.post, "/api/contexts/c1/rollback").status == 200)
            #expect(try names("c3", run) == ["c3"])
        }
    }

    @Test("a context larger than the memory limit is loaded alone")
    func alone() throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                for number in 1...2 {
                    _ = try run.send(.post, "/api/contexts")
                    for name in ["A", "B", "C"] { _ = try add(name, to: "c\(number)", run) }
                }
            }
            let run = try Run(folder, options: narrow)
            for name in ["c1", "c2", "c1"] {
                #expect(try names(name, run) == ["A", "B", "C"])
                #expect(try loaded(run) == [name])
                #expect(try add("D", to: name, run).status == 503)
            }
            #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
        }
    }

    @Test("an unloaded context that isn't used expires")
    func idling() throws {
        try Checkout.withFolder { folder in
            let clock = Clock()
            var options = APIOptions()
            options.now = { clock.now }
            do {
                let run = try Run(folder)
                for body in ["{}", #"{"parent":"c1"}"#, "{}"] { _ = try run.send(.post, "/api/contexts", body) }
            }
            let run = try Run(folder, options: options)
            clock.advance(by: .seconds(1_700))
            #expect(try run.get("/api/contexts/c2").status == 200)
            clock.advance(by: .seconds(200))
            #expect(try run.get("/api/contexts")["items"]?.array?.map { $0["context"] } == ["c1", "c2"])
            #expect(try run.get("/api/contexts/c3").status == 410)
            clock.advance(by: .seconds(1_700))
            #expect(try run.get("/api/contexts")["items"] == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/contexts") == ["last"])
        }
    }

    @Test("a context that can't be loaded answers with the reason, which is logged")
    func lostAfterStart() throws {
        try Checkout.withFolder { folder in
            let file = URL(filePath: folder + "/contexts/c2.draft")
            do {
                let run = try Run(folder)
                for body in ["{}", #"{"parent":"c1"}"#, #"{"parent":"c2"}"#] {
                    _ = try run.send(.post, "/api/contexts", body)
                }
                for name in ["c1", "c2", "c3"] {
                    _ = try run.send(.patch, "/api/contexts/\(name)/posts/1", "{\"title\":\"\(name)\"}")
                }
            }
            // What is added is whole by itself, and follows nothing.
            let bytes = try Data(contentsOf: file)
            let archive = try #require(bytes.split(separator: 0x0A, maxSplits: 1).last)
            let addition = Data("{\"lastTemporary\":0,\"bytes\":\(archive.count)}\n".utf8) + archive
            try (bytes + addition).write(to: file)
            let reasons = Mutex<[String]>([])
            let run = try Run(folder, onFailure: { failure in reasons.withLock { $0.append(failure.reason) } })
            #expect(run.lost.isEmpty)
            for _ in 0..<2 {
                let answer = try run.get("/api/contexts/c2/posts/1")
                #expect(answer.status == 410)
                #expect(
                    answer["detail"]?.string?.contains("couldn't be loaded: A complete archive") == true
                )
            }
            #expect(reasons.withLock(\.count) == 1)
            #expect(reasons.withLock { $0.first?.contains("c2 couldn't be loaded") } == true)
            #expect(try run.get("/api/contexts/c1/posts/1")["title"] == "c1")
            #expect(try run.get("/api/contexts")["lost"]?.array?.map { $0["context"] } == ["c2", "c3"])
            #expect(try run.get("/api/contexts/c1")["children"] == [])
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(try run.send(.delete, "/api/contexts/c2").status == 204)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("a context with a temporarily unreadable file is kept for another try")
    func unreadable() throws {
        try Checkout.withFolder { folder in
            let disk = FailingFiles()
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Mine"}"#)
            }
            let run = try Run(folder)
            disk.fail(1, .open)
            #expect(try disk.run { try run.get("/api/contexts/c1/posts/1") }.status == 500)
            #expect(disk.mend() > 0)
            #expect(try run.get("/api/contexts/c1/posts/1")["title"] == "Mine")
        }
    }

    @Test("no change is lost in many contexts that are loaded and unloaded concurrently")
    func contention() throws {
        try Checkout.withFolder { folder in
            let run = try Run(folder, options: narrow)
            for number in 1...6 {
                _ = try run.send(.post, "/api/contexts")
                #expect(try add("A", to: "c\(number)", run).status == 201)
            }
            let counts = Mutex([Int](repeating: 0, count: 7))
            DispatchQueue.concurrentPerform(iterations: 120) { turn in
                let number = turn % 6 + 1
                let answer = try? run.send(
                    .patch,
                    "/api/contexts/c\(number)/posts/1",
                    #"{"views":{"$inc":1}}"#
                )
                if answer?.status == 200 { counts.withLock { $0[number] += 1 } }
                if turn % 10 == 0 { _ = try? run.send(.patch, "/api/posts/1", "{\"title\":\"\(turn)\"}") }
                #expect(answer?.status == 200 || answer?.status == 503)
            }
            let before = try #require(run.get("/api/posts/1")["views"]?.int64)
            func check(_ run: Run) throws {
                let title = try run.get("/api/posts/1")["title"]
                for number in 1...6 {
                    let shown = try run.get("/api/contexts/c\(number)/posts/1")
                    #expect(shown["views"]?.int64 == before + Int64(counts.withLock { $0[number] }))
                    #expect(shown["title"] == title)
                }
            }
            try check(run)
            run.api.flushContexts()
            try check(Run(folder, options: narrow))
        }
    }
}
