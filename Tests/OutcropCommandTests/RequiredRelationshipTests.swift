// SPDX-License-Identifier: Apache-2.0

// What commands say about required relationships that are empty.

import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Required relationships without objects")
struct RequiredRelationshipTests {
    @Test("a required to-many relationship may stay empty: migrate and check say so, and objects can be changed")
    func emptyRelationship() throws {
        try LandStore.with { store, folder in
            let migrated = outcrop("migrate", store, "--to", folder + "/Next.json", "--no-backup")
            #expect(migrated.status == .fine, "\(migrated)")
            #expect(migrated.errors.contains("It may stay so, but can't be emptied once it is set."), "\(migrated)")
            #expect(!migrated.errors.contains("can't be changed"), "\(migrated)")
            let checked = outcrop("store", "check", "-v", store)
            #expect(checked.output.contains("Land.moods: note: 2 objects have no object in “moods”"), "\(checked)")
            #expect(checked.output.hasSuffix("0 errors, 0 warnings") && checked.status == .fine, "\(checked)")
            try Files.write("{\"name\":\"A\",\"size\":3}\n", to: folder + "/change.ndjson")
            let words = ["import", store, folder + "/change.ndjson", "--entity", "Land", "--upsert"]
            let changed = Program.run(words, on: .plain)
            #expect(changed.status == .fine, "\(changed)")
            #expect(outcrop("store", "query", store, "Land", "--where", "size == 3", "--count").output == "1")
        }
    }
}
