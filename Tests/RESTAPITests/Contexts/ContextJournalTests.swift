// SPDX-License-Identifier: Apache-2.0

// Drafts that survive the process.

import Dispatch
import Files
import FoundationEssentials
import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Editing contexts after a restart")
struct ContextJournalTests {
    /// The API over one file, created again for each start.
    struct Run: Sendable {
        let folder: String
        let api: API
        let lost: [(name: String, reason: String)]

        init(
            _ folder: String,
            _ model: Model = Blog.model,
            isReadOnly: Bool = false,
            options: APIOptions = APIOptions(),
            onFailure: @escaping @Sendable (APIFailure) -> Void = { _ in }
        ) throws {
            self.folder = folder
            let model = try ManagedObjectModel(model)
            let coordinator = PersistentStoreCoordinator(model: model)
            let path = folder + "/Blog.sqlite"
            let isNew = !FileManager.default.fileExists(atPath: path)
            var storeOptions = SQLiteStoreOptions()
            storeOptions.isReadOnly = isReadOnly
            try coordinator.add(SQLiteStore(path: path, model: model, options: storeOptions))
            if isNew { try Blog.fill(coordinator) }
            api = try API(coordinator, options: options.patient, onFailure: onFailure)
            lost = try api.keepContexts(in: folder + "/contexts")
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

        func get(_ target: String) throws -> Answer { try send(.get, target) }
    }

    @Test("pending changes, undo and children survive a restart")
    func restart() throws {
        try Checkout.withFolder { folder in
            let before: [JSONValue?]
            let paths = ["/api/contexts/c1", "/api/contexts/c2"]
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts", #"{"name":"Draft","mergePolicy":"object"}"#)
                _ = try run.send(
                    .post,
                    "/api/contexts/c1/posts",
                    #"{"title":"New","pages":[{"text":"One"}],"picture":"AQID"}"#
                )
                _ = try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Changed"}"#)
                _ = try run.send(.delete, "/api/contexts/c1/posts/2")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/t1", #"{"views":7}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/3", #"{"author":null}"#)
                _ = try run.send(.post, "/api/contexts/c2/undo")
                before = try paths.flatMap { path in
                    [try run.get("\(path)/changes").json, try run.get("\(path)/posts?limit=100&include=pages").json]
                }
            }
            let run = try Run(folder)
            #expect(run.lost.isEmpty)
            for (place, path) in paths.enumerated() {
                #expect(try run.get("\(path)/changes").json == before[2 * place])
                #expect(try run.get("\(path)/posts?limit=100&include=pages").json == before[2 * place + 1])
            }
            #expect(try run.get("/api/contexts/c1")["name"] == "Draft")
            #expect(try run.get("/api/contexts/c1")["mergePolicy"] == "object")
            #expect(try run.get("/api/contexts/c2")["parent"] == "c1")
            #expect(try run.get("/api/contexts/c2")["redo"] == 1)
            #expect(try run.send(.post, "/api/contexts/c2/redo").status == 200)
            #expect(try run.get("/api/contexts/c2/posts/3")["author"] == .null)
            for _ in 0..<2 { #expect(try run.send(.post, "/api/contexts/c1/undo").status == 200) }
            #expect(try run.get("/api/contexts/c1/posts/1")["title"] != "Changed")
            #expect(try run.get("/api/contexts/c1/posts/2").status == 200)
            // New names and context numbers continue where they ended.
            #expect(try run.send(.post, "/api/contexts/c2/tags", #"{"name":"x"}"#)["_id"] == "tags/t3")
            #expect(try run.send(.post, "/api/contexts")["context"] == "c3")
            #expect(try run.send(.post, "/api/contexts/c2/save").status == 200)
            let saved = try run.send(.post, "/api/contexts/c1/save")
            #expect(saved.status == 200, "\(saved.text)")
            #expect(saved["ids"]?.object?.names == ["posts/t1", "pages/t2", "tags/t3"])
        }
    }

    @Test(
        "merged changes of other clients survive a restart",
        arguments: [
            [#"{"title":"Theirs"}"#, #"{"title":"Mine"}"#, #"{"title":"Last"}"#],
            [#"{"tags":["tags/1"]}"#, #"{"tags":[]}"#, #"{"tags":["tags/1","tags/2"]}"#],
            [#"{"author":null}"#, #"{"author":"users/1"}"#, #"{"author":"users/2"}"#],
            [#"{"views":1}"#, #"{"views":2,"title":"Mine"}"#, #"{"views":3,"title":"Else"}"#],
        ]
    )
    func following(changes: [String]) throws {
        try Checkout.withFolder { folder in
            let before: [JSONValue?]
            let paths = ["/api/contexts/c1", "/api/contexts/c1/changes", "/api/contexts/c1/posts/1?include=tags"]
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts", "{}")
                _ = try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Mine","tags":[],"author":null}"#)
                for change in changes {
                    #expect(try run.send(.patch, "/api/posts/1", change).status == 200)
                    _ = try run.get("/api/contexts/c1")
                }
                before = try paths.map { try run.get($0).json }
                run.api.flushContexts()
            }
            let run = try Run(folder)
            for (path, answer) in zip(paths, before) where path != paths[0] {
                let now = try run.get(path).json
                #expect(now == answer)
            }
            let changed = try run.get(paths[0]).json?["hasChanges"]
            #expect(changed == before[0]?["hasChanges"])
        }
    }

    @Test("a context's file is rewritten soon after other clients' changes are merged")
    func writtenForOthers() throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts", "{}")
                _ = try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Mine"}"#)
                let path = folder + "/contexts/c1.draft"
                let before = try OpenFile(reading: path)
                let bytes = try before.read(at: 0, count: before.size)
                _ = try run.send(.patch, "/api/posts/1", #"{"title":"Mine"}"#)
                // A request merges the change at once.
                #expect(try run.get("/api/contexts/c1").json?["hasChanges"] == false)
                var now = bytes
                for _ in 0..<600 where now == bytes {
                    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
                    let file = try OpenFile(reading: path)
                    now = try file.read(at: 0, count: file.size)
                }
                #expect(now != bytes)
            }
            let run = try Run(folder)
            _ = try run.send(.patch, "/api/posts/1", #"{"title":"Theirs"}"#)
            #expect(try run.get("/api/contexts/c1/posts/1").json?["title"] == "Theirs")
        }
    }

    @Test("temporary names of saved objects are kept, and changes made meanwhile are merged")
    func names() throws {
        try Checkout.withFolder { folder in
            let id: String
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts/c1/posts", #"{"title":"New"}"#)
                id = try #require(try run.send(.post, "/api/contexts/c1/save")["ids"]?["posts/t1"]?.string)
                _ = try run.send(.patch, "/api/contexts/c1/posts/t1", #"{"title":"Mine"}"#)
                // As another process would, unnoticed by drafts.
                _ = try run.send(.patch, "/api/\(id)", #"{"title":"Theirs","views":9}"#)
            }
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/c1/posts/t1")["_id"]?.string == id)
            #expect(try run.get("/api/contexts/c1/posts/t1")["views"] == 9)
            let change = try run.get("/api/contexts/c1/changes")["updated"]?[0]?["properties"]?["title"]
            #expect(change == ["base": "New", "stored": "Theirs", "new": "Mine", "conflict": true])
            #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
            #expect(try run.get("/api/\(id)")["title"] == "Mine")
        }
    }

    @Test("a save is done once if the process ends before recording it")
    func killedInSave() throws {
        try Checkout.withFolder { folder in
            let file = folder + "/contexts/c1.draft"
            let record: Data
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts/c1/posts", #"{"title":"Once"}"#)
                record = try Data(contentsOf: URL(filePath: file))
                #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
            }
            // The record as it was before the save.
            try record.write(to: URL(filePath: file))
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/c1")["hasChanges"] == false)
            #expect(try run.get("/api/contexts/c1")["notice"] != nil)
            #expect(try run.get("/api/contexts/c1/posts/t1")["title"] == "Once")
            #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
            #expect(try run.get("/api/posts?title=Once&result=count")["count"] == 1)
        }
    }

    @Test("responses to requests with a key survive a restart, also that of an interrupted save")
    func answers() throws {
        try Checkout.withFolder { folder in
            let file = URL(filePath: folder + "/contexts/c1.draft")
            let record: Data
            var first: [Answer] = []
            func calls(_ run: Run) throws -> [Answer] {
                try [("/api/contexts", #"{"name":"A"}"#), ("/api/contexts/c1/tags", #"{"name":"Once, “quoted”"}"#)].map
                {
                    try run.send(.post, $0, $1, [.idempotencyKey: $0])
                }
            }
            do {
                let run = try Run(folder)
                first += try calls(run)
                #expect(first.map(\.status) == [201, 201])
            }
            do {
                let run = try Run(folder)
                let again = try calls(run)
                #expect(again.map(\.text) == first.map(\.text))
                #expect(again.allSatisfy { $0.fields.contains(.idempotencyReplayed) })
                record = try Data(contentsOf: file)
                first.append(try run.send(.post, "/api/contexts/c1/save", nil, [.idempotencyKey: "save"]))
                #expect(first[2]["ids"]?["tags/t1"] != nil)
            }
            for _ in 0..<2 {
                let run = try Run(folder)
                let again = try calls(run) + [run.send(.post, "/api/contexts/c1/save", nil, [.idempotencyKey: "save"])]
                #expect(again.map(\.text) == first.map(\.text))
                #expect(again.allSatisfy { $0.fields.contains(.idempotencyReplayed) })
                #expect(try run.get("/api/tags?name=Once,%20%E2%80%9Cquoted%E2%80%9D&result=count")["count"] == 1)
                // The record as it was before the save.
                try record.write(to: file)
            }
        }
    }

    @Test(
        "a full disk leaves contexts unchanged in memory and in files, and loses no save",
        arguments: [
            (FileOperation.make, false), (.write, false), (.sync, false), (.rename, false), (.syncFolder, false),
            (.open, true), (.write, true), (.sync, true),
        ]
    )
    func full(step: FileOperation, whenAdding adds: Bool) throws {
        let disk = FailingFiles()
        func refused(_ run: Run, _ path: String, _ body: String? = nil, _ method: HTTPMethod = .post) throws {
            if adds {
                // What follows a completely written file is appended to it.
                for action in ["undo", "redo"] {
                    #expect(try run.send(.post, "/api/contexts/c1/\(action)").status == 200)
                }
            }
            disk.fail(1, step, lasts: true)
            let answer = try disk.run { try run.send(method, path, body) }
            #expect(answer.status == 507, "\(path): \(answer.text)")
            #expect(answer["code"] == "disk-full")
            #expect(disk.mend() > 0)
        }
        try Checkout.withFolder { folder in
            let path = "/api/contexts/c1"
            var before: [JSONValue?] = []
            func state(_ run: Run) throws -> [JSONValue?] {
                let status = try run.get(path)
                return ["inserted", "updated", "undo", "redo"].map { status[$0] } + [
                    try run.get("\(path)/changes").json
                ]
            }
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                for title in ["One", "Two", "Three"] {
                    _ = try run.send(.patch, "\(path)/posts/1", "{\"title\":\"\(title)\"}")
                }
                _ = try run.send(.post, "\(path)/undo")
                before = try state(run)
                if !adds {
                    try refused(run, "/api/contexts")
                    // What follows a change that couldn't be appended is written completely.
                    disk.fail(1, .write, lasts: true)
                    #expect(try disk.run { try run.send(.patch, "\(path)/posts/1", #"{"title":"No"}"#) }.status == 507)
                    disk.mend()
                }
                try refused(run, "\(path)/tags", #"{"name":"new"}"#)
                try refused(run, "\(path)/posts/1", #"{"title":"Other"}"#, .patch)
                for action in ["undo", "redo"] { try refused(run, "\(path)/\(action)") }
                #expect(try state(run) == before)
                #expect(try run.get("/api/contexts")["items"]?.array?.count == 1)
                #expect(try run.send(.post, "\(path)/undo").status == 200)
                #expect(try run.send(.post, "\(path)/redo").status == 200)
            }
            do {
                let run = try Run(folder)
                #expect(try state(run) == before)
                disk.fail(1, step, lasts: true)
                // The stores have it.
                let saved = try disk.run { try run.send(.post, "\(path)/save") }
                #expect(saved.status == 200, "\(saved.text)")
                disk.mend()
            }
            let run = try Run(folder)
            #expect(try run.get(path)["hasChanges"] == false)
            #expect(try run.get("/api/posts/1")["title"] == "Two")
        }
    }

    @Test("each change is appended to the context's file, and a truncated one is ignored")
    func additions() throws {
        try Checkout.withFolder { folder in
            let file = URL(filePath: folder + "/contexts/c1.draft")
            var files: [Data] = []
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                for title in ["One", "Two", "Three"] {
                    _ = try run.send(
                        .post,
                        "/api/contexts/c1/posts",
                        "{\"title\":\"\(title)\"}",
                        [.idempotencyKey: title]
                    )
                    files.append(try Data(contentsOf: file))
                }
                _ = try run.send(.post, "/api/contexts/c1/undo")
                files.append(try Data(contentsOf: file))
            }
            for (file, next) in zip(files, files.dropFirst()) {
                #expect(next.starts(with: file))
                #expect(next.count > file.count)
            }
            func titles(of bytes: Data) throws -> [JSONValue?]? {
                try bytes.write(to: file)
                let run = try Run(folder)
                guard run.lost.isEmpty else { return nil }
                let answer = try run.get(
                    "/api/contexts/c1/posts?where=title%20IN%20%7B%22One%22,%22Two%22,%22Three%22%7D"
                )
                let again = try run.send(.post, "/api/contexts/c1/posts", #"{"title":"One"}"#, [.idempotencyKey: "One"])
                #expect(again.fields.contains(.idempotencyReplayed))
                return answer["items"]?.array?.map { $0["title"] }
            }
            #expect(try titles(of: files[3]) == ["One", "Two"])
            for cut in stride(from: files[2].count, to: files[3].count, by: 7) {
                #expect(try titles(of: files[3].prefix(cut)) == ["One", "Two", "Three"])
            }
            #expect(try titles(of: files[2].dropLast()) == ["One", "Two"])
            // Damage within a confirmed change isn't a truncation.
            var damaged = files[3]
            damaged[files[2].count - 20] ^= 0x55
            #expect(try titles(of: damaged) == nil)
            #expect(try titles(of: files[0].dropLast()) == nil)
        }
    }

    @Test("a context that can't be restored reports why, until it is deleted")
    func lost() throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                for _ in 0..<3 { _ = try run.send(.post, "/api/contexts") }
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c2"}"#)
                for name in ["c1", "c2", "c3"] {
                    _ = try run.send(.post, "/api/contexts/\(name)/posts", #"{"title":"New"}"#)
                }
                _ = try run.send(.delete, "/api/contexts/c3")
            }
            let file = URL(filePath: folder + "/contexts/c2.draft")
            var bytes = [UInt8](try Data(contentsOf: file))
            bytes[bytes.count / 2] ^= 0x55
            try Data(bytes).write(to: file)
            let run = try Run(folder)
            #expect(run.lost.map(\.name) == ["c2", "c4"])
            #expect(try run.get("/api/contexts/c1/posts/t1").status == 200)
            for name in ["c2", "c4"] {
                let answer = try run.get("/api/contexts/\(name)/changes")
                #expect(answer.status == 410)
                #expect(answer["detail"]?.string?.contains("couldn't be loaded") == true)
                #expect(answer["detail"]?.string?.hasSuffix("..") == false)
            }
            #expect(try run.get("/api/contexts/c3").status == 410)
            let list = try run.get("/api/contexts")
            #expect(list["items"]?.array?.map { $0["context"] } == ["c1"])
            #expect(list["lost"]?.array?.map { $0["context"] } == ["c2", "c4"])
            #expect(list["lost"]?[1]?["reason"] == "its parent c2 couldn't be loaded")
            #expect(try run.send(.delete, "/api/contexts/c2").status == 204)
            #expect(!FileManager.default.fileExists(atPath: file.path))
            #expect(try Run(folder).lost.map(\.name) == ["c4"])
        }
    }

    @Test("a context that can't be restored is no longer a child of its parent")
    func lostChild() throws {
        try Checkout.withFolder { folder in
            let files = try ["/one", "/other"].map { name in
                let folder = folder + name
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/1", #"{"title":"Changed"}"#)
                return URL(filePath: folder + "/contexts/c2.draft")
            }
            // The pending changes are those of another store.
            let parts = try files.map { try Data(contentsOf: $0).split(separator: 0x0A, maxSplits: 1) }
            try (parts[0][0] + [0x0A] + parts[1][1]).write(to: files[0])
            let run = try Run(folder + "/one")
            #expect(run.lost.map(\.reason) == ["it refers to a store that isn't open"])
            #expect(try run.send(.post, "/api/tags/batch-insert", #"[{"name":"x"}]"#)["merged"] == 1)
        }
    }

    @Test("the reason why a context can't be restored is in plain words")
    func reasons() {
        struct Unknown: Error { let secret = 5 }
        #expect(ContextLoadError(of: Problem(.internal, "It can't be done.")).reason == "It can't be done")
        #expect(ContextLoadError(of: FileError(.full, "the disk is full", path: "/x")).reason == "the disk is full")
        #expect(ContextLoadError(of: Unknown()).reason == "it can't be read")
    }

    @Test("a deletion that overlaps a parent's save is restored once")
    func savedMeanwhile() throws {
        try Checkout.withFolder { folder in
            let before: JSONValue?
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts/c1/pages", #"{"text":"New","post":"posts/1"}"#)
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                #expect(try run.send(.delete, "/api/contexts/c2/posts/1").status == 204)
                #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
                before = try run.get("/api/contexts/c2/changes").json
                #expect(before?["deleted"]?.array?.count { $0.string?.hasPrefix("pages/") == true } ?? 0 > 0)
            }
            let run = try Run(folder)
            let after = try run.get("/api/contexts/c2/changes").json
            func deleted(_ json: JSONValue?) -> [String] {
                json?["deleted"]?.array?.compactMap(\.string).sorted() ?? []
            }
            #expect(deleted(after) == deleted(before))
            #expect(try run.send(.post, "/api/contexts/c2/save").status == 200)
            #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
        }
    }

    @Test(
        "a save into the parent is done once if the process ends before recording it in the child",
        arguments: [false, true]
    )
    func handedOver(restartsAgain: Bool) throws {
        try Checkout.withFolder { folder in
            let file = URL(filePath: folder + "/contexts/c2.draft")
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                #expect(try run.send(.post, "/api/contexts/c2/tags", #"{"name":"Once"}"#)["_id"] == "tags/t1")
                let record = try Data(contentsOf: file)
                #expect(try run.send(.post, "/api/contexts/c2/save").status == 200)
                try record.write(to: file)
            }
            var run = try Run(folder)
            #expect(try run.get("/api/contexts/c1")["inserted"] == 1)
            let id = try run.send(.post, "/api/contexts/c1/save")["ids"]?["tags/t1"]?.string
            if restartsAgain { run = try Run(folder) }
            #expect(try run.send(.post, "/api/contexts/c2/save").status == 200)
            let changes = try run.get("/api/contexts/c1/changes").json
            #expect(changes?["inserted"] == [], "\(String(describing: changes))")
            #expect(try run.send(.post, "/api/contexts/c1/save").status == 200)
            #expect(try run.get("/api/tags?name=Once&result=ids")["items"]?.array?.map(\.string) == [id])
        }
    }

    @Test("ended contexts don't return after a restart")
    func ended() throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.delete, "/api/contexts/c1")
            }
            let run = try Run(folder)
            #expect(try run.get("/api/contexts")["items"] == [])
            #expect(try run.get("/api/contexts/c2").status == 410)
            #expect(try run.send(.post, "/api/contexts")["context"] == "c3")
        }
    }

    @Test("many contexts can be opened at once")
    func openedAtOnce() throws {
        try Checkout.withFolder { folder in
            let run = try Run(folder)
            let names = Mutex<Set<String>>([])
            DispatchQueue.concurrentPerform(iterations: 40) { _ in
                guard let name = try? run.send(.post, "/api/contexts")["context"]?.string else { return }
                names.withLock { _ = $0.insert(name) }
            }
            #expect(names.withLock(\.count) == 40)
            let again = try Run(folder)
            #expect(try again.get("/api/contexts")["items"]?.array?.count == 40)
            #expect(try again.send(.post, "/api/contexts")["context"] == "c41")
        }
    }

    @Test("contexts of read-only stores aren't restored, and the reason is reported")
    func readOnly() throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                for _ in 0..<2 { _ = try run.send(.post, "/api/contexts") }
                _ = try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Changed"}"#)
            }
            do {
                let run = try Run(folder, isReadOnly: true)
                #expect(run.lost.map(\.name) == ["c1", "c2"])
                #expect(try run.get("/api/contexts/c1").status == 410)
                #expect(try run.get("/api/contexts/c1")["detail"]?.string?.contains("read-only") == true)
                #expect(try run.send(.delete, "/api/contexts/c1").status == 410)
                #expect(try run.send(.post, "/api/contexts")["context"] == "c3")
            }
            let run = try Run(folder)
            #expect(run.lost.isEmpty)
            #expect(try run.get("/api/contexts/c1/posts/1")["title"] == "Changed")
            #expect(try run.get("/api/contexts/c3").status == 410)
            #expect(try run.send(.post, "/api/contexts")["context"] == "c4")
        }
    }

    @Test("an upserted object keeps its temporary name after undo and redo and a restart")
    func upserted() throws {
        try Checkout.withFolder { folder in
            let id: String
            let file = URL(filePath: folder + "/contexts/c1.draft")
            let record: Data
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts", #"{"mergePolicy":"object"}"#)
                _ = try run.send(.post, "/api/contexts/c1/tags", #"{"name":"swift"}"#)
                record = try Data(contentsOf: file)
                let saved = try run.send(.post, "/api/contexts/c1/save")
                id = try #require(saved["ids"]?["tags/t1"]?.string)
                for step in ["undo", "redo"] { _ = try run.send(.post, "/api/contexts/c1/\(step)") }
            }
            do {
                let run = try Run(folder)
                #expect(run.lost.isEmpty)
                #expect(try run.get("/api/contexts/c1/tags/t1")["_id"]?.string == id)
            }
            // As if the process had ended right after the save.
            try record.write(to: file)
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/c1/tags/t1")["_id"]?.string == id)
        }
    }
}
