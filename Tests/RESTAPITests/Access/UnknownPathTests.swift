// SPDX-License-Identifier: Apache-2.0

import HTTPMessage
import JSON
import Testing

@testable import RESTAPI

@Suite("Unknown paths under access rules")
struct UnknownPathTests {
    private func hint(_ world: AccountWorld, _ path: String, as identity: String? = nil) throws -> String? {
        let answer = try world.world.send(as: identity, .get, path)
        #expect(answer.status == 404, "\(answer.text)")
        return answer["hint"]?.string
    }

    @Test("a request without a credential is told so for every unknown entity, hidden or not")
    func withoutCredential() throws {
        let access = AccountWorld.access.replacing(#""create": {"public": true}, "#, with: "")
        try AccountWorld.each(access: access) { world throws in
            let expected =
                "Or no access rule lets the request see it: no credential was sent. GET /api lists the entities."
            for name in ["users", "User", "nothing", "books"] {
                let answer = try world.world.send(as: nil, .get, "/api/\(name)/1")
                #expect(answer.status == 404 && answer["detail"]?.string == "There is no entity “\(name)”.")
                #expect(answer["hint"]?.string == expected, "\(name): \(answer.text)")
            }
        }
    }

    @Test("a sender whose role the access file doesn't have is told so")
    func unknownRole() throws {
        try AccountWorld.each { world throws in
            #expect(
                try hint(world, "/api/things", as: "stranger")?.contains("no role that the access file knows") == true
            )
            #expect(
                try hint(world, "/api/things", as: "member")?.hasPrefix("Or no access rule lets the request see it. ")
                    == true
            )
            #expect(try hint(world, "/api/things", as: "admin") == "GET /api lists the entities.")
        }
    }

    @Test("routes for those who administer are suggested to them alone")
    func administration() throws {
        try AccountWorld.each { world throws in
            for identity in [nil, "member"] {
                for name in ["hook", "books", "stat", "histori"] {
                    #expect(try hint(world, "/api/\(name)", as: identity)?.contains("Did you mean") == false, "\(name)")
                }
            }
            #expect(try hint(world, "/api/hook", as: "admin") == "Did you mean “hooks”?")
        }
    }

    @Test(
        "the names that other servers have for signing up, in and out are understood",
        arguments: [
            ("auth/signup", "sign-up"), ("auth/register", "sign-up"), ("auth/login", "sign-in"),
            ("auth/logout", "sign-out"),
            ("auth/sign_in", "sign-in"), ("login", "sign-in"), ("signup", "sign-up"), ("auth/pasword", "password"),
        ]
    )
    func familiar(path: String, route: String) throws {
        try AccountWorld.each { world throws in
            #expect(try hint(world, "/api/\(path)")?.hasPrefix("Did you mean “/api/auth/\(route)”?") == true)
        }
    }

    @Test("the index lists the routes of accounts where accounts are served")
    func index() throws {
        try AccountWorld.each { world throws in
            let links = try world.world.send(as: nil, .get, "/api")["links"]
            #expect(links?["signUp"] == "/api/auth/sign-up" && links?["me"] == "/api/auth/me")
        }
        try APIWorld.each { world throws in
            #expect(try world.get("/api")["links"]?["signUp"] == nil)
            #expect(try world.get("/api/login")["hint"]?.string == "GET /api lists the entities.")
        }
    }
}
