// SPDX-License-Identifier: Apache-2.0

import JSON
import ObjectModel
import Testing

@testable import AccessRules

@Suite("Rules as JSON")
struct AccessPolicyJSONTests {
    private static let text = """
        {
          "identity": {
            "accounts": {
              "entity": "User", "name": "email", "password": "passwordHash", "roles": "role", "baseRole": "member",
              "verified": "isVerified",
              "messages": {"url": "https://mail.example/accounts", "secret": "0123456789abcdef"}
            },
            "jwt": {"algorithms": ["RS256"], "keys": "jwks.json", "issuer": "https://id.example"},
            "anonymous": "public"
          },
          "roles": {
            "public": {}, "member": {"extends": ["public"]}, "editor": {"extends": ["member"]},
            "admin": {"administers": true}
          },
          "rules": {
            "Post": {
              "read": {
                "public": "published == YES", "member": "author.posts.@count > 2 OR ANY author.posts.title LIKE[c] 'a*'",
                "editor": "createdAt < $NOW AND tenant == $CLAIMS.tenant.name"
              },
              "create": {"member": "author == $USER AND published == NO", "editor": true},
              "update": {
                "member": {"where": "author == $USER", "check": "published == NO"}, "public": {"where": "views > 1"},
                "editor": "title != \\"it's\\" AND 'editor' IN $ROLES"
              },
              "delete": {"editor": true, "member": false},
              "properties": {"views": {"write": []}, "content": {"read": ["member"], "write": ["editor"]}},
              "set": {
                "author": "$USER", "createdAt": "$NOW", "tenant": "$CLAIMS.tenant.name", "views": 0, "published": false,
                "content": null
              }
            },
            "Article": {"read": {}, "set": {"tenant": "a", "views": 2}}
          },
          "limits": {"member": {"rows": 10}}
        }
        """

    @Test("the JSON of a policy is an access file with the same roles, rules and accounts")
    func roundTrip() throws {
        let policy = try AccessPolicy(parsing: Array(Self.text.utf8), for: AccessFileTests.model)
        let json = JSONValue.object(policy.json)
        let read = try AccessPolicy(parsing: json.serializedBytes(), for: AccessFileTests.model)
        #expect(read.roles == policy.roles)
        #expect(read.rules == policy.rules)
        #expect(read.identity.anonymousRole == "public")
        var accounts = policy.identity.accounts
        accounts?.messages = nil
        #expect(read.identity.accounts == accounts)
    }

    @Test("it has no secret, and nothing of tokens and messages")
    func secrets() throws {
        let policy = try AccessPolicy(parsing: Array(Self.text.utf8), for: AccessFileTests.model)
        let json = JSONValue.object(policy.json)
        for word in ["0123456789abcdef", "mail.example", "jwks", "id.example"] {
            #expect(!json.serialized().contains(word))
        }
        #expect(json["rules"]?["Post"]?["delete"] == ["editor": true])
        #expect(json["identity"]?.object?.names == ["accounts", "anonymous"])
    }
}
