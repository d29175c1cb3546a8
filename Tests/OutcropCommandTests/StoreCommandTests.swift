// SPDX-License-Identifier: Apache-2.0

// The behaviour of the store commands that docs/commands.md doesn't show.

import FoundationEssentials
import Glibc
import JSON
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop store")
struct StoreCommandTests {
    /// A store with a club of two ordered members, one of which has a badge.
    private static func withStore(_ body: (_ store: String, _ folder: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            try Files.write(model, to: folder + "/Club.json")
            try database(folder + "/Seed.sqlite")
            let made = outcrop(
                "store",
                "convert",
                folder + "/Seed.sqlite",
                folder + "/Club.sqlite",
                "--model",
                folder + "/Club.json"
            )
            #expect(made.status == .fine, "\(made.errors)")
            try body(folder + "/Club.sqlite", folder)
        }
    }

    private static let model = """
        {
          "entities": {
            "Badge": {"attributes": {"color": "String?"}, "relationships": {"holder": "Member?.badge"}},
            "Club": {
              "attributes": {"name": "String?", "logo": "Binary?"},
              "relationships": {"members": {"toMany": "Member", "inverse": "club", "ordered": true}}
            },
            "Member": {
              "attributes": {"name": "String", "fee": "Decimal?", "since": "Date?"},
              "relationships": {"badge": "Badge?.holder", "club": "Club?.members"}
            }
          }
        }
        """

    private static func database(_ path: String) throws {
        let statements: [SQL] = [
            "CREATE TABLE ZBADGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHOLDER INTEGER, ZCOLOR VARCHAR)",
            """
            CREATE TABLE ZCLUB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZLOGO BLOB)
            """,
            """
            CREATE TABLE ZMEMBER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBADGE INTEGER, ZCLUB INTEGER, \
            Z_FOK_CLUB INTEGER, ZSINCE TIMESTAMP, ZFEE DECIMAL, ZNAME VARCHAR)
            """,
            "INSERT INTO ZBADGE VALUES (1, 1, 4, 1, 'red')",
            "INSERT INTO ZCLUB VALUES (1, 2, 1, 'Chess, etc.', x'00FF10')",
            "INSERT INTO ZMEMBER VALUES (1, 3, 1, 1, 1, 2048, 0.25, 12.10, 'Ann'), (2, 3, 1, NULL, 1, 1024, NULL, NULL, 'Ben')",
        ]
        try SeedStore.make(
            path,
            entities: "(1, 'Badge', 0, 1), (2, 'Club', 0, 1), (3, 'Member', 0, 2)",
            metadata: "<key>town</key><string>Ulm</string>",
            statements
        )
    }

    @Test("a converted store has the same objects, whatever its format", arguments: StoreKind.allCases)
    func conversion(kind: StoreKind) throws {
        try Self.withStore { store, folder in
            let copy = folder + "/Copy"
            let made = outcrop("store", "convert", store, copy, "--to", kind.rawValue)
            #expect(made.status == .fine, "\(made.errors)")
            let model = folder + "/Club.json"
            let columns = [
                "Badge": "color,holder.name", "Club": "name,logo,members.@count",
                "Member": "name,fee,since,badge.color",
            ]
            for (entity, columns) in columns {
                let words = ["--select", columns, "--sort", String(columns.prefix { $0 != "," }), "--json"]
                let one = Program.run(["store", "query", store, entity] + words, on: .plain)
                let other = Program.run(["store", "query", copy, entity, "--model", model] + words, on: .plain)
                #expect(one.status == .fine && one.output == other.output, "\(one.errors)\(other.errors)")
            }
            #expect(outcrop("store", "info", copy, "--model", model).output.contains("town: Ulm"))
            // Back to SQLite, where the order of members can be read.
            let back = outcrop("store", "convert", copy, folder + "/Back.sqlite", "--model", model)
            #expect(back.status == .fine, "\(back.errors)")
            let order = try Connection(path: folder + "/Back.sqlite").rows(
                "SELECT ZNAME FROM ZMEMBER ORDER BY Z_FOK_CLUB"
            ) { $0.string(0) }
            #expect(order == ["Ben", "Ann"])
            #expect(outcrop("store", "check", "--strict", folder + "/Back.sqlite").status == .fine)
        }
    }

    @Test(
        "objects with the greatest keys get new ones, and dangling references stay dangling",
        arguments: ["xml", "bin"]
    )
    func greatestKeys(type: String) throws {
        try Self.withStore { store, folder in
            let statements: [SQL] = [
                "DELETE FROM ZBADGE", "UPDATE ZMEMBER SET Z_PK = 9223372036854775807, ZBADGE = 77 WHERE Z_PK = 1",
                "UPDATE ZMEMBER SET ZCLUB = 78 WHERE Z_PK = 2", "UPDATE ZCLUB SET Z_PK = 3",
            ]
            let connection = try Connection(path: store)
            for statement in statements { try connection.execute(statement) }
            let copy = folder + "/Copy." + type
            let made = outcrop("store", "convert", store, copy)
            #expect(made.status == .fine, "\(made.errors)")
            let words = [
                "Member", "--select", "name,club.name", "--sort", "name", "--model", folder + "/Club.json", "--csv",
            ]
            #expect(Program.run(["store", "query", copy] + words, on: .plain).output == "name,club.name\nAnn,\nBen,\n")
        }
    }

    @Test("an existing file is replaced only with --force, and no temporary file remains")
    func replacing() throws {
        try Self.withStore { store, folder in
            try Files.write("mine", to: folder + "/Copy.xml")
            #expect(outcrop("store", "convert", store, folder + "/Copy.xml").status == .problems)
            #expect(try String(contentsOfFile: folder + "/Copy.xml", encoding: .utf8) == "mine")
            #expect(outcrop("store", "convert", store, folder + "/Copy.xml", "--force").status == .fine)
            #expect(outcrop("store", "convert", store, store, "--force").errors.contains("its own file"))
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!files.contains { $0.hasSuffix(".new") }, "\(files)")
        }
    }

    @Test(
        "a conversion leaves no new file and keeps the old one when any file operation fails",
        arguments: StoreKind.allCases
    )
    func faults(kind: StoreKind) throws {
        try Self.withStore { store, folder in
            let before = try FileManager.default.contentsOfDirectory(atPath: folder)
            let (copy, files) = (folder + "/Copy", FailingFiles())
            for isThere in [false, true] {
                for n in 1... {
                    if isThere { try Files.write("mine", to: copy) }
                    files.fail(n)
                    let words = ["store", "convert", store, copy, "--to", kind.rawValue] + (isThere ? ["--force"] : [])
                    let result = files.run { Program.run(words, on: .plain) }
                    let hasFailed = files.mend() > 0
                    let isDone = result.status == .fine
                    let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder)).subtracting(before)
                        .filter { !$0.hasPrefix("Club.sqlite") }
                    #expect(left == (isDone || isThere ? ["Copy"] : []), "\(n): \(result.errors)")
                    #expect(isDone || !result.errors.contains(".new"), "\(n): \(result.errors)")
                    if isThere, !isDone { #expect(try String(contentsOfFile: copy, encoding: .utf8) == "mine", "\(n)") }
                    if !left.isEmpty { try Checkout.remove(copy) }
                    guard hasFailed else { break }
                }
            }
        }
    }

    @Test("a table is truncated on a terminal only")
    func width() throws {
        try Self.withStore { store, _ in
            let words = ["store", "query", store, "Member", "--select", "name,since,fee,club.name,badge.color"]
            let cut = Program.run(words, on: Terminal(width: 40, isStyled: false, isInteractive: true)).output
            #expect(cut.split(separator: "\n").allSatisfy { $0.count <= 46 } && cut.contains("…"), "\(cut)")
            #expect(
                outcrop("store", "query", store, "Member", "--select", "name,since,fee", "--sort", "name").output == """
                    name  since                     fee
                    Ann   2001-01-01T00:00:00.25Z  12.1
                    Ben
                    """
            )
        }
    }

    @Test("CSV is quoted where necessary, and has bytes in base64")
    func csv() throws {
        try Self.withStore { store, _ in
            let result = outcrop("store", "query", store, "Club", "--select", "name,logo,members.@count", "--csv")
            #expect(result.output == "name,logo,members.@count\n\"Chess, etc.\",AP8Q,2\n")
        }
    }

    @Test(
        "a date beyond any calendar is shown as its seconds, and an infinite one as nothing",
        arguments: ["table", "json", "ndjson", "csv"]
    )
    func dates(format: String) throws {
        try Self.withStore { store, _ in
            try Connection(path: store).execute(
                "UPDATE ZMEMBER SET ZSINCE = CASE ZNAME WHEN 'Ann' THEN 9e999 ELSE 1e300 END"
            )
            let words = ["store", "query", store, "Member", "--select", "name,since"]
            let result = Program.run(words + (format == "table" ? [] : ["--" + format]), on: .plain)
            #expect(result.status == .fine && result.output.contains("1e+300"), "\(result.errors)")
            #expect(!result.output.contains("inf") && !result.output.contains("nan"), "\(result.output)")
        }
    }

    @Test(
        "columns are split at commas outside texts, even with escaped characters",
        arguments: [#"'a\',b'"#, #""a\",b""#, #"'a,\\'"#]
    )
    func columns(text: String) throws {
        try Self.withStore { store, _ in
            let column = "TERNARY(name == \(text), 1, 2)"
            let result = outcrop(
                "store",
                "query",
                store,
                "Member",
                "--select",
                column + ",fee",
                "--ndjson",
                "--limit",
                "1"
            )
            #expect(result.status == .fine, "\(result.errors)")
            let row = try JSONValue(parsing: result.output)
            #expect(row[column] == 2 && row["fee"] != nil)
        }
    }

    @Test("lines are written while they are read, and reading stops with the output", arguments: ["--ndjson", "--csv"])
    func streaming(format: String) throws {
        try Self.withStore { store, _ in
            try Connection(path: store).execute(
                """
                INSERT INTO ZMEMBER (Z_PK, Z_ENT, Z_OPT, ZNAME) WITH RECURSIVE n(i) AS \
                (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) SELECT i, Z_ENT, 1, 'M' || i FROM n, ZMEMBER \
                WHERE ZMEMBER.Z_PK = (SELECT min(Z_PK) FROM ZMEMBER)
                """
            )
            let words = ["store", "query", store, "Member", "--sort", "name", format]
            let whole = Program.run(words, on: .plain)
            let pieces = Pieces()
            let result = Program.run(words, on: .plain) { try pieces.add($0) }
            #expect(result.status == .fine && result.output.isEmpty && result.errors.isEmpty)
            #expect(pieces.all.count >= 10 && pieces.all.joined() == whole.output)
            // A closed pipe ends the output without an error.
            let few = Pieces(limit: 2)
            let stopped = Program.run(words, on: .plain) { try few.add($0) }
            #expect(stopped.status == .fine && stopped.errors.isEmpty && few.all.count == 2)
            let full = Program.run(words, on: .plain) { _ in throw OutputFailure(reason: "the disk is full") }
            #expect(full.status == .problems && full.errors.contains("the disk is full"))
        }
    }

    private final class Pieces: Sendable {
        private let pieces = Mutex<[String]>([])
        private let limit: Int

        init(limit: Int = .max) {
            self.limit = limit
        }

        var all: [String] { pieces.withLock { $0 } }

        func add(_ piece: String) throws {
            try pieces.withLock { pieces in
                if pieces.count == limit { throw OutputFailure(reason: nil) }
                pieces.append(piece)
            }
        }
    }

    @Test(
        "a condition that no object can satisfy is answered with a warning",
        arguments: [[], ["--count"], ["--json"]]
    )
    func remarks(options: [String]) throws {
        try Self.withStore { store, _ in
            let words = ["store", "query", store, "Member", "--where", "since > '2020-01-01'"] + options
            let result = Program.run(words, on: .plain)
            #expect(result.status == .fine)
            #expect(result.errors.contains("warning") && result.errors.contains("compares a date with text"))
            #expect(Program.run(["store", "query", store, "Member"] + options, on: .plain).errors.isEmpty)
        }
    }

    @Test("--limit and --offset select a window of the objects, which can be empty")
    func window() throws {
        try Self.withStore { store, _ in
            func names(_ words: String...) -> [String?]? {
                let query = ["store", "query", store, "Member", "--sort", "name", "--select", "name", "--json"]
                return Program.run(query + words, on: .plain).json?.array?.map { $0["name"]?.string }
            }
            #expect(names() == ["Ann", "Ben"])
            #expect(names("--limit", "1") == ["Ann"])
            #expect(names("--offset", "1") == ["Ben"])
            #expect(names("--limit", "0") == [])
            #expect(outcrop("store", "query", store, "Member", "--limit=-1").status == .usage)
            #expect(outcrop("store", "query", store, "Member", "--json", "--csv").status == .usage)
            #expect(outcrop("store", "query", store, "Member", "--arg", "1").status == .usage)
        }
    }

    @Test("a repair copies the store first, and names the copy")
    func repair() throws {
        try Self.withStore { store, folder in
            try Connection(path: store).execute("UPDATE ZMEMBER SET ZCLUB = 99 WHERE ZNAME = 'Ben'")
            let found = outcrop("store", "check", store, "--json")
            #expect(found.status == .problems)
            #expect(found.json?["findings"]?.array?.first?["code"]?.string == "store.dangling")
            let repaired = outcrop("store", "check", "--repair", store)
            #expect(repaired.status == .fine)
            #expect(repaired.output.contains("Copied the store to \(folder)/Club-backup.sqlite."), "\(repaired.output)")
            #expect(outcrop("store", "check", folder + "/Club-backup.sqlite").status == .problems)
            #expect(outcrop("store", "check", "--repair", "--no-backup", store).output == "0 errors, 0 warnings")
            #expect(outcrop("store", "check", "--no-backup", store).status == .usage)
        }
    }

    @Test("a URL's scheme gives the kind of store", arguments: ["sqlite:PATH", "sqlite://PATH", "PATH"])
    func locations(form: String) throws {
        try Self.withStore { store, _ in
            let name = form.replacing("PATH", with: store)
            #expect(outcrop("store", "query", name, "Member", "--count").output == "2")
            #expect(outcrop("store", "info", "xml:" + store, "--model", "x").status == .problems)
        }
    }

    @Test("a pipe isn't opened as a store, since that could block forever")
    func pipes() throws {
        try Checkout.withFolder { folder in
            let pipe = folder + "/pipe"
            try #require(unsafe mkfifo(pipe, 0o600) == 0)
            for words in [
                ["info", pipe], ["check", pipe], ["query", "xml:" + pipe, "A"], ["backup", pipe, folder + "/copy"],
            ] {
                let error = Program.run(["store"] + words + ["--json"], on: .plain).json?["error"]
                #expect(error?["code"] == "store.notAStore" && error?["file"]?.string == pipe)
            }
        }
    }

    @Test("the model commands accept a store that carries its model")
    func models() throws {
        try Self.withStore { store, folder in
            #expect(outcrop("model", "show", store, "Club").output.contains("members"))
            #expect(outcrop("model", "check", store).status == .fine)
            #expect(outcrop("model", "diff", store, folder + "/Club.json").status == .fine)
            let seed = outcrop("model", "show", folder + "/Seed.sqlite")
            #expect(seed.status == .problems && seed.errors.contains("carries no model"))
        }
    }

    @Test("an unreadable carried model is reported with the reason, and --model accepts only the store's own model")
    func unreadableModel() throws {
        try Self.withStore { store, folder in
            try Connection(path: store).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00FF'")
            let message = "The model that the store carries can't be read: The compiled model"
            for words in [["store", "query", store, "Member", "--count"], ["model", "show", store]] {
                let result = Program.run(words, on: .plain)
                #expect(result.status == .problems && result.errors.contains(message), "\(result.errors)")
            }
            let query = outcrop("store", "query", store, "Member", "--json")
            #expect(query.json?["error"]?["code"] == "store.noModel")
            #expect(query.json?["error"]?["hint"]?.string?.contains("--model FILE") == true)
            let info = outcrop("store", "info", store)
            #expect(info.status == .fine)
            #expect(info.output.contains("model  carried, but can't be read: The compiled model"), "\(info.output)")
            #expect(outcrop("store", "info", store, "--json").json?["modelError"]?.string?.isEmpty == false)

            let model = folder + "/Club.json"
            #expect(outcrop("store", "query", store, "Member", "--count", "--model", model).output == "2")
            try Files.write(Self.model.replacing("\"Decimal?\"", with: "\"Double?\""), to: model)
            let other = outcrop("store", "query", store, "Member", "--count", "--model", model)
            #expect(other.status == .problems)
            #expect(other.errors.contains("another version of the entity Member"), "\(other.errors)")
        }
    }

    @Test("missing files and files that aren't stores are reported with different errors")
    func noStores() throws {
        try Checkout.withFolder { folder in
            try Files.write("{}", to: folder + "/a.json")
            #expect(
                outcrop("store", "info", folder + "/a.json", "--json").json?["error"]?["code"]?.string
                    == "store.notAStore"
            )
            #expect(outcrop("store", "info", folder, "--json").json?["error"]?["code"]?.string == "store.notAStore")
            #expect(
                outcrop("store", "info", folder + "/b", "--json").json?["error"]?["code"]?.string == "store.notFound"
            )
            try Connection(path: folder + "/c.sqlite", access: .create).execute("CREATE TABLE a (b)")
            for command in ["info", "check"] {
                #expect(outcrop("store", command, folder + "/c.sqlite").errors.contains("not a store"))
            }
        }
    }
}
