// SPDX-License-Identifier: Apache-2.0

// Limits of requests: what they count, and what a server answers.

import AccessRules
import Foundation
import HTTPMessage
import Identities
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Limits of requests")
struct RequestLimitsTests {
    /// `Authorization: NAME ROLE` is an identity, and `refused` a credential that isn't accepted.
    private struct Names: Authenticator {
        func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
            guard let words = request.fields[.authorization]?.split(separator: " ").map(String.init) else { return nil }
            guard words.count == 2 else { throw InvalidCredential("It is refused.") }
            if words[0] == "account" { return Identity(name: words[1], roles: [], account: "x:" + words[1]) }
            return Identity(name: words[0], roles: [words[1]])
        }
    }

    private let limits = RequestLimits(Names())
    private let start = ContinuousClock.now

    init() throws {
        var policy = AccessPolicy()
        policy.roles = [
            "public": AccessRole(), "member": AccessRole(extended: ["public"]), "admin": AccessRole(administers: true),
        ]
        policy.limits = [
            "public": RoleLimits(requests: try RateLimit("2/1s")),
            "member": RoleLimits(requests: try RateLimit("3/1s", burst: 4)),
        ]
        policy.identity.anonymousRole = "public"
        limits.use(policy)
    }

    /// How many of ten requests are allowed; nil without a limit.
    private func allowed(_ credential: String?, from client: String = "192.0.2.1", _ target: String = "/api") -> Int? {
        var request = HTTPRequest(.get, target, client: client)
        request.fields[.authorization] = credential
        let decisions = (0..<10).map { _ in limits.take(request, now: start) }
        return decisions.contains { $0 == nil } ? nil : decisions.count { $0?.isAllowed == true }
    }

    @Test("an account whose roles aren't known yet has the limit of all accounts")
    func accounts() throws {
        var policy = AccessPolicy()
        policy.roles = ["member": AccessRole()]
        policy.limits = ["member": RoleLimits(requests: try RateLimit("3/1s", burst: 4))]
        policy.identity.accounts = AccountSettings(entity: "User", name: "email", password: "hash", baseRole: "member")
        limits.use(policy)
        limits.start(with: Names(), accounts: try Accounts(key: AccountKey(), sessions: AccountSessions()))
        #expect(allowed("account users/7") == 4)
    }

    @Test("each identity has the largest limit of its roles, and each address without one that of the anonymous role")
    func counting() {
        #expect(allowed("anna member") == 4 && allowed("anna member") == 0 && allowed("bea member") == 4)
        #expect(allowed("root admin") == nil)
        #expect(allowed(nil) == 2 && allowed(nil) == 0 && allowed(nil, from: "192.0.2.2") == 2)
        #expect(allowed(nil, from: "192.0.2.1", "/healthz") == nil)
    }

    @Test("guessed credentials are counted by address")
    func guessing() { #expect(allowed("refused") == 2 && allowed("refused again and again") == 0 && allowed(nil) == 0) }

    @Test("what is left isn't counted")
    func left() {
        var request = HTTPRequest(.get, "/api", client: "192.0.2.1")
        #expect(limits.left(for: request, now: start)?.remaining == 2)
        _ = limits.take(request, now: start)
        #expect(limits.left(for: request, now: start)?.remaining == 1)
        #expect(limits.left(for: request, now: start)?.remaining == 1)
        #expect(limits.left(for: request, now: start + .seconds(1))?.remaining == 2)
        request.fields[.authorization] = "root admin"
        #expect(limits.left(for: request, now: start) == nil)
    }

    @Test(
        "a client with IPv6 is counted by its network",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8::1", "2001:db8:0:0::/64"),
            ("::1", "0:0:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2::", "2001:db8:1:2::/64"), ("a socket", "a socket"),
        ]
    )
    func networks(client: String, network: String) { #expect(ClientAddress.network(of: client) == network) }

    @Test("a server answers 429 beyond the limit, without receiving a body, and says when to come back")
    func server() throws {
        try Checkout.withFolder { folder in
            try Files.write(
                """
                {"identity": {"anonymous": "public"}, "roles": {"public": {}},
                 "rules": {"Tag": {"read": {"public": true}, "create": {"public": true}}},
                 "limits": {"public": {"requests": "1/1h", "burst": 3}}}
                """,
                to: folder + "/access.json"
            )
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--access", folder + "/access.json"]
            )
            let address = try server.address()
            let first = try server.curl("-i", address + "/api/tags/1")
            #expect(first.status == "200" && first.body.contains("RateLimit: \"default\";r=2;t=3600\r"))
            #expect(first.body.contains("RateLimit-Policy: \"default\";q=1;w=3600\r"))
            let second = try server.curl("-i", "--json", #"{"name": "x"}"#, address + "/api/tags")
            #expect(second.status == "201" && second.body.contains("RateLimit: \"default\";r=1;"))
            let third = try server.curl("-i", address + "/api/tags?limit=1")
            #expect(third.status == "200" && third.body.contains("RateLimit: \"default\";r=0;"))
            let refused = try server.curl("-i", address + "/api/tags/1")
            #expect(refused.status == "429" && refused.body.contains("Retry-After: 3600\r"), "\(refused.body)")
            #expect(refused.body.contains(#""code":"rate""#) && refused.body.contains("RateLimit: \"default\";r=0;"))
            let body = try server.curl("-i", "--json", #"{"name": "y"}"#, address + "/api/tags")
            #expect(body.status == "429" && body.body.contains("X-Request-Id: "))
            #expect(try server.curl(address + "/healthz").status == "200")
        }
    }

    @Test("a client with a certificate that the file names has its roles")
    func certificates() throws {
        try Checkout.withFolder { folder in
            let authority = try TestAuthority.shared.get()
            let issued = try authority.issue("server", for: ["IP:127.0.0.1"])
            try Files.write(
                """
                {"identity": {"certificates": {"CN=backup": ["reader"]}}, "roles": {"reader": {}},
                 "rules": {"Tag": {"read": {"reader": true}}}}
                """,
                to: folder + "/access.json"
            )
            let options = ["--listen", "127.0.0.1:0", "--access", folder + "/access.json"]
            #expect(
                try ServerProcess.refusal(options).contains("identity.certificates: The server asks clients for no")
            )
            let server = try ServerProcess(
                in: folder,
                options + [
                    "--tls-cert", issued.certificate, "--tls-key", issued.key, "--tls-client-ca",
                    authority.root.certificate,
                ]
            )
            let address = try server.address() + "/api/tags/1"
            func status(_ name: String?, _ arguments: String...) throws -> String {
                var own: [String] = []
                if let name {
                    let client = try authority.issue(name, for: ["DNS:client.example"])
                    own = ["--cert", client.certificate, "--key", client.key]
                }
                return try server.curl(["--cacert", authority.root.certificate] + own + arguments + [address]).status
            }
            #expect(try status("backup") == "200" && status("other") == "401" && status(nil) == "401")
            #expect(try status("backup", "-H", "Authorization: Bearer x") == "401")
        }
    }
}
