// SPDX-License-Identifier: Apache-2.0

// Stores with imported objects, for tests of commands.

import TestSupport
import Testing

@testable import OutcropCommand

enum ImportedStore {
    /// Runs a closure with a folder and a store in it, which has the objects of some lines. The model is `Model.json` beside it.
    static func with(
        _ lines: String,
        of model: String,
        _ body: (_ folder: String, _ store: String) throws -> Void
    ) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Model.json")
            try Files.write(lines, to: folder + "/in.ndjson")
            let store = folder + "/a.sqlite"
            let made = outcrop("import", store, folder + "/in.ndjson", "--model", folder + "/Model.json")
            try #require(made.status == .fine, "\(made)")
            try body(folder, store)
        }
    }
}

/// A store with two lands, and a next model in which lands have a required relationship.
enum LandStore {
    private static let model = #"{"entities": {"Land": {"attributes": {"name": "String"}, "unique": ["name"]}}}"#
    private static let next = #"""
        {"entities": {
          "Land": {"attributes": {"name": "String", "size": "Int32?"}, "unique": ["name"],
            "relationships": {"moods": {"toMany": "Mood", "inverse": "land", "optional": false}}},
          "Mood": {"attributes": {"name": "String?"}, "relationships": {"land": "Land?.moods"}}
        }}
        """#
    private static let lines = #"""
        {"_entity":"Land","name":"A"}
        {"_entity":"Land","name":"B"}

        """#

    /// - Parameter body: Gets the store, and a folder with the models `Model.json` and `Next.json`.
    static func with(_ body: (_ store: String, _ folder: String) throws -> Void) throws {
        try ImportedStore.with(lines, of: model) { folder, store in
            try Files.write(next, to: folder + "/Next.json")
            try body(store, folder)
        }
    }
}
