// SPDX-License-Identifier: Apache-2.0

// Existing files when a store is converted or copied.

import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Replacing store files")
struct StoreReplacingTests {
    private static let value = "0F0E0D0C-0B0A-0908-0706-050403020100"

    private static let model = """
        {"entities": {"Club": {"attributes": {"name": "String?", "logo": {"type": "Binary?", "externalStorage": true}}}}}
        """

    /// A folder with a store whose only large value is in a file.
    private static func withStore(_ name: String, _ body: (Place) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Club.json")
            let place = Place(folder: folder)
            try place.makeStore(name)
            try body(place)
        }
    }

    private struct Place {
        let folder: String

        func path(_ name: String) -> String { folder + "/" + name }

        func makeStore(_ name: String, value: String = StoreReplacingTests.value) throws {
            let data = SQLValue.blob([2] + [UInt8](value.utf8) + [0])
            try SeedStore.make(
                path(name),
                entities: "(1, 'Club', 0, 1)",
                [
                    """
                    CREATE TABLE ZCLUB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZLOGO BLOB)
                    """,
                    "INSERT INTO ZCLUB VALUES (1, 1, 1, 'Chess', \(value: data))",
                ]
            )
            let stem = name.split(separator: ".")[0]
            try put(value, ofStore: String(stem))
        }

        func put(_ value: String, ofStore stem: String) throws {
            let folder = path(".\(stem)_SUPPORT/_EXTERNAL_DATA")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(repeating: 7, count: 300_000).write(to: URL(filePath: folder + "/" + value))
        }

        func values(ofStore stem: String) -> [String] {
            let folder = path(".\(stem)_SUPPORT/_EXTERNAL_DATA")
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        }

        func convert(_ from: String, _ to: String, _ options: String...) -> Program.Result {
            Program.run(
                ["store", "convert", path(from), path(to), "--model", path("Club.json")] + options,
                on: .plain
            )
        }

        /// The size of the only logo.
        func logo(_ store: String) -> Int? {
            let words = [
                "store", "query", path(store), "Club", "--select", "logo", "--json", "--model", path("Club.json"),
            ]
            let text = Program.run(words, on: .plain).json?.array?.first?["logo"]?.string
            return text.flatMap { Data(base64Encoded: $0)?.count }
        }

        var isTidy: Bool {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return !names.contains { $0.hasSuffix(".new") || $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }
        }
    }

    @Test(
        "an XML or binary store keeps the large values of a SQLite store with the same name",
        arguments: ["xml", "bin"]
    )
    func sameName(type: String) throws {
        try Self.withStore("Seed.sqlite") { place in
            for options in [[], ["--force"]] {
                let made = Program.run(
                    ["store", "convert", place.path("Seed.sqlite"), place.path("Seed.\(type)")]
                        + ["--model", place.path("Club.json")] + options,
                    on: .plain
                )
                #expect(made.status == .fine, "\(made.errors)")
                #expect(place.values(ofStore: "Seed") == [Self.value])
            }
            #expect(place.logo("Seed.sqlite") == 300_000)
            #expect(place.logo("Seed.\(type)") == 300_000)
            #expect(place.isTidy)
        }
    }

    @Test("a copy of an XML store keeps the large values of a SQLite store with the same name")
    func copy() throws {
        try Self.withStore("Seed.sqlite") { place in
            #expect(place.convert("Seed.sqlite", "Other.xml").status == .fine)
            #expect(outcrop("store", "backup", place.path("Other.xml"), place.path("Seed.xml")).status == .fine)
            #expect(place.values(ofStore: "Seed") == [Self.value])
        }
    }

    @Test("a new store that would share another one's folder of large values is refused", arguments: [[], ["--force"]])
    func neighbor(options: [String]) throws {
        try Self.withStore("Two.sqlite") { place in
            if !options.isEmpty { try place.makeStore("Two.db") }
            let words = ["store", "convert", place.path("Two.sqlite"), place.path("Two.db"), "--json"]
            let result = Program.run(words + ["--model", place.path("Club.json")] + options, on: .plain)
            #expect(result.json?["error"]?["code"] == "store.exists")
            #expect(result.json?["error"]?["message"]?.string?.contains("folder of large values") == true)
            #expect(place.logo("Two.sqlite") == 300_000)
            let copied = outcrop("store", "backup", place.path("Two.sqlite"), place.path("Two.store"))
            #expect(copied.status == .problems && copied.errors.contains("folder of large values"))
        }
    }

    @Test("a new store at the place of another store's leftover values or log is refused")
    func leftovers() throws {
        try Self.withStore("Seed.sqlite") { place in
            try place.put(Self.value, ofStore: "New")
            let result = place.convert("Seed.sqlite", "New.sqlite")
            #expect(result.status == .problems && result.errors.contains("values of another store"))
            #expect(place.values(ofStore: "New") == [Self.value])
            try Files.write("frames", to: place.path("Log.sqlite-wal"))
            #expect(place.convert("Seed.sqlite", "Log.sqlite").errors.contains("belong to another store"))
        }
    }

    @Test("a new store replaces an old one and its large values")
    func replacing() throws {
        try Self.withStore("Seed.sqlite") { place in
            let old = "1F0E0D0C-0B0A-0908-0706-050403020100"
            try place.makeStore("Old.sqlite", value: old)
            let made = place.convert("Seed.sqlite", "Old.sqlite", "--force")
            #expect(made.status == .fine, "\(made.errors)")
            let values = place.values(ofStore: "Old")
            #expect(values.count == 1 && !values.contains(old), "\(values)")
            #expect(place.logo("Old.sqlite") == 300_000)
            #expect(place.convert("Seed.sqlite", "Old.sqlite", "--to", "xml", "--force").status == .fine)
            #expect(place.values(ofStore: "Old").isEmpty)
            #expect(place.values(ofStore: "Seed") == [Self.value])
            #expect(place.isTidy)
        }
    }

    @Test("a new store is moved into place with the files of its large values")
    func moving() throws {
        try Self.withStore("Old.sqlite") { place in
            let new = "1F0E0D0C-0B0A-0908-0706-050403020100"
            try NewStoreFile(place.path("Old.sqlite"), kind: .sqlite).make { path in
                let folder = URL(filePath: path).deletingLastPathComponent().path
                try Place(folder: folder).makeStore("Old.sqlite", value: new)
            }
            #expect(place.values(ofStore: "Old") == [new])
            #expect(place.logo("Old.sqlite") == 300_000)
            try NewStoreFile(place.path("Fresh.sqlite"), kind: .sqlite).make { path in
                let folder = URL(filePath: path).deletingLastPathComponent().path
                try Place(folder: folder).makeStore("Fresh.sqlite", value: new)
            }
            #expect(place.logo("Fresh.sqlite") == 300_000)
            #expect(place.isTidy)
        }
    }

    @Test("a failed replacement keeps the old store and all its files")
    func failing() throws {
        try Self.withStore("Old.sqlite") { place in
            let file = try NewStoreFile(place.path("Old.sqlite"), kind: .sqlite)
            #expect(throws: CancellationError.self) { try file.make { _ in throw CancellationError() } }
            // There is nothing to move.
            #expect(throws: (any Error).self) { try file.make { _ in } }
            #expect(place.values(ofStore: "Old") == [Self.value])
            #expect(place.logo("Old.sqlite") == 300_000)
            #expect(place.isTidy)
        }
    }

    @Test("an XML store can replace a SQLite store whose folder of values a neighbor shares")
    func replacingNeighbor() throws {
        try Self.withStore("Two.sqlite") { place in
            try place.makeStore("Two.db")
            #expect(place.convert("Two.sqlite", "Two.db", "--to", "xml", "--force").status == .fine)
            #expect(place.logo("Two.sqlite") == 300_000)
        }
    }

    @Test("a store doesn't replace a folder")
    func folder() throws {
        try Self.withStore("Seed.sqlite") { place in
            let folder = place.path("Mine.xml")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try Files.write("mine", to: folder + "/notes")
            let result = place.convert("Seed.sqlite", "Mine.xml", "--force")
            #expect(result.status == .problems && result.errors.contains("is a folder"))
            #expect(try String(contentsOfFile: folder + "/notes", encoding: .utf8) == "mine")
        }
    }

    @Test("a store is written to the target of a link, whether it exists or not")
    func links() throws {
        try Self.withStore("Seed.sqlite") { place in
            try FileManager.default.createSymbolicLink(
                atPath: place.path("Link.xml"),
                withDestinationPath: "Real.xml"
            )
            for options in [[], ["--force"]] {
                let words = ["store", "convert", place.path("Seed.sqlite"), place.path("Link.xml")]
                let made = Program.run(words + ["--model", place.path("Club.json")] + options, on: .plain)
                #expect(made.status == .fine, "\(made.errors)")
                #expect(
                    try FileManager.default.destinationOfSymbolicLink(atPath: place.path("Link.xml")) == "Real.xml"
                )
                #expect(place.logo("Real.xml") == 300_000)
            }
        }
    }

    @Test("a store with a log is replaced unless it is open")
    func log() throws {
        try Self.withStore("Seed.sqlite") { place in
            #expect(place.convert("Seed.sqlite", "Old.sqlite").status == .fine)
            let connection = try Connection(path: place.path("Old.sqlite"))
            try connection.execute("UPDATE ZCLUB SET ZNAME = 'Go'")
            let refused = place.convert("Seed.sqlite", "Old.sqlite", "--force", "--json")
            #expect(refused.json?["error"]?["code"] == "store.locked")
            #expect(try connection.first("SELECT ZNAME FROM ZCLUB") { $0.string(0) } == "Go")
            // As after the end of a program that left its log.
            try connection.execute("UPDATE ZCLUB SET ZNAME = 'Bridge'")
            for rest in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: place.path("Old.sqlite" + rest),
                    toPath: place.path("Ended.sqlite" + rest)
                )
            }
            let made = place.convert("Seed.sqlite", "Ended.sqlite", "--force")
            #expect(made.status == .fine, "\(made.errors)")
            #expect(!FileManager.default.fileExists(atPath: place.path("Ended.sqlite-wal")))
            #expect(
                outcrop("store", "query", place.path("Ended.sqlite"), "Club", "--select", "name").output.contains(
                    "Chess"
                )
            )
        }
    }
}
