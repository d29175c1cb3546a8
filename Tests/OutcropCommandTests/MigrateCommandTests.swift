// SPDX-License-Identifier: Apache-2.0

// The behaviour of `outcrop migrate`, and of servers with stores of another version, that the pages don't show.

import Foundation
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop migrate")
struct MigrateCommandTests {
    private static let versions = [
        #"{"entities": {"Club": {"attributes": {"name": "String", "town": "String?"}}}}"#,
        #"{"entities": {"Club": {"attributes": {"name": "String", "town": "String?", "size": {"type": "Int32", "default": 1}}}}}"#,
        #"{"entities": {"Club": {"attributes": {"name": "String"}}}}"#,
    ]

    /// A store of the first version with two clubs, one of which has a town, and all versions.
    private static func withStore(_ kind: String, _ body: (_ store: String, _ folder: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            for (place, version) in versions.enumerated() {
                try Files.write(version, to: "\(folder)/Club\(place + 1).json")
            }
            try Files.write("name,town\nChess,Ulm\nGo,\n", to: folder + "/clubs.csv")
            let store = "\(kind):\(folder)/Store"
            let made = outcrop(
                "import",
                store,
                folder + "/clubs.csv",
                "--model",
                folder + "/Club1.json",
                "--entity",
                "Club"
            )
            #expect(made.status == .fine, "\(made.errors)")
            try body(store, folder)
        }
    }

    @Test("a copy of the store as it was is kept, and has the former version", arguments: ["sqlite", "xml", "binary"])
    func backup(kind: String) throws {
        try Self.withStore(kind) { store, folder in
            let from = ["--from", folder + "/Club1.json"]
            let words = ["migrate", store, "--to", folder + "/Club2.json", "--json"] + from
            let done = Program.run(words, on: .plain)
            #expect(done.status == .fine, "\(done.errors)\(done.output)")
            let copy = try #require(done.json?["backup"]?.string)
            for (path, columns) in [(store, "name,town,size"), ("\(kind):\(copy)", "name,town")] {
                let model = folder + (path == store ? "/Club2.json" : "/Club1.json")
                let rows = outcrop("store", "query", path, "Club", "--model", model, "--select", columns, "--csv")
                #expect(rows.status == .fine, "\(rows.errors)")
                #expect(rows.output.contains(path == store ? "Chess,Ulm,1" : "Chess,Ulm"), "\(rows.output)")
            }
            let again = outcrop("migrate", store, "--to", folder + "/Club2.json", "--json")
            #expect(again.status == .fine, "\(again.errors)\(again.output)")
            #expect(again.json?["isMigrated"]?.bool == false && again.json?["backup"] == nil)
        }
    }

    @Test("a migration that fails keeps no copy", arguments: ["sqlite", "xml"])
    func failing(kind: String) throws {
        try Self.withStore(kind) { store, folder in
            let model = #"{"entities": {"Club": {"attributes": {"name": "String", "size": "Int32"}}}}"#
            try Files.write(model, to: folder + "/Required.json")
            try Files.write(
                #"{"entities": {"Club": {"attributes": {"name": "String", "town": "String?"}, "unique": ["town"]}}}"#,
                to: folder + "/Unique.json"
            )
            try Files.write("name,town\nDarts,Ulm\n", to: folder + "/more.csv")
            let from = ["--model", folder + "/Club1.json"]
            let more = Program.run(["import", store, folder + "/more.csv", "--entity", "Club"] + from, on: .plain)
            #expect(more.status == .fine, "\(more.errors)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for target in ["/Required.json", "/Unique.json"] {
                let words = ["migrate", store, "--to", folder + target, "--from", folder + "/Club1.json"]
                let done = Program.run(words + ["--backup", folder + "/Copy"], on: .plain)
                #expect(done.status == .problems, "\(done.output)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
            }
        }
    }

    @Test("a model of something else is refused rather than that all objects are deleted")
    func unrelated() throws {
        try Self.withStore("sqlite") { store, folder in
            try Files.write(#"{"entities": {"Fish": {"attributes": {"name": "String"}}}}"#, to: folder + "/Fish.json")
            for options in [["--no-backup"], ["--dry-run"]] {
                let done = Program.run(["migrate", store, "--to", folder + "/Fish.json"] + options, on: .plain)
                #expect(done.status == .problems)
                #expect(done.errors.contains("the migration would delete all objects"), "\(done.errors)")
            }
            let count = outcrop("store", "query", store, "Club", "--count")
            #expect(count.output.hasPrefix("2"), "\(count.output)\(count.errors)")
        }
    }

    @Test("a mapping file that can't be read, or doesn't fit, is refused with the place")
    func mapping() throws {
        try Self.withStore("sqlite") { store, folder in
            for (mapping, message) in [
                (#"{"entities": {"Club": {"set": {"size": "length:(nmae)"}}}}"#, "Club.size: error: "),
                (#"{"entities": {"Club": {"set": {"size": "length("}}}}"#, "isn't an expression"),
                ("{", "This isn't JSON"),
            ] {
                try Files.write(mapping, to: folder + "/mapping.json")
                let words = ["migrate", store, "--to", folder + "/Club2.json", "--mapping", folder + "/mapping.json"]
                let done = Program.run(words + ["--no-backup"], on: .plain)
                #expect(done.status == .problems && done.errors.contains(message), "\(done.errors)")
            }
            let missing = ["migrate", store, "--to", folder + "/Club2.json", "--mapping", folder + "/none.json"]
            #expect(Program.run(missing, on: .plain).errors.contains("The mapping can't be read"))
            // A rule applies, too, where the model is the same.
            try Files.write(
                #"{"entities": {"Club": {"where": "town != nil", "set": {"name": "uppercase:(name)"}}}}"#,
                to: folder + "/mapping.json"
            )
            let same = ["migrate", store, "--to", folder + "/Club1.json", "--mapping", folder + "/mapping.json"]
            let done = Program.run(same + ["--no-backup"], on: .plain)
            #expect(done.status == .fine, "\(done.errors)")
            let rows = outcrop("store", "query", store, "Club", "--select", "name", "--csv")
            #expect(rows.output.contains("CHESS") && !rows.output.contains("GO"), "\(rows.output)")
        }
    }

    @Test("--backup and --no-backup contradict each other")
    func contradiction() throws {
        try Self.withStore("sqlite") { store, folder in
            let words = ["migrate", store, "--to", folder + "/Club2.json", "--backup", folder + "/Old", "--no-backup"]
            #expect(Program.run(words, on: .plain).status == .usage)
            #expect(outcrop("migrate", store, "--to", folder + "/Club2.json", "--dry-run").status == .fine)
        }
    }

    @Test("no store is moved aside if another can't be")
    func recreatedTogether() throws {
        try Checkout.withFolder { folder in
            func model(_ attribute: String) -> String {
                #"{"entities": {"A": {"attributes": {"\#(attribute)": "String?"}}, "B": {"attributes": {"\#(attribute)": "String?"}}}, "configurations": {"One": ["A"], "Two": ["B"]}}"#
            }
            try Files.write(model("x"), to: folder + "/1.json")
            try Files.write(model("y"), to: folder + "/2.json")
            var settings = ServeSettings()
            settings.model = folder + "/1.json"
            settings.stores = try ["One", "Two"].map { try StoreChoice("\($0)=sqlite:\(folder)/\($0).sqlite") }
            _ = try ServedStack(opening: settings)
            let second = try StoreFiles.open(
                StoreLocation(argument: folder + "/Two.sqlite"),
                model: folder + "/1.json",
                isReadOnly: false
            )
            settings.model = folder + "/2.json"
            settings.migrate = .recreate
            #expect(throws: (any Error).self) { try ServedStack(opening: settings) }
            withExtendedLifetime(second) {}
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.contains("One.sqlite") && !names.contains { $0.contains("-old-") }, "\(names)")
        }
    }

    @Test("a store whose version isn't known needs --from")
    func unknown() throws {
        try Self.withStore("xml") { store, folder in
            let done = outcrop("migrate", store, "--to", folder + "/Club2.json")
            #expect(done.status == .problems)
            #expect(done.errors.contains("--from FILE"), "\(done.errors)")
        }
    }

    @Test("a server migrates a store only where nothing is lost, and never deletes one")
    func serving() throws {
        try Self.withStore("sqlite") { store, folder in
            func check(_ version: Int, _ mode: String) throws -> Program.Result {
                outcrop(
                    "serve",
                    "--check",
                    "--store",
                    store,
                    "--model",
                    "\(folder)/Club\(version).json",
                    "--migrate",
                    mode
                )
            }
            let refused = try check(2, "no")
            #expect(refused.status == .problems)
            #expect(refused.output.contains("outcrop migrate"), "\(refused.output)\(refused.errors)")
            let migrated = try check(2, "auto")
            #expect(migrated.status == .fine)
            #expect(migrated.output.contains("would be migrated from “the store's own model” to “Club2”."))
            let lossy = try check(3, "auto")
            #expect(lossy.status == .problems)
            #expect(lossy.output.contains("The migration would lose Club.town of 1 object."), "\(lossy.output)")
            let recreated = try check(3, "recreate")
            #expect(recreated.status == .fine)
            #expect(recreated.output.contains("It would get another name, and a new store would begin empty."))
            let model = "\(folder)/Club2.json"
            let readOnly = outcrop(
                "serve",
                "--check",
                "--read-only",
                "--store",
                store,
                "--model",
                model,
                "--migrate",
                "auto"
            )
            #expect(readOnly.output.contains("A read-only server doesn't migrate its stores."), "\(readOnly.output)")
            // A check changes nothing.
            #expect(try check(1, "no").status == .fine)
        }
    }

    @Test("a store that was being moved aside when the server ended follows its large values")
    func interruptedMove() throws {
        try Self.withStore("sqlite") { store, folder in
            let name = URL(filePath: String(store.drop { $0 != ":" }.dropFirst())).lastPathComponent
            let stem = name.split(separator: ".")[0]
            let values = "\(folder)/.\(stem)-old-20260101T000000_SUPPORT"
            try FileManager.default.createDirectory(atPath: values, withIntermediateDirectories: true)
            var settings = ServeSettings()
            settings.model = folder + "/Club3.json"
            settings.stores = [try StoreChoice(store)]
            settings.migrate = .recreate
            _ = try ServedStack(opening: settings)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.contains { $0.hasPrefix("\(stem)-old-20260101T000000") }, "\(names)")
            #expect(FileManager.default.fileExists(atPath: values))
        }
    }

    @Test("a store that is moved aside takes its own large values along, not those that another one has left")
    func leftValues() throws {
        try Self.withStore("sqlite") { store, folder in
            let left = folder + "/.Store-old-20260101T000000_SUPPORT"
            for values in [left, folder + "/.Store_SUPPORT"] {
                try FileManager.default.createDirectory(atPath: values, withIntermediateDirectories: true)
            }
            var settings = ServeSettings()
            settings.model = folder + "/Club3.json"
            settings.stores = [try StoreChoice(store)]
            settings.migrate = .recreate
            _ = try ServedStack(opening: settings)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let aside = try #require(names.first { $0.hasPrefix("Store-old-") })
            #expect(aside != "Store-old-20260101T000000")
            #expect(names.contains(".\(aside)_SUPPORT"), "\(names)")
        }
    }

    @Test("a store that is created again is moved aside with its content")
    func recreated() throws {
        try Self.withStore("sqlite") { store, folder in
            var settings = ServeSettings()
            settings.model = folder + "/Club3.json"
            settings.stores = [try StoreChoice(store)]
            settings.migrate = .recreate
            let stack = try ServedStack(opening: settings)
            #expect(stack.objects == 0)
            #expect(stack.migrations.count == 1)
            let aside = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0.hasPrefix("Store-old-")
            }
            #expect(aside.count == 1)
            let rows = outcrop("store", "query", "sqlite:\(folder)/\(aside[0])", "Club", "--csv")
            #expect(rows.output.contains("Chess"), "\(rows.output)\(rows.errors)")
        }
    }
}
