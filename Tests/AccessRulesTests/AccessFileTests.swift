// SPDX-License-Identifier: Apache-2.0

import Identities
import ObjectModel
import Predicates
import Testing

@testable import AccessRules

@Suite("Access files")
struct AccessFileTests {
    static let model = Model {
        Entity("User") {
            Attribute("email", .string)
            Attribute("passwordHash", .string).optional()
            Attribute("role", .string).optional()
            Attribute("isVerified", .bool).default(false)
            Relationship("posts", toMany: "Post", inverse: "author").optional()
            UniquenessConstraint("email")
        }
        Entity("Post") {
            Attribute("title", .string)
            Attribute("content", .string).optional()
            Attribute("views", .int64).default(0)
            Attribute("published", .bool).default(false)
            Attribute("createdAt", .date).optional()
            Attribute("tenant", .string).optional()
            Relationship("author", toOne: "User", inverse: "posts").optional()
        }
        Entity("Article", parent: "Post") { Attribute("section", .string).optional() }
    }

    private func policy(_ text: String) throws -> AccessPolicy {
        try AccessPolicy(parsing: Array(text.utf8), for: Self.model)
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try AccessPolicy(parsing: Array(text.utf8), for: Self.model)
            return []
        } catch {
            return error.problems.map { $0.line(in: "access.json") }
        }
    }

    private static let example = """
        {
          // The blog.
          "identity": {
            "accounts": {"entity": "User", "name": "email", "password": "passwordHash", "roles": "role"},
            "jwt": {
              "algorithms": ["RS256"], "keys": "jwks.json", "issuer": "https://id.example", "audience": "shop",
              "user": "email == $CLAIMS.email", "leeway": 10
            },
            "anonymous": "public"
          },
          "roles": {
            "public": {}, "member": {"extends": ["public"]}, "editor": {"extends": ["member"]},
            "admin": {"administers": true}
          },
          "rules": {
            "Post": {
              "read": {"public": "published == YES", "member": "published == YES OR author == $USER", "editor": true},
              "create": {"member": "author == $USER AND published == NO", "editor": true},
              "update": {"member": {"where": "author == $USER", "check": "published == NO"}, "editor": true},
              "delete": {"editor": true, "member": false},
              "properties": {"views": {"write": []}, "content": {"read": ["member"]}},
              "set": {"author": "$USER", "createdAt": "$NOW", "tenant": "$CLAIMS.tenant", "views": 0}
            },
            "Article": {"read": {"editor": "section != nil"}}
          }
        }
        """

    @Test("a file has roles, rules, properties, forced values and identities")
    func example() throws {
        let policy = try policy(Self.example)
        #expect(policy.closure(of: ["editor"]) == ["editor", "member", "public"])
        #expect(policy.administers(["admin"]) && !policy.administers(["editor"]))
        let member = policy.closure(of: ["member"])
        #expect(
            policy.alternatives(for: .read, lineage: ["Post"], roles: member).map(\.existing.description) == [
                "published == YES OR author == $USER", "published == YES",
            ]
        )
        #expect(policy.alternatives(for: .delete, lineage: ["Post"], roles: member).isEmpty)
        #expect(
            policy.alternatives(for: .update, lineage: ["Post"], roles: member) == [
                AccessRule(
                    existing: try ObjectPredicate(template: "author == $USER"),
                    resulting: try ObjectPredicate(template: "published == NO")
                )
            ]
        )
        #expect(
            policy.forcedValues(lineage: ["Post"]) == [
                "author": .user, "createdAt": .now, "tenant": .claim(["tenant"]), "views": .value(.integer(0)),
            ]
        )
        #expect(policy.identity.anonymousRole == "public" && policy.identity.accounts?.roles == "role")
        #expect(policy.identity.tokens?.leeway == 10 && policy.identity.tokens?.rolesClaim == "roles")
    }

    @Test("a rule of an update without a check also holds for the object as it will be")
    func updates() throws {
        let policy = try policy(#"{"roles": {"a": {}}, "rules": {"Post": {"update": {"a": "views > 1"}}}}"#)
        let rule = try #require(policy.alternatives(for: .update, lineage: ["Post"], roles: ["a"]).first)
        #expect(rule.existing.description == "views > 1" && rule.existing == rule.resulting)
    }

    @Test("a subentity has the rules of its superentity until it has its own for a verb")
    func inheritance() throws {
        let policy = try policy(Self.example)
        let lineage = ["Article", "Post"]
        #expect(policy.alternatives(for: .read, lineage: lineage, roles: ["public"]).isEmpty)
        #expect(
            policy.alternatives(for: .read, lineage: lineage, roles: ["editor"]).map(\.existing.description) == [
                "section != nil"
            ]
        )
        #expect(policy.alternatives(for: .delete, lineage: lineage, roles: ["editor"]).count == 1)
        #expect(!policy.canRead("content", lineage: lineage, roles: ["public"]))
        #expect(policy.canRead("content", lineage: lineage, roles: ["member"]))
        #expect(!policy.canWrite("views", lineage: lineage, roles: ["editor"]))
        #expect(!policy.canWrite("content", lineage: lineage, roles: ["public"]))
    }

    @Test("without rules, nothing is permitted")
    func denial() throws {
        let policy = try policy(#"{"roles": {"a": {}}}"#)
        for verb in AccessVerb.allCases {
            #expect(policy.alternatives(for: verb, lineage: ["Post"], roles: ["a"]).isEmpty)
        }
    }

    @Test("claims that differ with each token can't be used", arguments: ["exp", "iat", "nbf", "jti"])
    func tokenClaims(_ name: String) {
        let message = "“$CLAIMS.\(name)” can't be used, since it differs with each token of the same sender."
        for rules in [
            #"{"read": {"a": "$CLAIMS.NAME > 5"}}"#,
            #"{"update": {"a": {"check": "NOT (title == 'x' OR views < $CLAIMS.NAME)"}}}"#,
            #"{"set": {"title": "$CLAIMS.NAME"}}"#,
        ] {
            let found = problems(#"{"roles": {"a": {}}, "rules": {"Post": \#(rules)}}"#.replacing("NAME", with: name))
            #expect(found.count == 1 && found[0].contains(message) && found[0].contains("“$CLAIMS.sub”"), "\(found)")
        }
        #expect(
            problems(#"{"roles": {"a": {}}, "rules": {"Post": {"read": {"a": "title == $CLAIMS.x.\#(name)"}}}}"#)
                .isEmpty
        )
    }

    @Test("all mistakes are reported at once, with their places and hints")
    func mistakes() {
        let found = problems(
            """
            {
              "identity": {"anonymous": "admin", "jwt": {"algorithms": ["none"], "user": "email == $CLAIMS.email"}},
              "roles": {"admin": {"administers": true}, "a": {"extends": ["b", "adnin"]}, "b": {"extends": ["a"]}},
              "rules": {
                "Pots": {},
                "Post": {
                  "read": {"a": "titel == 'x'", "c": true, "b": 3},
                  "update": {"a": {"when": true}},
                  "delete": {"a": "author == $USR", "b": "author == $USER"},
                  "list": {},
                  "properties": {"view": {}},
                  "set": {"author": "$USER", "views": "many", "title": "$CLAIMS"}
                }
              },
              "limit": {}
            }
            """
        )
        #expect(
            found == [
                #"access.json:15:3: limit: There is no “limit” here. Did you mean “limits”?"#,
                #"access.json:3:68: roles.a.extends: There is no role “adnin”. Did you mean “admin”?"#,
                #"access.json:3:45: roles.a: The role extends itself."#,
                #"access.json:3:79: roles.b: The role extends itself."#,
                #"access.json:2:16: identity.anonymous: The role of requests without a credential may not administer."#,
                #"access.json:2:61: identity.jwt.algorithms: The algorithm “none” isn't supported. Supported: HS256, RS256, ES256, EdDSA."#,
                #"access.json:2:38: identity.jwt: “keys” is missing. Name the file or the address of the keys."#,
                #"access.json:2:70: identity.jwt.user: “user” finds objects of accounts, and there are none. Write "accounts": {"entity": …}."#,
                #"access.json:5:5: rules.Pots: The model has no entity “Pots”. Did you mean “Post”?"#,
                #"access.json:10:7: rules.Post.list: There is no “list” here. Did you mean “read”?"#,
                #"access.json:7:16: rules.Post.read.a: Post has no property “titel”. Did you mean “title”?"#,
                #"access.json:7:37: rules.Post.read.c: There is no role “c”. Roles: a, admin, b."#,
                #"access.json:7:48: rules.Post.read.b: A rule must be true, false or a predicate, not a number."#,
                #"access.json:8:24: rules.Post.update.a.when: There is no “when” here. Known: where, check."#,
                #"access.json:9:18: rules.Post.delete.a: The predicate has the variable “$USR”. Did you mean “USER”?"#,
                #"access.json:9:41: rules.Post.delete.b: “$USER” is an account's object, and there are no accounts. Write "identity": {"accounts": …}."#,
                #"access.json:11:22: rules.Post.properties.view: Post has no property “view”. Did you mean “views”?"#,
                #"access.json:12:15: rules.Post.set.author: “author” refers to User, which isn't the entity of accounts."#,
                #"access.json:12:34: rules.Post.set.views: “views” can't be set to a string."#,
                #"access.json:12:51: rules.Post.set.title: “$CLAIMS” can't be the value of an attribute. Known: $NOW, $CLAIMS.name."#,
            ]
        )
    }

    @Test(
        "verbs of other files, and a role in place of rules for roles, are refused with a remedy",
        arguments: [
            (#"{"get": {"a": true}}"#, "There is no “get” here. Did you mean “read”?"),
            (#"{"write": {"a": true}}"#, "There is no “write” here. Did you mean “create” or “update”?"),
            (#"{"remove": {"a": true}}"#, "There is no “remove” here. Did you mean “delete”?"),
            (#"{"raed": {"a": true}}"#, "There is no “raed” here. Did you mean “read”?"),
            (#"{"archive": {}}"#, "There is no “archive” here. Known: read, create, update, delete, properties, set."),
            (
                #"{"read": "anyone"}"#,
                #"This must be an object, not a string. Write a rule for each role: {"a": true}."#
            ),
        ]
    )
    func familiarRules(rules: String, message: String) {
        let found = problems(#"{"roles": {"a": {}}, "rules": {"Post": \#(rules)}}"#)
        #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
    }

    @Test("what is no JSON, or no object, is refused")
    func garbage() {
        #expect(problems("{").count == 1)
        #expect(problems("[]") == ["access.json:1:1: This must be an object, not an array."])
        #expect(problems("{}").count == 1)
        #expect(problems(#"{"roles": {"a": 3}, "rules": 4}"#).count == 2)
    }

    @Test("roles have limits, of each of which the largest counts")
    func limits() throws {
        let roles = #""roles": {"public": {}, "member": {"extends": ["public"]}, "admin": {"administers": true}}"#
        let policy = try policy(
            """
            {\(roles), "limits": {
              "public": {"requests": "60/1m", "drafts": 2, "live": 0, "bytes": "64 KB"},
              "member": {"requests": "5/1s", "burst": 20, "drafts": 1, "live": 20, "rows": 100}
            }}
            """
        )
        let requests = try RateLimit("5/1s", burst: 20)
        #expect(
            policy.limits(of: ["member"])
                == RoleLimits(requests: requests, drafts: 2, live: 20, rows: 100, bytes: 64_000)
        )
        #expect(
            policy.limits(of: ["public"])
                == RoleLimits(requests: try RateLimit("60/1m"), drafts: 2, live: 0, bytes: 64_000)
        )
        #expect(policy.limits(of: ["admin"]) == RoleLimits())
        for (text, bytes) in [("1", 1), (#""1 MB""#, 1_000_000), (#""2MiB""#, 2 << 20), (#""7 B""#, 7)] {
            let limits = try self.policy(#"{\#(roles), "limits": {"public": {"bytes": \#(text)}}}"#).limits
            #expect(limits["public"]?.bytes == bytes)
        }
        #expect(
            problems(
                #"{\#(roles), "limits": {"x": {}, "public": {}, "member": {"requests": "5/1y"}, "admin": {"requests": "5/1s", "burst": 0}}}"#
            ).map { $0.replacing(#/^access.json:\d+:\d+: /#, with: "") } == [
                "limits.x: There is no role “x”. Roles: admin, member, public.",
                #"limits.public: There is no limit. Write {"requests": "100/1s"}."#,
                "limits.member.requests: “5/1y” isn't a limit of requests. Write requests per time, such as 100/1s, 5000/1m or 10000/1h.",
                "limits.admin.burst: A burst must be of 1 request or more.",
            ]
        )
        #expect(
            problems(
                """
                {\(roles), "limits": {
                  "public": {"drafts": -1, "live": 1.5, "rows": 0, "bytes": "1 PB"}, "member": {"burst": 3}, "admin": {"bytes": 0}
                }}
                """
            ).map { $0.replacing(#/^access.json:\d+:\d+: /#, with: "") } == [
                "limits.public.drafts: “drafts” must be a number of drafts, at least 0.",
                "limits.public.live: “live” must be a number of streams, at least 0.",
                "limits.public.rows: “rows” must be a number of rows, at least 1.",
                #"limits.public.bytes: “bytes” must be a number of bytes, not “1 PB”. Such as 65536, "64 KB" or "1 MiB"."#,
                #"limits.member.burst: A burst is one of requests. Write {"requests": "100/1s", "burst": 200}."#,
                #"limits.admin.bytes: “bytes” must be a number of bytes, not a number. Such as 65536, "64 KB" or "1 MiB"."#,
            ]
        )
    }

    @Test(
        "a predicate that can't be read is refused with the place of the mistake in it",
        arguments: [
            ("title BEGINWITH 'a'", " at its character 7, “BEGINWITH 'a'”: "), ("title ==", " at its end: "),
            ("titel == 'é' AND AND x == 1", " at its character 18, “AND x == 1”: "),
        ]
    )
    func predicatePlaces(predicate: String, place: String) {
        let found = problems(#"{"roles": {"a": {}}, "rules": {"Post": {"read": {"a": "\#(predicate)"}}}}"#)
        #expect(
            found.count == 1 && found[0].contains("rules.Post.read.a: The predicate can't be read\(place)"),
            "\(found)"
        )
    }

    @Test("certificates have roles by their subject")
    func certificates() throws {
        let text = #"{"roles": {"backup": {}}, "identity": {"certificates": {"CN=backup,O=Example": ["backup"]}}}"#
        #expect(try policy(text).identity.certificates == ["CN=backup,O=Example": ["backup"]])
        #expect(problems(text.replacing(#"["backup"]"#, with: #"["back"]"#)).count == 1)
    }

    @Test("the roles between two say how rules are inherited")
    func rolesBetween() throws {
        let policy = try policy(Self.example)
        #expect(policy.inheritance(from: "editor", to: "public") == ["editor", "member", "public"])
        #expect(policy.inheritance(from: "public", to: "public") == ["public"])
        #expect(policy.inheritance(from: "public", to: "editor") == nil)
        #expect(policy.decidingRules(for: .delete, lineage: ["Article", "Post"])?.entity == "Post")
        #expect(policy.decidingRules(for: .delete, lineage: ["User"]) == nil)
    }
}
