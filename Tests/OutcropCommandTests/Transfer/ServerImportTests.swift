// SPDX-License-Identifier: Apache-2.0

// Imports into servers: large ones, with changing chunk sizes, and with lost responses.

import Foundation
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Imports into servers")
struct ServerImportTests {
    private static func tags(_ names: [String]) -> String {
        names.map { "{\"_id\":\"\($0)\",\"_entity\":\"Tag\",\"name\":\"\($0)\"}\n" }.joined()
    }

    private static func found(_ prefix: String, at address: String) -> Int {
        let condition = "name BEGINSWITH '\(prefix)'"
        return outcrop("export", address, "--entity", "Tag", "--where", condition).output.split(separator: "\n").count
    }

    private static func notes(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-import-") }
    }

    @Test("a graph of large objects can be imported, although stored responses are limited")
    func largeObjects() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder, ["--listen", "127.0.0.1:0", "--deadline", "0 s"])
            let address = try server.address()
            let text = String(repeating: "x", count: 3_000)
            let rest = "\"author\":\"u\",\"createdAt\":\"2026-11-21T09:30:00Z\",\"content\":\"\(text)\""
            let lines = (1...1_000).map {
                "{\"_id\":\"\($0)\",\"_entity\":\"Post\",\"title\":\"large\",\"slug\":\"large-\($0)\",\(rest)}\n"
            }
            let author = "{\"_id\":\"u\",\"_entity\":\"User\",\"username\":\"large\",\"name\":\"Large\"}\n"
            try Files.write(author + lines.joined(), to: folder + "/a.ndjson")
            let done = outcrop("import", address, folder + "/a.ndjson")
            #expect(done.output.hasPrefix("Imported 1001 objects"), "\(done.errors.prefix(500))")
            let count = try server.curl("\(address)/api/posts?result=count&title=large").body
            #expect(try JSONValue(parsing: count)["count"]?.int64 == 1_000)
        }
    }

    @Test("an import with too large chunks can continue with smaller ones")
    func smallerChunks() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder, ["--listen", "127.0.0.1:0", "--body-limit", "4KiB"])
            let address = try server.address()
            try Files.write(Self.tags((1...100).map { "z\($0)" }), to: folder + "/a.ndjson")
            let refused = outcrop("import", address, folder + "/a.ndjson")
            #expect(refused.status == .problems && refused.errors.contains("--chunk sets"), "\(refused)")
            #expect(try Self.notes(folder).isEmpty)
            let done = outcrop("import", address, folder + "/a.ndjson", "--chunk", "7")
            #expect(done.output.hasPrefix("Imported 100 objects"), "\(done)")
            #expect(Self.found("z", at: address) == 100)
            #expect(try Self.notes(folder).isEmpty)
        }
    }

    @Test("a chunk that may have been saved is sent again unchanged, whatever the new chunk size")
    func lostAnswer() throws {
        try Checkout.withFolder { folder in
            let server = try ServerProcess(in: folder)
            let address = try server.address()
            try Files.write("{\"name\":\"z5\"}\n", to: folder + "/other.ndjson")
            #expect(outcrop("import", address, folder + "/other.ndjson", "--entity", "Tag").status == .fine)
            try Files.write(Self.tags((1...6).map { "z\($0)" }), to: folder + "/a.ndjson")
            let stopped = outcrop("import", address, folder + "/a.ndjson", "--chunk", "2")
            #expect(stopped.output.contains("a.ndjson:5: name: "), "\(stopped)")
            let other = outcrop("export", address, "--entity", "Tag", "--where", "name == 'z5'").output
            let reference = try #require(try JSONValue(parsing: other)["_id"]?.string)
            _ = try server.curl("-X", "DELETE", "\(address)/api/\(reference)")
            // As if the response to the second chunk had been lost.
            let notes = try #require(try Self.notes(folder).first { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
            do {
                let connection = try Connection(path: folder + "/" + notes)
                try connection.execute("DELETE FROM chunk")
                try connection.execute("INSERT INTO chunk VALUES (2, 1), (4, 0)")
            }
            let done = outcrop("import", address, folder + "/a.ndjson", "--chunk", "1")
            #expect(done.output.hasPrefix("Imported 4 objects"), "\(done)")
            #expect(Self.found("z", at: address) == 6)
        }
    }
}
