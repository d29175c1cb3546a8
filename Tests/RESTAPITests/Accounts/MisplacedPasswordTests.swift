// SPDX-License-Identifier: Apache-2.0

// Passwords that aren't set: of objects that are no accounts, of rehearsals, and with keys for repeats.

import HTTPMessage
import JSON
import ObjectModel
import Predicates
import Testing

@testable import RESTAPI

@Suite("Passwords that aren't set")
struct MisplacedPasswordTests {
    /// Employees have attributes where accounts have their passwords.
    private static let model = Model {
        Entity("Person", userInfo: ["path": "people"]) {
            Attribute("email", .string)
            UniquenessConstraint("email")
        }
        Entity("User", parent: "Person", userInfo: ["path": "users"]) {
            Attribute("aName", .string).optional()
            Attribute("passwordHash", .string).optional()
            Attribute("role", .string).optional()
        }
        Entity("Employee", parent: "Person", userInfo: ["path": "employees"]) { Attribute("badge", .string).optional() }
    }
    private static let access = """
        {
          "identity": {"accounts": {"entity": "User", "name": "email", "password": "passwordHash"}},
          "roles": {"admin": {"administers": true}},
          "rules": {}
        }
        """
    private static let password = #""passwordHash": "correct horse""#

    private func each(_ body: (APIWorld) throws -> Void) throws {
        try AccountWorld.each(Self.model, access: Self.access) { world throws in try body(world.world) }
    }

    @Test("an object of another entity than the body names gets no password")
    func misnamedEntity() throws {
        try each { world throws in
            let made = try world.send(as: "admin", .post, "/api/employees", #"{"email": "e@x.org", "badge": "b"}"#)
            let key = try #require(made["_id"]?.string?.split(separator: "/").last)
            let body = "{\"_entity\": \"User\", \(Self.password)}"
            let answer = try world.send(as: "admin", .patch, "/api/people/\(key)", body)
            #expect(answer.status == 422, "\(answer.text)")
            #expect(try world.send(as: "admin", .get, "/api/employees/\(key)")["badge"] == "b")
        }
    }

    @Test("an object of another entity with the same unique values gets no password")
    func otherHolder() throws {
        try each { world throws in
            let made = try world.send(as: "admin", .post, "/api/employees", #"{"email": "e@x.org", "badge": "b"}"#)
            let path = "/api/" + (made["_id"]?.string ?? "")
            let body = "{\"email\": \"e@x.org\", \(Self.password)}"
            let answer = try world.send(as: "admin", .post, "/api/users", body, fields: ["Prefer": "merge=overwrite"])
            #expect(answer.status >= 400, "\(answer.text)")
            #expect(try world.send(as: "admin", .get, path)["badge"] == "b")
        }
    }

    @Test("an account gets its password by the path of a superentity, too")
    func superentity() throws {
        try each { world throws in
            let made = try world.send(as: "admin", .post, "/api/users", #"{"email": "u@x.org"}"#)
            let key = try #require(made["_id"]?.string?.split(separator: "/").last)
            let answer = try world.send(as: "admin", .patch, "/api/people/\(key)", "{\(Self.password)}")
            #expect(answer.status == 200, "\(answer.text)")
            let signIn = #"{"name": "u@x.org", "password": "correct horse"}"#
            #expect(try world.send(as: nil, .post, "/api/auth/sign-in", signIn).status == 200)
        }
    }

    @Test("a request that sets a password has no Idempotency-Key, of which a digest of the password would be kept")
    func repeats() throws {
        try each { world throws in
            let body = "{\"email\": \"u@x.org\", \(Self.password)}"
            let answer = try world.send(as: "admin", .post, "/api/users", body, fields: ["Idempotency-Key": "k"])
            #expect(answer.status == 400 && answer["hint"]?.string?.contains("Omit the key") == true, "\(answer.text)")
            #expect(try world.send(as: "admin", .post, "/api/users", body).status == 201)
        }
    }

    @Test("a request sets a limited number of passwords")
    func many() throws {
        try each { world throws in
            let users = (0..<21).map { "{\"email\": \"u\($0)@x.org\", \(Self.password)}" }
            func body(_ count: Int) -> String { "[\(users.prefix(count).joined(separator: ","))]" }
            let refused = try world.send(as: "admin", .post, "/api/users", body(21))
            #expect(refused.status == 422 && refused.text.contains("at most 20 passwords"), "\(refused.text)")
            #expect(try world.send(as: "admin", .post, "/api/users", body(20)).status == 201)
        }
    }

    @Test("a password that was changed meanwhile stays, with the sessions, if the stored values win")
    func storedValuesWin() throws {
        try each { world throws in
            let made = try world.send(as: "admin", .post, "/api/users", "{\"email\": \"u@x.org\", \(Self.password)}")
            let path = "/api/" + (made["_id"]?.string ?? "")
            let newer = #"{"passwordHash": "a newer password"}"#
            #expect(try world.send(as: "admin", .patch, path, newer).status == 200)
            let older = #"{"_version": 1, "passwordHash": "an older password"}"#
            let answer = try world.send(as: "admin", .patch, path, older, fields: ["Prefer": "merge=store"])
            guard answer.status == 200 else { return }
            let signIn = #"{"name": "u@x.org", "password": "a newer password"}"#
            #expect(try world.send(as: nil, .post, "/api/auth/sign-in", signIn).status == 200)
        }
    }
}
