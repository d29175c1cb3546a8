// SPDX-License-Identifier: Apache-2.0

import Identities
import JSON
import ObjectModel
import Testing

@testable import AccessRules

@Suite("Accounts in access files")
struct AccountSettingsTests {
    private static let model = Model {
        Entity("Person") {
            Attribute("email", .string).optional()
            UniquenessConstraint("email")
        }
        Entity("User", parent: "Person") {
            Attribute("hash", .string).optional()
            Attribute("role", .string).optional()
            Attribute("isVerified", .bool).default(false)
            Attribute("age", .int16).default(0)
            Attribute("nickname", .string).optional()
            Attribute("short", .string).optional().length(0...80)
            Attribute("long", .string).optional().length(100...200)
            Attribute("kept", .string).optional().preservedAfterDeletion()
            Attribute("found", .string).optional().searchIndexed()
            Attribute("folded", .string).optional()
            Attribute("foldedCopy", .string).optional().derived("canonical:(folded)")
            Attribute("code", .string).optional()
            Attribute("site", .string).optional()
            UniquenessConstraint("code", "site")
        }
        Entity("Note") { Attribute("text", .string) }
    }

    private func policy(_ accounts: String, rules: String = "{}") throws(AccessProblems) -> AccessPolicy {
        let roles = #"{"member": {}, "editor": {}, "admin": {"administers": true}}"#
        let text = #"{"identity": {"accounts": \#(accounts)}, "roles": \#(roles), "rules": \#(rules)}"#
        return try AccessPolicy(parsing: Array(text.utf8), for: Self.model)
    }

    private func problems(_ accounts: String, rules: String = "{}") -> [String] {
        do throws(AccessProblems) {
            _ = try policy(accounts, rules: rules)
            return []
        } catch {
            return error.problems.map { "\($0.path.replacing("identity.accounts", with: "…")): \($0.message)" }
        }
    }

    @Test("accounts have a name, a password, and optionally roles and a mark of verified ones")
    func settings() throws {
        let accounts = try policy(
            #"{"entity": "User", "name": "email", "password": "hash", "roles": "role", "baseRole": "member", "verified": "isVerified"}"#
        )
        #expect(
            accounts.identity.accounts
                == AccountSettings(
                    entity: "User",
                    name: "email",
                    password: "hash",
                    roles: "role",
                    baseRole: "member",
                    verified: "isVerified"
                )
        )
    }

    @Test(
        "mistakes are refused",
        arguments: [
            (
                #""name": "nickname", "password": "hash""#,
                "….name: The names of accounts must be unique, and “nickname” isn't."
            ),
            (#""name": "code", "password": "hash""#, "….name: The names of accounts must be unique, and “code” isn't."),
            (
                #""name": "email", "password": "email""#,
                "….password: “email” can't have the hash of a password: it is part of a uniqueness constraint."
            ),
            (
                #""name": "email", "password": "short""#,
                "….password: “short” can't have the hash of a password: it may have less than 128 characters."
            ),
            (
                #""name": "email", "password": "long""#,
                "….password: “long” can't have the hash of a password: it must have more than 64 characters."
            ),
            (
                #""name": "email", "password": "kept""#,
                "….password: “kept” can't have the hash of a password: the history keeps it when its object is deleted."
            ),
            (
                #""name": "email", "password": "found""#,
                "….password: “found” can't have the hash of a password: it is in the search index."
            ),
            (
                #""name": "email", "password": "folded""#,
                "….password: “folded” can't have the hash of a password: “User.foldedCopy” is computed from it."
            ),
            (
                #""name": "email", "password": "code""#,
                "….password: “code” can't have the hash of a password: it is part of a uniqueness constraint."
            ),
            (#""name": "email", "password": "foldedCopy""#, "….password: “foldedCopy” is derived, so it can't be set."),
            (#""name": "email", "password": "age""#, "….password: “age” must be an attribute of the type String."),
            (
                #""name": "email", "password": "hash", "roles": "hash""#,
                "….roles: The attribute of roles can't be that of the name or the password."
            ),
            (
                #""name": "email", "password": "hash", "verified": "role""#,
                "….verified: “role” must be an attribute of the type Boolean."
            ),
            (
                #""name": "email", "password": "hash", "baseRole": "admin""#,
                "….baseRole: The role of all accounts may not administer."
            ),
            (#""name": "email", "password": "hash", "baseRole": "other""#, "….baseRole: There is no role “other”."),
            (#""name": "email", "password": "hash", "role": "member""#, "….role: There is no “role” here."),
        ]
    )
    func mistakes(_ members: String, _ problem: String) {
        #expect(
            problems(#"{"entity": "User", \#(members)}"#).contains(problem),
            "\(problems(#"{"entity": "User", \#(members)}"#))"
        )
    }

    @Test("messages have a receiver, a secret or its place, and lifetimes of tokens")
    func messages() throws {
        func settings(_ members: String) throws -> MessageSettings? {
            let accounts = #"{"entity": "User", "name": "email", "password": "hash", "messages": {\#(members)}}"#
            return try policy(accounts).identity.accounts?.messages
        }
        let usual = try #require(try settings(#""url": "https://x/", "secret": {"file": "s"}"#))
        #expect(usual == MessageSettings(url: "https://x/", secret: ["file": "s"]))
        #expect(usual.resetLifetime == 3_600 && usual.verifyLifetime == 604_800)
        let others = try settings(
            #""url": "https://x/", "secret": "0123456789abcdef", "resetLifetime": 60, "verifyLifetime": 2592000"#
        )
        #expect(others?.resetLifetime == 60 && others?.verifyLifetime == 2_592_000)
    }

    @Test(
        "mistakes in messages are refused",
        arguments: [
            (#""secret": "x""#, "….messages: “url” is missing."),
            (#""url": "https://x/""#, "….messages: “secret” is missing."),
            (#""url": 1"#, "….messages.url: This must be a text, not a number."),
            (#""secret": 1"#, "….messages.secret: This must be a text or an object, not a number."),
            (#""secret": {}"#, "….messages.secret: This must have either “file” or “variable”."),
            (
                #""secret": {"file": "x", "variable": "X"}"#,
                "….messages.secret: This must have either “file” or “variable”."
            ),
            (#""secret": {"path": "x"}"#, "….messages.secret.path: There is no “path” here."),
            (
                #""resetLifetime": 59"#,
                "….messages.resetLifetime: “resetLifetime” must be a number of seconds from 60 to 2592000."
            ),
            (
                #""verifyLifetime": "1 h""#,
                "….messages.verifyLifetime: “verifyLifetime” must be a number of seconds from 60 to 2592000."
            ),
            (#""timeout": 1"#, "….messages.timeout: There is no “timeout” here."),
        ]
    )
    func mistakesInMessages(_ members: String, _ problem: String) {
        let found = problems(#"{"entity": "User", "name": "email", "password": "hash", "messages": {\#(members)}}"#)
        #expect(found.contains(problem), "\(found)")
    }

    @Test("a creation can't force a password")
    func forcedPassword() {
        let accounts = #"{"entity": "User", "name": "email", "password": "hash"}"#
        for value in [#""x""#, "null", #""$NOW""#] {
            #expect(
                problems(accounts, rules: #"{"User": {"set": {"hash": \#(value)}}}"#)
                    == ["rules.User.set.hash: The password of an account can't be set."]
            )
        }
    }

    @Test("roles and marks of verified accounts are written only by roles that a rule names")
    func grantingProperties() throws {
        let accounts =
            #"{"entity": "User", "name": "email", "password": "hash", "roles": "role", "verified": "isVerified"}"#
        let plain = try policy(accounts, rules: #"{"User": {"update": {"member": true}}}"#)
        for name in ["role", "isVerified"] {
            #expect(!plain.canWrite(name, lineage: ["User", "Person"], roles: ["member"]))
            #expect(plain.canRead(name, lineage: ["User", "Person"], roles: ["member"]))
            #expect(plain.canWrite(name, lineage: ["Note"], roles: ["member"]))
        }
        #expect(plain.canWrite("email", lineage: ["User", "Person"], roles: ["member"]))
        let permitting = try policy(accounts, rules: #"{"User": {"properties": {"role": {"write": ["editor"]}}}}"#)
        #expect(permitting.canWrite("role", lineage: ["User", "Person"], roles: ["editor"]))
        #expect(!permitting.canWrite("role", lineage: ["User", "Person"], roles: ["member"]))
    }
}
