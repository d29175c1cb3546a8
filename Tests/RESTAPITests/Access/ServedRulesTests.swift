// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("The rules of a server, over HTTP")
struct ServedRulesTests {
    /// Rules without accounts.
    private static let keysOnly = """
        {
          "identity": {"anonymous": "reader"},
          "roles": {"reader": {}, "editor": {"extends": ["reader"]}, "admin": {"administers": true}},
          "rules": {"Tag": {"read": {"reader": "name != 'data'"}, "update": {"editor": true}}}
        }
        """

    @Test("everyone with a credential learns its roles, also without accounts")
    func ownIdentity() throws {
        try APIWorld.each(access: Self.keysOnly) { world throws in
            let editor = try world.send(as: "editor", .get, "/api/auth/me")
            #expect(
                editor.json == ["name": "editor", "user": nil, "roles": ["editor", "reader"], "claims": [:]],
                "\(editor.text)"
            )
            let admin = try world.send(as: "admin", .get, "/api/auth/me")
            #expect(admin.status == 200 && admin["roles"] == ["admin"], "\(admin.text)")
            let anonymous = try world.get("/api/auth/me")
            #expect(anonymous.status == 401 && anonymous.fields[.wwwAuthenticate]?.contains("Bearer") == true)
            #expect(try world.send(as: "editor", .post, "/api/auth/sign-in", "{}").status == 404)
        }
    }

    @Test("those who administer get the rules as in an access file, others don't")
    func rules() throws {
        try APIWorld.each(access: Self.keysOnly) { world throws in
            let answer = try world.send(as: "admin", .get, "/api/auth/rules")
            let expected: JSONValue = [
                "identity": ["anonymous": "reader"],
                "roles": ["admin": ["administers": true], "editor": ["extends": ["reader"]], "reader": [:]],
                "rules": ["Tag": ["read": ["reader": #"name != "data""#], "update": ["editor": true]]],
            ]
            #expect(answer.json == expected, "\(answer.text)")
            for (method, target) in [(HTTPMethod.get, "/api/auth/rules"), (.post, "/api/auth/rules/test")] {
                let body = method == .post ? "[]" : nil
                #expect(try world.send(as: "editor", method, target, body).status == 403)
                #expect(try world.send(method, target, body).status == 403)
            }
        }
        try APIWorld.each { world throws in
            let answer = try world.get("/api/auth/rules")
            #expect(answer.status == 404 && answer["detail"] == "The server has no access rules.", "\(answer.text)")
        }
    }

    @Test("expectations are compared with the rules, on stored objects and with accounts")
    func expectations() throws {
        try APIWorld.each(access: AccessWritingTests.blog) { world throws in
            let saving = try world.reference("Post", "Saving")
            let hidden = try world.reference("Tag", "data")
            let anna = try world.reference("User", "Anna")
            let body = """
                [
                  {"name": "own draft", "as": {"user": "\(anna)", "roles": ["member"]}, "may": "update", "object": "\(saving)",
                   "expect": true},
                  {"as": {"roles": ["reader"]}, "may": "read", "object": "\(hidden)", "expect": true},
                  {"as": {"roles": ["editor"]}, "may": "create", "entity": "Post", "expect": true},
                  {"as": {"roles": ["admin"]}, "may": "delete", "object": "\(saving)", "expect": true},
                  {"as": {"roles": ["membr"]}, "may": "read", "object": "\(saving)", "expect": true},
                  {"as": {"roles": ["member"]}, "may": "read", "object": "posts/99999", "expect": false},
                  {"as": {"user": "users/99999"}, "may": "read", "object": "\(saving)", "expect": false}
                ]
                """
            let answer = try world.send(as: "admin", .post, "/api/auth/rules/test", body)
            #expect(answer.status == 200 && answer["ok"] == false, "\(answer.text)")
            let results = answer["results"]?.array ?? []
            try #require(results.count == 7, "\(answer.text)")
            #expect(
                results.map { $0["met"]?.bool } == [true, false, true, true, false, false, false],
                "\(answer.text)"
            )
            #expect(results.map { $0["permitted"]?.bool } == [true, false, true, true, nil, nil, nil])
            #expect(results[0]["expectation"]?.string == "own draft: \(anna) as member may update \(saving)")
            #expect(results[0]["rules"]?[0]?["where"] == "author == $USER")
            #expect(results[1]["reason"] == "It may not." && results[1]["rules"]?[0]?["role"] == "reader")
            #expect(results[3]["rules"] == [])
            #expect(results[4]["reason"] == "There is no role “membr”.")
            #expect(results[5]["reason"] == "There is no such object.")
            #expect(results[6]["reason"] == "There is no account “users/99999”.")
        }
    }

    @Test("mistakes in expectations are reported together, with their places")
    func mistakes() throws {
        try APIWorld.each(access: Self.keysOnly) { world throws in
            let body = #"[{"as": {"roles": ["editor"]}, "may": "list", "expect": true}, 3]"#
            let answer = try world.send(as: "admin", .post, "/api/auth/rules/test", body)
            let pointers = answer["errors"]?.array?.map { $0["pointer"]?.string }
            #expect(answer.status == 422 && pointers == ["/0", "/1"], "\(answer.text)")
            let object = try world.send(as: "admin", .post, "/api/auth/rules/test", "{}")
            #expect(object.status == 422 && object.text.contains("Expectations must be a list"), "\(object.text)")
            let one = #"{"as": {"roles": []}, "may": "create", "entity": "Tag", "expect": false}"#
            let many = "[" + Array(repeating: one, count: 1_001).joined(separator: ",") + "]"
            let refused = try world.send(as: "admin", .post, "/api/auth/rules/test", many)
            #expect(refused.status == 422 && refused.text.contains("at most 1000"), "\(refused.text.prefix(300))")
        }
    }
}
