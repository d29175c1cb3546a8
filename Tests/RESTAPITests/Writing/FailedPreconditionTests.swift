// SPDX-License-Identifier: Apache-2.0

// Changes with failed conditions while another connection writes.

import HTTPMessage
import ObjectGraph
import SQLiteDriver
import SQLiteStore
import Synchronization
import Testing

@testable import RESTAPI

@Suite("Failed preconditions")
struct FailedPreconditionTests {
    /// A change of a tag, with its expected status.
    struct Sample: Sendable, CustomTestStringConvertible {
        var method = HTTPMethod.patch
        var tag = "core"
        var rest = ""
        var body: String?
        var fields: HeaderFields = [.ifMatch: "\"9\""]
        var status = 412

        var testDescription: String { "\(method) \(tag)\(rest) \(body ?? "") is \(status)" }
    }

    static let samples = [
        Sample(body: #"{"name":"core"}"#),
        Sample(rest: "?dryRun=true", body: #"{"name":"other"}"#),
        Sample(method: .put, body: #"{"name":"core"}"#),
        Sample(method: .put, body: #"{"name":"core"}"#, fields: [.ifNoneMatch: "*"]),
        Sample(method: .delete),
        Sample(method: .put, rest: "/posts", body: "[]"),
        Sample(body: #"{"name":"free"}"#),
        // These would fail without the condition, too.
        Sample(body: #"{"name":null}"#, status: 422),
        Sample(body: #"{"name":"data"}"#, status: 409),
        Sample(body: #"{"posts":[{"tags":[{"name":"twice"},{"name":"twice"}]}]}"#, status: 409),
        // A policy would change the other tag.
        Sample(body: #"{"name":"data"}"#, fields: [.ifNoneMatch: "*", .prefer: "merge=overwrite"]),
    ]

    @Test("a failed precondition is answered without waiting for the write lock", arguments: samples)
    func locked(_ sample: Sample) throws {
        try APIWorld.each { world throws in
            let path = try "/api/\(world.reference("Tag", sample.tag))\(sample.rest)"
            let before = try world.get("/api/tags").text
            let statements = Mutex<[String]>([])
            if let sqlite = world.sqlite {
                let other = try Connection(path: sqlite.path)
                try other.execute("BEGIN IMMEDIATE")
                sqlite.sqlLog = SQLLog(level: 1) { lines in statements.withLock { $0 += lines } }
                try check(sample, world.send(sample.method, path, sample.body, fields: sample.fields))
                sqlite.sqlLog = .off
                try other.execute("ROLLBACK")
            } else {
                try check(sample, world.send(sample.method, path, sample.body, fields: sample.fields))
            }
            let writing = ["BEGIN IMMEDIATE", "INSERT", "UPDATE", "DELETE"]
            for statement in statements.withLock({ $0 }) {
                #expect(!writing.contains { statement.contains("sql: \($0)") }, "\(statement)")
            }
            #expect(try world.get("/api/tags").text == before)
        }
    }

    private func check(_ sample: Sample, _ answer: Answer) {
        #expect(answer.status == sample.status, "\(answer.text)")
        #expect((answer["current"] != nil) == (sample.status == 412))
    }
}
