// SPDX-License-Identifier: Apache-2.0

import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("outcrop access")
struct AccessCommandTests {
    private static let rules = """
        {
          "identity": {
            "accounts": {"entity": "User", "name": "username", "password": "bio"},
            "anonymous": "public"
          },
          "roles": {
            "public": {}, "member": {"extends": ["public"]}, "editor": {"extends": ["member"]},
            "admin": {"administers": true}
          },
          "rules": {
            "Contact": {"read": {"public": true}, "update": {"member": "name != nil"}},
            "Post": {
              "read": {"public": "published == YES", "member": "author == $USER"},
              "create": {"member": "author == $USER"},
              "update": {"member": {"where": "author == $USER", "check": "published == NO"}, "editor": true},
              "properties": {"views": {"write": []}, "rating": {"read": ["editor"]}},
              "set": {"author": "$USER", "views": 0, "createdAt": "$NOW"}
            }
          }
        }
        """

    /// Runs a command on a file with these rules.
    private func run(_ words: [String], _ rules: String = rules) throws -> (result: Program.Result, path: String) {
        try Checkout.withFolder { folder in
            let path = folder + "/access.json"
            try Files.write(rules, to: path)
            let model = try Self.model(in: folder)
            let words = words.map { $0 == Files.demo ? model : $0 }
            return (Program.run(["access", words[0], path] + words.dropFirst(), on: .plain), path)
        }
    }

    /// The demo model with an attribute that can have passwords: what is searched can't.
    private static func model(in folder: String) throws -> String {
        let text = try Checkout.text(of: "Config/Demo.json")
        let path = folder + "/Demo.json"
        try Files.write(
            text.replacing(#""bio": {"type": "String?", "searchIndexed": true}"#, with: #""bio": "String?""#),
            to: path
        )
        return path
    }

    private func explain(_ role: String, _ entity: String) throws -> String {
        try run(["explain", "--model", Files.demo, "--role", role, "--entity", entity]).result.output
    }

    @Test("check says that a file has no roles, and names no entity twice whose superentity has rules")
    func checkWithoutRoles() throws {
        let rules = #"{"rules": {"Contact": {"read": {"public": true}}}}"#
        let output = try run(["check", "--model", Files.demo], rules).result.output
        #expect(output.contains("There is no role “public”. The file has no “roles”."), "\(output)")
        let complete = try run(["check", "--model", Files.demo, "--json"]).result.json
        let names = complete?["withoutRules"]?.array?.compactMap(\.string) ?? []
        #expect(names.contains("Tag") && !names.contains("User") && !names.contains("Post"), "\(names)")
    }

    @Test("an option by the name of another one's value is answered with that one")
    func familiarOption() throws {
        let words = ["explain", "--model", Files.demo, "--user", "users/1", "--entity", "Post"]
        let errors = try run(words).result.errors
        #expect(errors.contains("Did you mean “--as”?") && !errors.contains("Put “--”"), "\(errors)")
    }

    @Test("check reports all mistakes with their places, and their number by the exit code")
    func check() throws {
        let good = try run(["check", "--model", Files.demo]).result
        #expect(good.status == .fine && good.output.hasSuffix("\nNo mistakes: 4 roles, 2 entities"))
        #expect(good.output.contains("access.json: No rule is for "), "\(good.output)")
        let broken = Self.rules.replacing("published == NO", with: "publishd == NO").replacing(
            "\"views\": 0",
            with: "\"view\": 0"
        )
        let (bad, path) = try run(["check", "--model", Files.demo], broken)
        #expect(bad.status == .problems)
        let lines = bad.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[2] == "2 mistakes")
        #expect(lines[0].hasPrefix("error: \(path):15:") && lines[0].contains("rules.Post.update.member.check"))
        #expect(lines[1].hasSuffix("rules.Post.set.view: Post has no property “view”. Did you mean “views”?"))
        let json = try #require(try run(["check", "--model", Files.demo, "--json"], broken).result.json)
        #expect(json["ok"] == false && json["problems"]?.array?.count == 2)
        #expect(json["problems"]?[1]?["path"] == "rules.Post.set.view" && json["problems"]?[1]?["line"] == 17)
    }

    @Test("a model is needed, and a store's own will do")
    func models() throws {
        #expect(try run(["check"]).result.status == .usage)
        let missing = outcrop("access", "check", "/none.json", "--model", Files.demo)
        #expect(missing.status == .problems && missing.output.contains("/none.json: The access file can't be read"))
        try Checkout.withFolder { folder throws in
            let wrong = outcrop("access", "check", folder, "--model", Files.demo)
            #expect(wrong.output.contains("The access file can't be read: it isn't a file."), "\(wrong)")
            let store = folder + "/App.sqlite"
            let model = try Self.model(in: folder)
            #expect(outcrop("demo-data", store, "--model", model, "--count", "10").status == .fine)
            #expect(try run(["check", "--store", store]).result.status == .fine)
        }
    }

    @Test("explain says for each verb which rule decides, and from where it is inherited")
    func explanations() throws {
        #expect(
            try explain("editor", "Post") == """
                editor, which extends member and public, and objects of Post:
                  read    if author == $USER, by the rule for member (editor extends member).
                          if published == YES, by the rule for public (editor extends member extends public).
                  create  if author == $USER, by the rule for member (editor extends member).
                  update  always, by the rule for editor.
                          if author == $USER and if published == NO afterwards, by the rule for member (editor extends member).
                  delete  never: there is no rule.
                Can't be written: views
                Set by a creation: author = $USER
                Set by a creation: createdAt = $NOW
                Set by a creation: views = 0
                """
        )
        let member = try explain("member", "User")
        #expect(member.contains("  read    always, by the rule of Contact for public (member extends public).\n"))
        #expect(
            member.contains("  update  if name != nil, before and afterwards, by the rule of Contact for member.\n")
        )
        #expect(member.contains("\nCan't be read: bio"))
        #expect(try explain("public", "Post").contains("  create  never: no rule is for this role.\n"))
        #expect(try explain("public", "Post").contains("\nCan't be read: rating\n"))
        #expect(try explain("admin", "Post") == "admin, and objects of Post:\nIt administers, and may do everything.")
    }

    @Test("explain answers in JSON, too")
    func json() throws {
        let words = ["explain", "--model", Files.demo, "--role", "editor", "--entity", "Post", "--json"]
        let json = try #require(try run(words).result.json)
        #expect(json["extends"] == ["member", "public"] && json["administers"] == false)
        let update = json["verbs"]?["update"]
        #expect(update?["entity"] == "Post" && update?["rules"]?.array?.count == 2)
        let rule: JSONValue = [
            "role": "member", "inheritance": ["editor", "member"], "where": "author == $USER",
            "check": "published == NO",
        ]
        #expect(update?["rules"]?[1] == rule)
        #expect(json["verbs"]?["delete"]?["entity"] == .null)
        #expect(json["unwritable"] == ["views"] && json["set"]?["author"] == "$USER")
    }

    @Test("explain refuses unknown roles and entities with a hint")
    func unknown() throws {
        let role = try run(["explain", "--model", Files.demo, "--role", "edtor", "--entity", "Post"]).result
        #expect(role.status == .problems && role.errors.contains("Did you mean “editor”?"))
        let entity = try run(["explain", "--model", Files.demo, "--role", "editor", "--entity", "Pots"]).result
        #expect(entity.status == .problems && entity.errors.contains("Did you mean “Post”?"))
    }

    // MARK: Stores

    private static let ownRules = """
        {
          "roles": {"member": {}, "admin": {"administers": true}},
          "rules": {
            "Tag": {"read": {"member": "name == $CLAIMS.tag"}, "update": {"member": "color != nil"}, "create": {"member": true}}
          }
        }
        """

    /// Runs commands on a store with two tags, and a file of rules.
    private func withStore(_ body: (_ folder: String) throws -> Void) throws {
        try Checkout.withFolder { folder throws in
            try Files.write(Self.ownRules, to: folder + "/access.json")
            try Files.write(
                "{\"name\": \"a\", \"color\": \"#ff0000\"}\n{\"name\": \"b\"}\n",
                to: folder + "/tags.ndjson"
            )
            let store = folder + "/App.sqlite"
            let imported = outcrop("import", store, folder + "/tags.ndjson", "--model", Files.demo, "--entity", "Tag")
            #expect(imported.status == .fine, "\(imported.errors)")
            try body(folder)
        }
    }

    @Test("explain shows what a role may do with an object of a store")
    func objects() throws {
        try withStore { folder throws in
            func last(_ words: [String]) -> String {
                let all = ["access", "explain", folder + "/access.json", "--entity", "Tag"] + words
                let result = Program.run(all, on: .plain)
                return (result.output + result.errors).split(separator: "\n").last.map(String.init) ?? ""
            }
            let store = folder + "/App.sqlite"
            let member = ["--role", "member", "--store", store, "--id"]
            func of(_ number: String, _ claims: String...) -> String { last(member + [number] + claims) }
            let answers = ["1", "2"].map { of($0, "--claims", #"{"tag": "a"}"#) }
            #expect(answers.contains { $0.hasSuffix(": member may read and update it.") }, "\(answers)")
            #expect(answers.contains { $0.hasSuffix(": can't be read.") }, "\(answers)")
            #expect(["1", "2"].map { of($0) }.allSatisfy { $0.hasSuffix(": can't be read.") })
            #expect(of("99").hasSuffix("The store has no object tags/99."))
            #expect(
                last(["--role", "admin", "--store", store, "--id", "1"])
                    == "tags/1: admin may read, update and delete it."
            )
            #expect(last(["--role", "admin", "--model", Files.demo, "--id", "1"]).contains("--id requires --store"))
        }
    }

    @Test("test prints each expectation that isn't met, and its exit code says so")
    func expectations() throws {
        try withStore { folder throws in
            func test(_ text: String, _ words: String...) throws -> Program.Result {
                try Files.write(text, to: folder + "/expectations.json")
                let files = ["access", "test", folder + "/access.json", folder + "/expectations.json"]
                return Program.run(files + ["--store", folder + "/App.sqlite"] + words, on: .plain)
            }
            let member = #""as": {"roles": ["member"]}"#
            let good = try test(
                """
                [
                  {\(member), "may": "read", "object": "tags/1", "expect": false},
                  {\(member), "may": "create", "entity": "Tag", "expect": true},
                  {\(member), "may": "create", "entity": "posts", "expect": false},
                  {"as": {"roles": ["admin"]}, "may": "delete", "object": "tags/1", "expect": true}
                ]
                """
            )
            #expect(good.status == .fine && good.output == "4 expectations, all met", "\(good.output)")
            let differing = """
                [
                  {"name": "first", \(member), "may": "read", "object": "tags/1", "expect": true},
                  {\(member), "may": "update", "object": "tags/99", "expect": false},
                  {"as": {"roles": ["membr"]}, "may": "create", "entity": "Tag", "expect": false}
                ]
                """
            let bad = try test(differing)
            let lines = bad.output.split(separator: "\n")
            try #require(bad.status == .problems && lines.count == 4, "\(bad.output)\(bad.errors)")
            #expect(
                lines[0].hasSuffix("expectations.json:2:3: first: member may read tags/1: It may not."),
                "\(lines[0])"
            )
            #expect(lines[1].hasSuffix("There is no such object.") && lines[2].hasSuffix("There is no role “membr”."))
            #expect(try test(differing, "--json").json?["differences"]?.array?.count == 3)
            let mistakes = try test(
                """
                [{"may": "read"}, {\(member), "may": "list", "expect": true}, {\(member), "may": "read", "expect": 1},
                 {\(member), "may": "read", "entity": "Tag", "expect": true}, {\(member), "wen": 1}, 3]
                """
            )
            #expect(
                mistakes.status == .problems && mistakes.errors.split(separator: "\n").count == 6,
                "\(mistakes.errors)"
            )
            #expect(try test("{}").errors.contains("Expectations must be a list"))
        }
    }
}
