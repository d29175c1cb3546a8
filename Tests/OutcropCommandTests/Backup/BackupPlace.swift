// SPDX-License-Identifier: Apache-2.0

// A folder with a store of notes, for tests of backups.

import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport

@testable import OutcropCommand

/// A store of notes with large values in files, its backups, and plain SQL on it.
struct BackupPlace {
    let folder: String

    static let model = """
        {
          "entities": {
            "Note": {
              "attributes": {"title": "String", "body": "String?", "scan": {"type": "Binary?", "externalStorage": true}},
              "unique": ["title"]
            }
          }
        }
        """

    static func with(notes count: Int = 20, _ body: (BackupPlace) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let place = BackupPlace(folder: folder)
            try Files.write(model, to: place.path("Notes.json"))
            let lines = (1...count).map { #"{"_entity": "Note", "title": "n\#($0)", "scan": "\#(large)"}"# }
            try Files.write(lines.joined(separator: "\n") + "\n", to: place.path("Notes.ndjson"))
            let made = outcrop("import", place.store, place.path("Notes.ndjson"), "--model", place.path("Notes.json"))
            guard made.status == .fine else { throw Failure(made.errors) }
            try body(place)
        }
    }

    /// A value that is stored in a file.
    private static let large = Data(repeating: 7, count: 150_000).base64EncodedString()

    var store: String { path("Notes.sqlite") }
    var backups: String { path("backups") }

    func path(_ name: String) -> String { folder + "/" + name }

    func backUp(keeping limit: Int = 9) -> Program.Result {
        outcrop("store", "backup", store, backups, "--keep", "\(limit)", "--json")
    }

    func restore(_ words: String...) -> Program.Result {
        Program.run(["store", "restore", backups, store] + words, on: .plain)
    }

    /// The names of the backups, hidden files included.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: backups)) ?? []).sorted()
    }

    /// The titles and texts of all notes, in order.
    func notes(_ store: String? = nil) -> String {
        let words = [
            "store", "query", store ?? self.store, "Note", "--select", "title,body", "--sort", "title", "--csv",
        ]
        return Program.run(words, on: .plain).output
    }

    /// Saves a note with a title, which may exist, by the program, so that the history has it.
    func save(_ title: String, body: String) throws {
        try Files.write(
            #"{"_entity": "Note", "title": "\#(title)", "body": "\#(body)"}"# + "\n",
            to: path("change.ndjson")
        )
        let result = outcrop("import", store, path("change.ndjson"), "--upsert")
        guard result.status == .fine else { throw Failure(result.errors) }
    }
}
