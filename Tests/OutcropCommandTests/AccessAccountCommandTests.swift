// SPDX-License-Identifier: Apache-2.0

import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop access for accounts")
struct AccessAccountCommandTests {
    /// Names of users are roles, beside the one of all.
    private static let rules = """
        {
          "identity": {
            "accounts": {
              "entity": "User", "name": "username", "password": "bio", "roles": "name", "baseRole": "member"
            }
          },
          "roles": {"member": {}, "editor": {}},
          "rules": {
            "User": {"read": {"member": "SELF == $USER", "editor": true}, "update": {"editor": "SELF != $USER"}},
            "Tag": {"create": {"editor": true}}
          }
        }
        """

    /// Runs commands on a store with anna, who is a member, and bob, who is an editor, too.
    private func withStore(_ body: (_ folder: String) throws -> Void) throws {
        try Checkout.withFolder { folder throws in
            // What is searched can't be a password.
            let text = try Checkout.text(of: "Config/Demo.json")
            try Files.write(
                text.replacing(#""bio": {"type": "String?", "searchIndexed": true}"#, with: #""bio": "String?""#),
                to: folder + "/Demo.json"
            )
            try Files.write(Self.rules, to: folder + "/access.json")
            for (name, roles) in [("anna", "none"), ("bob", "editor, none")] {
                let path = folder + "/\(name).ndjson"
                try Files.write(#"{"username": "\#(name)", "name": "\#(roles)"}"#, to: path)
                let store = folder + "/App.sqlite"
                let imported = outcrop("import", store, path, "--model", folder + "/Demo.json", "--entity", "User")
                #expect(imported.status == .fine, "\(imported.errors)")
            }
            try body(folder)
        }
    }

    @Test("explain takes an account, with its own roles or with another one")
    func explanations() throws {
        try withStore { folder throws in
            func explain(_ words: String...) -> Program.Result {
                let all = ["access", "explain", folder + "/access.json", "--entity", "User"] + words
                return Program.run(all, on: .plain)
            }
            func last(_ user: String, _ number: String, _ words: String...) -> String? {
                let store = ["--store", folder + "/App.sqlite", "--as", user, "--id", number]
                let all = ["access", "explain", folder + "/access.json", "--entity", "User"] + store + words
                return Program.run(all, on: .plain).output.split(separator: "\n").last.map(String.init)
            }
            #expect(last("users/1", "1") == "users/1: users/1 may read it.")
            #expect(last("users/1", "2") == "users/2: can't be read.")
            #expect(last("users/2", "1") == "users/1: users/2 may read and update it.")
            #expect(last("users/2", "2") == "users/2: users/2 may read it.")
            #expect(last("users/1", "2", "--role", "editor") == "users/2: users/1 may read and update it.")
            let store = folder + "/App.sqlite"
            let rules = explain("--store", store, "--as", "users/2")
            #expect(rules.output.hasPrefix("users/2 as editor and member, and objects of User:\n  read    always, by"))
            let json = explain("--store", store, "--as", "users/1", "--json").json
            #expect(json?["user"] == "users/1" && json?["roles"] == ["member"], "\(String(describing: json))")
            for (words, message) in [
                (["--store", store, "--as", "users/9"], "The store has no account users/9."),
                (["--store", store, "--as", "tags/1"], "The store has no account tags/1."),
                (["--model", folder + "/Demo.json", "--as", "users/1"], "--as requires --store"),
                (["--store", store], "Give a role or an account"),
            ] {
                let all = ["access", "explain", folder + "/access.json", "--entity", "User"] + words
                let result = Program.run(all, on: .plain)
                #expect(result.status != .fine && result.errors.contains(message), "\(result.errors)")
            }
            try Files.write(#"{"roles": {"member": {}}}"#, to: folder + "/access.json")
            #expect(explain("--store", store, "--as", "users/1").errors.contains("The access file has no accounts."))
        }
    }

    @Test("expectations are of accounts, too")
    func expectations() throws {
        try withStore { folder throws in
            func test(_ text: String) throws -> Program.Result {
                try Files.write(text, to: folder + "/expectations.json")
                let files = ["access", "test", folder + "/access.json", folder + "/expectations.json"]
                return Program.run(files + ["--store", folder + "/App.sqlite"], on: .plain)
            }
            let good = try test(
                """
                [
                  {"as": {"user": "users/1"}, "may": "read", "object": "users/1", "expect": true},
                  {"as": {"user": "users/1"}, "may": "read", "object": "users/2", "expect": false},
                  {"as": {"user": "users/2"}, "may": "update", "object": "users/2", "expect": false},
                  {"as": {"user": "users/1", "roles": ["editor"]}, "may": "update", "object": "users/2", "expect": true},
                  {"as": {"user": "users/1", "roles": []}, "may": "read", "object": "users/1", "expect": false},
                  {"as": {"user": "users/2"}, "may": "create", "entity": "Tag", "expect": true},
                  {"as": {"user": "users/1"}, "may": "create", "entity": "Tag", "expect": false}
                ]
                """
            )
            #expect(good.status == .fine, "\(good.output)\(good.errors)")
            let bad = try test(
                """
                [
                  {"as": {"user": "users/9"}, "may": "read", "object": "users/1", "expect": true},
                  {"as": {"user": "users/1"}, "may": "read", "object": "users/2", "expect": true},
                  {"as": {"user": "users/1", "roles": ["member"]}, "may": "read", "object": "users/2", "expect": true}
                ]
                """
            ).output
            #expect(bad.contains("There is no account “users/9”."), "\(bad)")
            #expect(bad.contains(": users/1 may read users/2: It may not."), "\(bad)")
            #expect(bad.contains(": users/1 as member may read users/2: It may not."), "\(bad)")
            let mistake = try test(#"[{"as": {"user": 1}, "may": "read", "object": "users/1", "expect": true}]"#)
            #expect(mistake.errors.contains("“user” must be an account."), "\(mistake.errors)")
        }
    }
}
