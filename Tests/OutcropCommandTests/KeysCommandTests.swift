// SPDX-License-Identifier: Apache-2.0

// The behaviour of the commands for keys that docs/commands.md doesn't show.

import Files
import FoundationEssentials
import JSON
import SQLiteDriver
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop keys")
struct KeysCommandTests {
    /// A store with the entity Post.
    private static func withStore(_ body: (_ store: String) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let store = folder + "/Blog.sqlite"
            try SeedStore.make(
                store,
                entities: "(1, 'Post', 0, 0)",
                metadata: "",
                ["CREATE TABLE ZPOST (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)"]
            )
            try body(store)
        }
    }

    @Test("an added key is alone on the standard output, and a sentence on the standard error")
    func adding() throws {
        try Self.withStore { store in
            let added = outcrop("keys", "add", store, "--role", "editor", "--name", "ci")
            #expect(added.status == .fine)
            #expect(added.output.wholeMatch(of: /ock_[-_A-Za-z0-9]{43}\n/) != nil)
            #expect(added.errors.hasPrefix("Added the key “ci” to \(store). It isn't shown again"))
            #expect(added.errors.hasSuffix("It counts for servers with --access; others serve everyone."))
            let text = try String(contentsOf: URL(filePath: store + ".keys.json"), encoding: .utf8)
            #expect(!text.contains(added.output.dropFirst(4).dropLast()))
            #expect(FileSystem.permissions(of: store + ".keys.json") == 0o600)
        }
    }

    @Test("keys are listed as JSON with all that was said of them, and without the keys themselves")
    func listing() throws {
        try Self.withStore { store in
            let added = outcrop(
                "keys",
                "add",
                store,
                "--role",
                "editor",
                "--role",
                "member",
                "--role",
                "editor",
                "--entity",
                "Post:create,read",
                "--entity",
                "Post:delete",
                "--expires",
                "2090-12-31T00:00:00Z",
                "--json"
            )
            let key = try #require(added.json?["key"]?.string)
            #expect(key.hasPrefix("ock_"))
            let list = outcrop("keys", "list", store, "--json")
            #expect(list.json?.array?.count == 1)
            let object = try #require(list.json?[0]?.object)
            #expect(object.names == ["id", "roles", "entities", "created", "expires", "expired"])
            #expect(object["roles"] == ["editor", "member"])
            #expect(object["entities"] == ["Post": ["read", "create", "delete"]])
            #expect(object["expires"] == "2090-12-31T00:00:00Z")
            #expect(object["expired"] == false)
            #expect(!list.output.contains(key.dropFirst(4)))
            let table = outcrop("keys", "list", store).output
            #expect(table.hasPrefix("id            name  roles          entities"))
            #expect(table.contains("editor,member  Post:read,create,delete"))
        }
    }

    @Test("a key expires after a time, counted from now on", arguments: ["30d", "720h", "43200min", "2592000 s"])
    func expiring(time: String) throws {
        try Self.withStore { store in
            let added = outcrop("keys", "add", store, "--role", "editor", "--expires", time, "--json")
            let text = try #require(added.json?["expires"]?.string)
            let date = try #require(try? Date(text, strategy: .iso8601.year().month().day()))
            #expect(abs(date.timeIntervalSinceNow - 30 * 86_400) < 2 * 86_400)
        }
    }

    @Test("keys are revoked by name and by ID")
    func revoking() throws {
        try Self.withStore { store in
            let id = try #require(outcrop("keys", "add", store, "--role", "a", "--json").json?["id"]?.string)
            _ = outcrop("keys", "add", store, "--role", "a", "--name", "ci")
            #expect(outcrop("keys", "revoke", store, id).output == "Revoked the key \(id).")
            #expect(outcrop("keys", "revoke", store, "ci").output == "Revoked the key “ci”.")
            #expect(outcrop("keys", "list", store).output == "There are no keys.")
            let again = outcrop("keys", "revoke", store, "ci", "--json")
            #expect(again.status == .problems)
            #expect(again.json?["error"]?["code"] == "keys.unknownKey")
            #expect(again.json?["error"]?["file"] == .string(store + ".keys.json"))
        }
    }

    @Test("with an access file, a role that it doesn't have is refused")
    func roles() throws {
        try Self.withStore { store in
            let access = store + ".access.json"
            func add(_ role: String) -> (status: ReportStatus, errors: String, json: JSONValue?) {
                let result = outcrop("keys", "add", store, "--role", role, "--access", access, "--json")
                return (result.status, result.errors, result.json?["error"])
            }
            #expect(add("editor").json?["message"] == "The access file can't be read: there is no such file.")
            // The model isn't known, so that the rest of the file isn't checked.
            try Files.write(#"{"roles": {"editor": {}, "admin": {}}, /* … */ "rules": {"Nothing": {}}}"#, to: access)
            #expect(add("editor").status == .fine)
            let unknown = add("editr")
            #expect(unknown.status == .problems && unknown.json?["code"] == "keys.unknownRole")
            #expect(unknown.json?["message"] == "The access file has no role “editr”.")
            #expect(unknown.json?["hint"] == "Did you mean “editor”?")
            #expect(add("x").json?["hint"] == "Roles: editor, admin.")
            try Files.write("{", to: access)
            let broken = add("editor")
            #expect(broken.json?["code"] == "keys.invalidAccess")
            #expect(broken.json?["file"]?.string?.hasPrefix(access + ":1:") == true, "\(broken)")
        }
    }

    @Test("what can't be added is an error with a hint, and no file appears")
    func refusals() throws {
        try Self.withStore { store in
            let cases: [(words: [String], code: String)] = [
                ([], "keys.invalidKey"),
                (["--role", "a b"], "keys.invalidKey"),
                (["--role", "a", "--expires", "2001-01-01"], "keys.invalidKey"),
                (["--role", "a", "--expires", "0s"], "keys.invalidKey"),
                (["--entity", "Pots:read"], "keys.unknownEntity"),
            ]
            for (words, code) in cases {
                let result = Program.run(["keys", "add", store, "--json"] + words, on: .plain)
                #expect(result.status == .problems)
                #expect(result.json?["error"]?["code"] == .string(code), "\(words)")
            }
            #expect(!FileSystem.exists(store + ".keys.json"))
            let mistyped = outcrop("keys", "add", store, "--entity", "Pots:read")
            #expect(mistyped.errors.contains("Did you mean “Post”?"))
        }
    }

    @Test(
        "an option that can't be parsed is an invalid command line",
        arguments: [
            ["--entity", "Post"], ["--entity", "Post:"], ["--entity", ":read"], ["--entity", "Post:write"],
            ["--entity", "Post:read,"], ["--expires", "soon"], ["--expires", "-3d"],
        ]
    )
    func usage(words: [String]) throws {
        try Self.withStore { store in
            let result = Program.run(["keys", "add", store, "--role", "a"] + words, on: .plain)
            #expect(result.status == .usage)
            #expect(!FileSystem.exists(store + ".keys.json"))
        }
    }

    @Test("the path of no store is an error", arguments: ["add", "list", "revoke"])
    func missing(command: String) throws {
        try Checkout.withFolder { folder in
            let words = ["keys", command, folder + "/None.sqlite"] + (command == "revoke" ? ["a"] : [])
            let result = Program.run(words + (command == "add" ? ["--role", "a"] : []), on: .plain)
            #expect(result.status == .problems)
            #expect(result.errors == "outcrop: \(folder)/None.sqlite: The file doesn't exist.")
        }
    }

    @Test("a broken file of keys is an error with its place")
    func broken() throws {
        try Self.withStore { store in
            try Files.write("{\n", to: store + ".keys.json")
            let result = outcrop("keys", "list", store)
            #expect(result.status == .problems)
            #expect(result.errors.hasPrefix("outcrop: \(store).keys.json:2:1: "))
            #expect(result.errors.hasSuffix("Correct the file, or remove it and add keys again."))
        }
    }
}
