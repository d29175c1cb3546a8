// SPDX-License-Identifier: Apache-2.0

// What the commands of stores say about foreign files, and about what a command drops.

import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Remarks of commands about stores")
struct StoreRemarkTests {
    @Test("a migration says that the app can't open its store, and that rules can save what is lost")
    func migratedApp() throws {
        try LandStore.with { store, folder in
            try Connection(path: store).execute(
                """
                UPDATE Z_METADATA SET Z_PLIST = '<plist version="1.0"><dict><key>NSPersistenceFrameworkVersion</key>\
                <integer>1401</integer></dict></plist>'
                """
            )
            try Files.write(#"{"entities": {"Land": {"attributes": {"code": "String?"}}}}"#, to: folder + "/Less.json")
            for options in [["--dry-run"], ["--no-backup"]] {
                let words = ["migrate", store, "--to", folder + "/Less.json", "--json"] + options
                let result = Program.run(words, on: .plain)
                #expect(result.status == .fine, "\(result)")
                let hints = result.json?["hints"]?.array?.compactMap(\.string) ?? []
                #expect(hints.count == 2)
                #expect(hints.contains { $0.hasSuffix("--mapping FILE") })
                #expect(hints.contains { $0.contains("can't open it: not with its older model") }, "\(result)")
            }
        }
    }

    @Test("a conversion says how many transactions of the history it drops", arguments: ["xml", "sqlite"])
    func droppedHistory(kind: String) throws {
        try LandStore.with { store, folder in
            let result = outcrop("store", "convert", store, "\(kind):\(folder)/Copy")
            #expect(result.output.contains("2 objects.\nIts history isn't converted: 1 transaction."), "\(result)")
            let json = outcrop("store", "convert", store, "\(kind):\(folder)/Copy", "--force", "--json").json
            #expect(json?["droppedTransactions"]?.int64 == 1 && json?["hasNewIdentifier"]?.bool == false)
        }
    }

    @Test("a conversion says that the new store has another identifier")
    func newIdentifier() throws {
        try LandStore.with { store, folder in
            let migrated = outcrop("migrate", store, "--to", folder + "/Next.json", "--no-backup")
            try #require(migrated.status == .fine)
            // An object with the key of another entity's object.
            try Files.write("{\"name\":\"calm\",\"land\":\"Land/1\"}\n", to: folder + "/moods.ndjson")
            let made = outcrop("import", store, folder + "/moods.ndjson", "--entity", "Mood")
            try #require(made.status == .fine, "\(made)")
            let result = outcrop("store", "convert", store, folder + "/Copy.xml")
            #expect(result.output.hasSuffix("another identifier, so the URIs of its objects are others."), "\(result)")
            let json = outcrop("store", "convert", store, folder + "/Copy.xml", "--force", "--json").json
            #expect(json?["hasNewIdentifier"]?.bool == true)
        }
    }

    @Test("XML of Core Data is named as such, and not read as a store")
    func foreignXML() throws {
        try Checkout.withFolder { folder in
            let text =
                "<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n"
            try Files.write(text + "<database></database>\n", to: folder + "/xcmapping.xml")
            let result = outcrop("store", "info", folder + "/xcmapping.xml")
            #expect(result.status == .problems)
            #expect(result.errors.contains("that Core Data has written as XML"), "\(result)")
            #expect(result.errors.contains("outcrop migrate --mapping"), "\(result)")
        }
    }

    @Test(
        "a database that isn't a store is said to lack only the tables that it lacks",
        arguments: [["Z_METADATA"], ["Z_PRIMARYKEY"], ["Z_METADATA", "Z_PRIMARYKEY"]]
    )
    func lackingTables(tables: [String]) throws {
        try LandStore.with { store, _ in
            let connection = try Connection(path: store)
            for table in tables { try connection.executeScript("DROP TABLE \(table)") }
            for command in ["info", "check"] {
                let result = outcrop("store", command, store)
                let words = (tables.count == 1 ? "table " : "tables ") + tables.joined(separator: " and ")
                #expect(result.errors.contains("it has no \(words)."), "\(result)")
            }
        }
    }

    @Test(
        "a command or option that is expected elsewhere is named",
        arguments: [
            (["query", "a.db", "Land"], "Did you mean “store query”?"),
            (["info", "a.db"], "Did you mean “store info”?"),
            (["check", "a.db"], "There are “model check”, “store check”"),
            (["store", "query", "a.db", "Land", "--format", "csv"], "Use --csv, --ndjson or --json."),
            (["store", "query", "a.db", "Land", "-o", "a.csv"], "Redirect the standard output: > FILE."),
        ]
    )
    func expectedElsewhere(words: [String], remedy: String) {
        let result = Program.run(words, on: .plain)
        #expect(result.status == .usage && result.errors.contains(remedy), "\(result)")
    }

    @Test("a server recognizes the kind of a store by its content, and a model of other entities")
    func served() throws {
        try LandStore.with { store, folder in
            try #require(outcrop("store", "convert", store, "xml:\(folder)/Land.db").status == .fine)
            let model = ["--model", folder + "/Model.json"]
            let served = Program.run(["serve", "--check", "--store", folder + "/Land.db"] + model, on: .plain)
            #expect(served.status == .fine, "\(served)")
            let forced = Program.run(["serve", "--check", "--store", "sqlite:\(folder)/Land.db"] + model, on: .plain)
            #expect(forced.output.contains("--store xml:\(folder)/Land.db"), "\(forced)")
            let other = outcrop("serve", "--check", "--store", store, "--model", Files.demo)
            #expect(other.output.contains("It has Land."), "\(other)")
            #expect(other.output.contains("Is that the right model?") && !other.output.contains("migrate"), "\(other)")
        }
    }
}
