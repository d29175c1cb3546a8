// SPDX-License-Identifier: Apache-2.0

// Drafts whose files can't be written.

import Files
import FoundationEssentials
import HTTPMessage
import JSON
import TestSupport
import Testing

@testable import RESTAPI

@Suite("Editing contexts on a full disk")
struct ContextDiskTests {
    private typealias Run = ContextJournalTests.Run

    private let disk = FailingFiles()

    /// Sends a request that is refused because the disk is full.
    private func refuse(
        _ run: Run,
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        _ fields: HeaderFields = HeaderFields(),
        at step: FileOperation = .write,
        lasts: Bool = true
    ) throws {
        disk.fail(1, step, lasts: lasts)
        let answer = try disk.run { try run.send(method, path, body, fields) }
        #expect(answer.status == 507, "\(path): \(answer.text)")
        #expect(disk.mend() > 0)
    }

    @Test(
        "changes saved into a parent that couldn't be written survive later requests and a restart",
        arguments: [0, 1, 2, 3]
    )
    func handedOver(steps: Int) throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                for parent in ["c1", "c2"] { _ = try run.send(.post, "/api/contexts", "{\"parent\":\"\(parent)\"}") }
                _ = try run.send(.patch, "/api/contexts/c3/posts/1", #"{"title":"Saved"}"#)
                try refuse(run, .post, "/api/contexts/c3/save")
                // The child isn't written if its parent can't be.
                if steps > 0 {
                    try refuse(run, .patch, "/api/contexts/c3/posts/2", #"{"title":"Refused"}"#, lasts: false)
                }
                if steps > 1 {
                    #expect(try run.send(.patch, "/api/contexts/c3/posts/2", #"{"title":"Later"}"#).status == 200)
                }
                if steps > 2 {
                    try refuse(run, .post, "/api/contexts/c2/save")
                    #expect(try run.send(.patch, "/api/contexts/c3/posts/3", #"{"title":"Last"}"#).status == 200)
                }
            }
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/c3/posts/1")["title"] == "Saved")
            #expect(try run.get("/api/contexts/c3/posts/2")["title"]?.string == (steps > 1 ? "Later" : "Faults"))
            if steps > 1 { #expect(try run.get("/api/contexts/c2/posts/1")["title"] == "Saved") }
        }
    }

    @Test("changes saved into an unwritten parent survive the end of the child", arguments: [false, true])
    func ended(isStillFull: Bool) throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/1", #"{"title":"Saved"}"#)
                try refuse(run, .post, "/api/contexts/c2/save")
                if isStillFull { disk.fail(1, .write, lasts: true) }
                #expect(try disk.run { try run.send(.delete, "/api/contexts/c2") }.status == 204)
                disk.mend()
            }
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/\(isStillFull ? "c2" : "c1")/posts/1")["title"] == "Saved")
        }
    }

    @Test("a repeated save isn't confirmed before it is in the files")
    func askedAgain() throws {
        try Checkout.withFolder { folder in
            let fields: HeaderFields = [.idempotencyKey: "save"]
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/1", #"{"title":"Saved"}"#)
                for _ in 0..<2 { try refuse(run, .post, "/api/contexts/c2/save", nil, fields) }
                #expect(try run.send(.post, "/api/contexts/c2/save", nil, fields).status == 200)
            }
            let run = try Run(folder)
            #expect(try run.get("/api/contexts/c1/posts/1")["title"] == "Saved")
            #expect(try run.get("/api/contexts/c2")["hasChanges"] == false)
        }
    }

    @Test(
        "a failed rollback, reset or refresh leaves contexts unchanged, in memory and in files",
        arguments: [
            ("rollback", nil), ("reset", nil), ("refresh", #"{"mergeChanges":false}"#),
            ("refresh", #"{"ids":["posts/1","users/1"],"mergeChanges":false}"#), ("refresh", #"{"ids":["posts/1"]}"#),
        ],
        [false, true]
    )
    func givenUp(request: (action: String, body: String?), merges: Bool) throws {
        try Checkout.withFolder { folder in
            let path = "/api/contexts/c1"
            func state(_ run: Run) throws -> [JSONValue?] {
                let status = try run.get(path)
                return try [
                    run.get("\(path)/changes").json, run.get("/api/contexts/c2/changes").json,
                    status["undo"], status["redo"],
                    run.get("\(path)/posts/t1").json, run.get("/api/contexts/c2/posts/t1").json,
                ]
            }
            let before: [JSONValue?]
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts", "{\"automaticallyMergesChanges\":\(merges)}")
                for title in ["One", "Two", "Three"] {
                    _ = try run.send(.patch, "\(path)/posts/1", "{\"title\":\"\(title)\"}")
                }
                _ = try run.send(.patch, "\(path)/users/1", #"{"name":"Anew"}"#)
                _ = try run.send(.post, "\(path)/posts", #"{"title":"New"}"#)
                _ = try run.send(.delete, "\(path)/posts/2")
                _ = try run.send(.post, "\(path)/undo")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                _ = try run.send(.patch, "/api/contexts/c2/posts/t1", #"{"views":7}"#)
                _ = try run.send(.patch, "/api/posts/1", #"{"title":"Theirs","views":9}"#)
                before = try state(run)
                try refuse(run, .post, "\(path)/\(request.action)", request.body)
                #expect(try state(run) == before)
                #expect(try run.send(.post, "\(path)/redo").status == 200)
                #expect(try run.get("\(path)/posts/2").status == 404)
                for _ in 0..<4 { #expect(try run.send(.post, "\(path)/undo").status == 200) }
                #expect(try run.get("\(path)/posts/1")["title"] == "Two")
                for _ in 0..<3 { #expect(try run.send(.post, "\(path)/redo").status == 200) }
                #expect(try state(run) == before)
            }
            let run = try Run(folder)
            #expect(try state(run)[2...] == before[2...])
            #expect(try run.send(.post, "\(path)/\(request.action)", request.body).status == 200)
            if request.action != "refresh" { #expect(try run.get(path)["hasChanges"] == false) }
            let after = try state(run)
            #expect(try state(Run(folder)) == after)
        }
    }

    @Test("a context that can't be opened leaves nothing behind", arguments: [FileOperation.write, .sync, .syncFolder])
    func opening(step: FileOperation) throws {
        try Checkout.withFolder { folder in
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                // The context number is written before.
                disk.fail(2, step, lasts: true)
                let refused = try disk.run { try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#) }
                #expect(refused.status == 507, "\(refused.text)")
                disk.mend()
                #expect(try run.send(.post, "/api/tags/batch-insert", #"[{"name":"x"}]"#)["merged"] == 1)
            }
            #expect(try Run(folder).get("/api/contexts")["items"]?.array?.map { $0["context"] } == ["c1"])
        }
    }

    @Test("contexts are restored from files that can't be rewritten")
    func takenUp() throws {
        try Checkout.withFolder { folder in
            func expectEdits(_ run: Run) throws {
                #expect(run.lost.isEmpty, "\(run.lost)")
                for name in ["c1", "c2"] {
                    #expect(try run.get("/api/contexts/\(name)/posts/1")["title"]?.string == name)
                }
            }
            do {
                let run = try Run(folder)
                _ = try run.send(.post, "/api/contexts")
                _ = try run.send(.post, "/api/contexts", #"{"parent":"c1"}"#)
                for name in ["c1", "c2"] {
                    _ = try run.send(.patch, "/api/contexts/\(name)/posts/1", "{\"title\":\"\(name)\"}")
                }
            }
            let run = try Run(folder)
            // Their files lack what this makes of them.
            _ = try run.send(.patch, "/api/posts/1", #"{"title":"Theirs"}"#)
            disk.fail(1, .write, lasts: true)
            try disk.run { try expectEdits(run) }
            #expect(disk.mend() > 0)
            try expectEdits(Run(folder))
        }
    }

    @Test("a lost context is listed until its file is deleted")
    func removal() throws {
        try Checkout.withFolder { folder in
            _ = try Run(folder).send(.post, "/api/contexts")
            try Data("no draft".utf8).write(to: URL(filePath: folder + "/contexts/c1.draft"))
            let run = try Run(folder)
            disk.fail(1, .remove)
            #expect(try disk.run { try run.send(.delete, "/api/contexts/c1") }.status == 500)
            #expect(try run.get("/api/contexts")["lost"]?.array?.count == 1)
            #expect(try run.send(.delete, "/api/contexts/c1").status == 204)
            #expect(try Run(folder).lost.isEmpty)
        }
    }

    @Test(
        "a change that was refused after its file was replaced isn't there when the context is loaded again",
        arguments: [FileOperation.syncFolder, .sync, .rename, .write]
    )
    func refusedAndUnloaded(step: FileOperation) throws {
        try Checkout.withFolder { folder in
            let run = try Run(folder)
            _ = try run.send(.post, "/api/contexts")
            let title = try run.get("/api/contexts/c1/posts/1")["title"]?.string
            disk.fail(1, step)
            let answer = try disk.run {
                try run.send(.patch, "/api/contexts/c1/posts/1", #"{"title":"Refused"}"#)
            }
            #expect(disk.mend() == 1 && answer.status >= 500, "\(answer.text)")
            try #require(run.api.contexts).unloadAll()
            #expect(try #require(run.api.contexts).inMemory.isEmpty)
            #expect(try run.get("/api/contexts/c1/posts/1")["title"]?.string == title)
        }
    }
}
