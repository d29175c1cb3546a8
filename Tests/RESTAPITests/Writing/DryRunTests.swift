// SPDX-License-Identifier: Apache-2.0

// Dry runs compared with real requests: both return the same.

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Dry runs")
struct DryRunTests {
    /// A request to an object, with its preferences.
    struct Sample: Sendable, CustomTestStringConvertible {
        var method = HTTPMethod.patch
        let object: (entity: String, name: String)
        var rest = ""
        let body: String?
        var prefer = "return=changes"

        var testDescription: String { "\(method) \(object.name)\(rest) \(body ?? "") \(prefer)" }
    }

    static let samples = [
        // Derived values of the object and of others.
        Sample(
            object: ("Post", "Faults"),
            body: "{\"title\":\"ÉTÉ\",\"views\":{\"$inc\":3}}",
            prefer: "return=representation"
        ),
        Sample(
            object: ("Post", "Faults"),
            body: "{\"comments\":{\"remove\":[]},\"title\":\"x\"}",
            prefer: "return=representation"
        ),
        Sample(object: ("Post", "Undo"), body: "{\"comments\":[\"COMMENT\"]}"),
        Sample(method: .put, object: ("Post", "Saving"), body: "{\"title\":\"Ö\"}"),
        Sample(method: .put, object: ("Post", "Saving"), rest: "/comments", body: "[\"COMMENT\"]"),
        Sample(object: ("Comment", "Well said."), body: "{\"text\":\"x\"}"),
        // Duplicate unique values with merge policies.
        Sample(object: ("Tag", "data"), body: "{\"name\":\"core\"}", prefer: "merge=overwrite, return=changes"),
        Sample(object: ("Tag", "data"), body: "{\"name\":\"core\"}", prefer: "merge=object, return=changes"),
        Sample(object: ("Tag", "data"), body: "{\"name\":\"core\"}", prefer: "merge=store, return=changes"),
        Sample(object: ("Tag", "data"), body: "{\"name\":\"core\"}", prefer: "merge=rollback, return=changes"),
        Sample(object: ("Tag", "data"), body: "{\"name\":\"core\"}", prefer: "merge=error"),
        Sample(
            object: ("User", "Bea"),
            body: "{\"email\":\"anna@example.org\",\"posts\":[]}",
            prefer: "merge=overwrite"
        ),
        // Invalid changes.
        Sample(object: ("Post", "Faults"), body: "{\"views\":-1}"),
        Sample(object: ("Post", "Faults"), body: "{\"_version\":9,\"views\":1}"),
        Sample(object: ("Post", "Faults"), body: "{\"_version\":9,\"views\":1}", prefer: "merge=rollback"),
        Sample(object: ("Post", "Faults"), body: "{\"_version\":9,\"views\":1}", prefer: "merge=overwrite"),
        Sample(method: .delete, object: ("User", "Cem"), body: nil, prefer: "return=representation"),
    ]

    @Test("a dry run returns what the real request returns", arguments: samples)
    func sameAnswer(_ sample: Sample) throws {
        try APIWorld.each { world throws in
            let path = try "/api/\(world.reference(sample.object.entity, sample.object.name))\(sample.rest)"
            let comment = try world.reference("Comment", "Well said.")
            let body = sample.body?.replacing("COMMENT", with: comment)
            let before = try world.all()
            func send(_ run: String) throws -> Answer {
                try world.send(sample.method, path + run, body, fields: [.prefer: sample.prefer])
            }
            let rehearsed = try send("?dryRun=true")
            #expect(try world.all() == before)
            let real = try send("")
            #expect(rehearsed.status == real.status)
            #expect(rehearsed.text == real.text)
            #expect(real.status != 200 || real.text != "{}")
        }
    }

    @Test("a dry run of a creation has derived values and uses up no numbers")
    func created() throws {
        try APIWorld.each { world throws in
            let anna = try world.reference("User", "Anna")
            let body =
                "{\"title\":\"ÉTÉ\",\"comments\":[{\"text\":\"a\"},{\"text\":\"b\"}],\"author\":\"\(anna)\"}"
            func made() throws -> Int {
                let reference = try #require(try world.send(.post, "/api/posts", body)["_id"]?.string)
                return try #require(Int(reference.split(separator: "/")[1]))
            }
            let (first, second) = (try made(), try made())
            for _ in 0..<3 {
                let answer = try world.send(.post, "/api/posts?dryRun=true", body)
                #expect(answer.status == 201)
                #expect(answer["foldedTitle"] == "ete")
                #expect(answer["commentCount"] == 2)
                #expect(answer["_version"] == 1)
                #expect(answer["author"]?.string == anna)
            }
            #expect(try made() - second == second - first)
        }
    }
}

extension APIWorld {
    /// All objects as shown.
    fileprivate func all() throws -> [String] {
        try ["Contact", "Post", "Tag", "Page", "Comment"].map { try get("/api/\($0)?limit=1000").text }
    }
}
