// SPDX-License-Identifier: Apache-2.0

// The program as a server with access rules.

import Cryptography
import Foundation
import HTTPMessage
import HTTPServer
import Identities
import JSON
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Servers with access rules")
struct ServedAccessTests {
    @Test("keys permit what their roles permit, count without a restart, and are refused once they are revoked")
    func keys() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(folder)
            let ready = try world.server.event("ready")
            #expect(ready["access"]?.string == folder + "/access.json")
            #expect(try world.status("/api/tags/1") == "200" && world.status("/api/users") == "404")
            #expect(try world.status("/api/tags", "--json", #"{"name": "x"}"#) == "403")
            #expect(try world.status("/metrics") == "403" && world.status("/healthz") == "200")
            let editor = try world.key("--role", "editor", "--name", "deploy")
            let bearer = "Authorization: Bearer \(editor)"
            #expect(try world.wait(for: "201", "/api/tags", "-H", bearer, "--json", #"{"name": "by bearer"}"#))
            #expect(try world.status("/api/tags", "-u", "me:\(editor)", "--json", #"{"name": "by password"}"#) == "201")
            #expect(try world.status("/metrics", "-H", bearer) == "403")
            let admin = try world.key("--role", "admin")
            #expect(try world.wait(for: "200", "/metrics", "-u", ":\(admin)"))
            #expect(try world.status("/api/users", "-u", ":\(admin)") == "200")
            let history = try world.server.curl("-u", ":\(admin)", world.address + "/api/history?pretty=false")
            #expect(history.body.contains(#""author":"key:deploy""#), "\(history.body)")
            let reader = try world.key("--entity", "User:read")
            #expect(try world.wait(for: "200", "/api/users", "-u", ":\(reader)"))
            #expect(try world.status("/api/tags/1", "-u", ":\(reader)") == "404")
            #expect(try world.status("/api/users", "-u", ":\(reader)", "--json", #"{"username": "x"}"#) == "403")
            let user = try world.object(in: "users", "-u", ":\(reader)")
            #expect(try world.status(user, "-u", ":\(reader)", "-X", "DELETE") == "403")
            #expect(outcrop("keys", "revoke", folder + "/Demo.sqlite", "deploy").status == .fine)
            #expect(try world.wait(for: "401", "/api/tags/1", "-H", bearer))
            // The last uses are written at the end.
            world.server.signal(SIGTERM)
            #expect(world.server.end() == 0)
            let uses = try KeyFile(besides: folder + "/Demo.sqlite").list().map { $0.lastUse != nil }
            #expect(uses == [true, true])
        }
    }

    @Test(
        "a command without a key gets the hint at the variable that has it, and Basic without a password where the key goes"
    )
    func missingKey() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(folder, #"{"roles": {"admin": {"administers": true}}}"#)
            let refused = outcrop("export", world.address)
            #expect(refused.errors.contains("Set the variable OUTCROP_KEY to an API key or a token."), "\(refused)")
            let misplaced = try world.server.curl([
                "-u", "\(try world.key("--role", "admin")):", world.address + "/api",
            ])
            #expect(misplaced.status == "401" && misplaced.body.contains("curl -u NAME:KEY"), "\(misplaced)")
        }
    }

    @Test("a stream ends within seconds when its key is revoked, which isn't logged as a refused request")
    func streams() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(folder)
            let bearer = "Authorization: Bearer \(try world.key("--role", "editor", "--name", "watch"))"
            #expect(try world.wait(for: "200", "/api/tags", "-H", bearer))
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = [
                "curl", "-sN", "--max-time", "20", "-H", bearer, "-o", folder + "/events",
                world.address + "/api/tags/live",
            ]
            try curl.run()
            func events() -> String { (try? String(contentsOfFile: folder + "/events", encoding: .utf8)) ?? "" }
            for _ in 0..<500 where !events().contains("event: result") { usleep(20_000) }
            let refusals = try world.events("refusal").count
            let start = ContinuousClock.now
            #expect(outcrop("keys", "revoke", folder + "/Demo.sqlite", "watch").status == .fine)
            curl.waitUntilExit()
            #expect(curl.terminationStatus == 0 && ContinuousClock.now - start < .seconds(10))
            #expect(
                events().hasSuffix(
                    "event: end\ndata: {\"code\":\"unauthenticated\",\"detail\":\"The credential isn't valid any more.\"}\n\n"
                )
            )
            #expect(try world.events("refusal").count == refusals)
        }
    }

    @Test("refused credentials are logged with the reason and the client, and never shown")
    func refusals() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(folder)
            for secret in ["ock_secretsecret", "eyJhbGciOiJub25lIn0.e30.", "a b c"] {
                let answer = try world.server.curl(
                    "-i",
                    "-H",
                    "Authorization: Bearer \(secret)",
                    world.address + "/api/tags/1"
                )
                #expect(answer.status == "401" && answer.body.contains("WWW-Authenticate: Bearer"))
                #expect(!answer.body.contains(secret))
                #expect(try world.status("/healthz", "-H", "Authorization: Bearer \(secret)") == "200")
            }
            let refusal = try world.server.event("refusal")
            #expect(refusal["client"] == "127.0.0.1")
            #expect(refusal["reason"] == "The request's API key isn't known, or was revoked.")
            let log = try String(contentsOfFile: world.server.log, encoding: .utf8)
            #expect(!log.contains("secretsecret") && !log.contains("eyJ"))
            for _ in 0..<20 { _ = try world.status("/api/tags/1", "-u", "me:wrong") }
            #expect(try world.events("refusal").count < 15)
        }
    }

    @Test("API keys with roles that the file doesn't have are named in the log")
    func unknownRoles() throws {
        try Checkout.withFolder { folder in
            let keys = KeyFile(besides: folder + "/Demo.sqlite")
            for (name, roles) in [("a", ["editr"]), ("b", ["editor", "editr"]), ("c", ["editor"])] {
                _ = try keys.add(NewAPIKey(name: name, roles: roles), now: .now)
            }
            let world = try AccessWorld(folder)
            let warnings = try world.events("access")
            #expect(
                warnings.map { $0["message"] } == [
                    "API keys have the role “editr”, which the access file doesn't have: a, b. Did you mean “editor”?"
                ]
            )
            #expect(warnings.first?["level"] == "warning" && warnings.first?["keys"] == ["a", "b"])
            let (_, secret) = try keys.add(NewAPIKey(name: "late", roles: ["editr"]), now: .now)
            for _ in 0..<3 { _ = try world.status("/api/tags/1", "-H", "Authorization: Bearer \(secret)") }
            #expect(
                try world.events("access").dropFirst().map { $0["message"] } == [
                    "The API key late has the role “editr”, which the access file doesn't have. Did you mean “editor”?"
                ]
            )
        }
    }

    @Test("SIGHUP reads the rules again, and a file with mistakes leaves them as they are")
    func reload() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(folder)
            #expect(try world.status("/api/tags/1") == "200" && world.status("/api/users") == "404")
            let other = AccessWorld.rules.replacingOccurrences(of: #""Tag": {"read""#, with: #""User": {"read""#)
            #expect(try world.reload(other, expecting: 1) == "The access file was read again.")
            #expect(try world.status("/api/tags/1") == "404" && world.status("/api/users") == "200")
            let broken = other.replacingOccurrences(of: "published", with: "publishd")
            let message = try world.reload(broken, expecting: 2)
            #expect(message.hasPrefix("The access file isn't read again. \(folder)/access.json:6:"), "\(message)")
            #expect(message.contains("rules.Post.read.public") && message.contains("published"))
            let brokenTwice = broken.replacingOccurrences(of: #""User": {"#, with: #""Users": {"#)
            let both = try world.reload(brokenTwice, expecting: 3)
            #expect(both.contains("publishd") && both.contains("“Users”"), "\(both)")
            #expect(!both.contains("outcrop:") && !both.contains("\n"), "\(both)")
            #expect(try world.status("/api/users") == "200")
        }
    }

    @Test("SIGHUP adds accounts, and a file without them ends the use of their tokens until they are back")
    func addedAccounts() throws {
        try Checkout.withFolder { folder in
            let model = """
                {"entities": {"User": {
                  "attributes": {"email": "String", "passwordHash": "String?"}, "unique": ["email"], "userInfo": {"path": "users"}
                }}}
                """
            try Files.write(model, to: folder + "/model.json")
            let without =
                #"{"identity": {"anonymous": "public"}, "roles": {"public": {}}, "rules": {"User": {"read": {}}}}"#
            let with = """
                {
                  "identity": {
                    "accounts": {
                      "entity": "User", "name": "email", "password": "passwordHash", "baseRole": "member"
                    },
                    "anonymous": "public"
                  },
                  "roles": {"public": {}, "member": {}},
                  "rules": {"User": {"create": {"public": true}, "read": {"member": "SELF == $USER"}}}
                }
                """
            let world = try AccessWorld(
                folder,
                without,
                serving: ["--model", folder + "/model.json", "--store", folder + "/App.sqlite"]
            )
            let signUp = [
                "--json", #"{"name": "a@x.org", "password": "correct horse"}"#, world.address + "/api/auth/sign-up",
            ]
            #expect(try world.server.curl(signUp).status == "404")
            #expect(try world.reload(with, expecting: 1) == "The access file was read again.")
            let answer = try world.server.curl(signUp)
            #expect(answer.status == "201", "\(answer.body)")
            let token = try #require(JSONValue(parsing: answer.body)["token"]?.string)
            let bearer = "Authorization: Bearer \(token)"
            #expect(try world.status("/api/auth/me", "-H", bearer) == "200")
            #expect(try world.reload(without, expecting: 2) == "The access file was read again.")
            #expect(try world.status("/api/users", "-H", bearer) == "401")
            #expect(try world.reload(with, expecting: 3) == "The access file was read again.")
            #expect(try world.status("/api/users", "-H", bearer) == "200")
        }
    }

    @Test("exports and imports wait when there were too many requests")
    func waiting() throws {
        try Checkout.withFolder { folder in
            let world = try AccessWorld(
                folder,
                """
                {
                  "identity": {"anonymous": "public"}, "roles": {"public": {}},
                  "rules": {"Tag": {"read": {"public": true}, "create": {"public": true}}},
                  "limits": {"public": {"requests": "1/1s"}}
                }
                """
            )
            let export = outcrop("export", world.address, "--entity", "Tag")
            #expect(export.status == .fine && !export.output.isEmpty, "\(export)")
            try Files.write("{\"name\":\"n1\"}\n{\"name\":\"n2\"}\n", to: folder + "/tags.ndjson")
            let imported = outcrop("import", world.address, folder + "/tags.ndjson", "--entity", "Tag", "--chunk", "1")
            #expect(imported.output.hasPrefix("Imported 2 objects"), "\(imported)")
        }
    }

    @Test("tokens are accepted by the keys in a file, and refused within seconds when that has others")
    func tokens() throws {
        try Checkout.withFolder { folder in
            let key = try SigningKey(generating: .rs256)
            try Files.write(key.publicPEM ?? "", to: folder + "/id.pem")
            let rules = """
                {
                  "identity": {"jwt": {
                    "algorithms": ["RS256"], "keys": "id.pem", "issuer": "https://id.example", "roles": "groups"
                  }},
                  "roles": {"member": {}, "admin": {"administers": true}},
                  "rules": {
                    "Post": {"read": {"member": "author.username == $CLAIMS.sub"}},
                    "User": {"read": {"member": "username == $CLAIMS.sub"}}
                  }
                }
                """
            let world = try AccessWorld(folder, rules)
            func field(_ key: SigningKey, _ claims: JSONObject) throws -> String {
                var claims = claims
                claims["iss"] = claims["iss"] ?? "https://id.example"
                return "Authorization: Bearer " + (try TokenSigner(key).token(claims, now: .now, lasting: 60))
            }
            let admin = try field(key, ["groups": ["admin"]])
            let users = try JSONValue(
                parsing: world.server.curl("-H", admin, world.address + "/api/users?select=username&limit=1").body
            )
            let name = try #require(users["items"]?[0]?["username"]?.string)
            let member = try field(key, ["sub": .string(name), "groups": "member"])
            let posts = try JSONValue(
                parsing: world.server.curl("-H", member, world.address + "/api/posts?include=author").body
            )
            let authors = posts["items"]?.array?.map { $0["author"]?["username"]?.string }
            #expect(authors.map { Set($0).subtracting([name]).isEmpty } == true, "\(posts)")
            #expect(try world.object(in: "users", "-H", member) == world.object(in: "users", "-H", admin))
            let foreign = try field(key, ["iss": "https://evil.example", "groups": "admin"])
            #expect(try world.status("/api/posts", "-H", foreign) == "401" && world.status("/api/posts") == "401")
            #expect(try world.status("/api/posts", "-H", field(key, ["groups": "root"])) == "404")
            let next = try SigningKey(generating: .rs256)
            try Files.write(next.publicPEM ?? "", to: folder + "/id.pem")
            #expect(try world.wait(for: "401", "/api/posts", "-H", admin))
            #expect(try world.status("/api/posts", "-H", field(next, ["groups": "admin"])) == "200")
        }
    }

    @Test("a server doesn't start with mistakes in the access file, and shows all of them")
    func mistakes() throws {
        try Checkout.withFolder { folder in
            func refusal(_ rules: String, _ arguments: String...) throws -> String {
                try Files.write(rules, to: folder + "/access.json")
                return try ServerProcess.refusal(
                    ["--listen", "127.0.0.1:0", "--access", folder + "/access.json"] + arguments
                )
            }
            let text = try refusal(
                #"{"roles": {"a": {}}, "rules": {"Tags": {}, "Post": {"read": {"b": true, "a": "titel == 'x'"}}}}"#
            )
            #expect(text.contains("outcrop: \(folder)/access.json:1:"), "\(text)")
            #expect(
                text.contains("There is no role “b”") && text.contains("rules.Tags") && text.contains("Did you mean")
            )
            #expect(text.contains("titel"))
            let jwt = #"{"roles": {"a": {}}, "identity": {"jwt": {"algorithms": ["RS256"], "keys": "KEYS"}}}"#
            let missing = try refusal(jwt)
            #expect(missing.contains("identity.jwt.keys: ") && missing.contains("\(folder)/KEYS"))
            let remote = jwt.replacingOccurrences(of: "KEYS", with: "https://id.example/jwks")
            #expect(try refusal(remote).contains("Keys may not be fetched from id.example."))
            #expect(try refusal(remote, "--access-hosts", "other.example").contains("Allowed: other.example."))
            let result = Program.run(
                ["serve", "--demo", "--check", "--access", folder + "/access.json", "--json"],
                on: .plain
            )
            #expect(result.status == .problems && result.output.contains("Keys may not be fetched"))
            #expect(try ServerProcess.refusal(["--access", folder + "/none.json"]).contains("there is no such file"))
            #expect(
                try ServerProcess.refusal(["--access-hosts", "id.example"]).contains("accessHosts needs an access file")
            )
        }
    }

    @Test("keys at a URL are fetched before the first request, from an allowed host with a valid certificate")
    func remoteKeys() throws {
        try Checkout.withFolder { folder in
            let authority = try TestAuthority.shared.get()
            let issued = try authority.issue("keys", for: ["IP:127.0.0.1"])
            let key = try SigningKey(generating: .es256)
            let pem = Array((key.publicPEM ?? "").utf8)
            let site = try HookReceiver(
                tls: TLSServer(
                    TLSServerConfiguration(certificates: [
                        TLSCertificate(chain: issued.certificateText, key: issued.keyText)
                    ])
                )
            ) { _ in HTTPResponse(.ok, body: .bytes(pem)) }
            try Files.write(
                """
                {"identity": {"jwt": {"algorithms": ["ES256"], "keys": "https://\(site.authority)/keys"}},
                 "roles": {"admin": {"administers": true}}}
                """,
                to: folder + "/access.json"
            )
            let server = try ServerProcess(
                in: folder,
                ["--listen", "127.0.0.1:0", "--access", folder + "/access.json", "--access-hosts", site.authority],
                environment: ["SSL_CERT_FILE": authority.root.certificate]
            )
            let token = try TokenSigner(key).token(["roles": "admin"], now: .now, lasting: 60)
            let answer = try server.curl("-H", "Authorization: Bearer \(token)", server.address() + "/api/tags/1")
            #expect(answer.status == "200" && site.requests.count == 1, "\(answer.body)")
        }
    }

    @Test("with rules, a server may listen on addresses that other machines reach")
    func networks() throws {
        try Checkout.withFolder { folder in
            try Files.write(AccessWorld.rules, to: folder + "/access.json")
            let server = try ServerProcess(
                in: folder,
                ["--listen", "*:0", "--access", folder + "/access.json", "--host-names", "*"]
            )
            let warning = try server.event("setting")
            #expect(warning["message"]?.string?.contains("without encryption") == true)
            #expect(try server.events().allSatisfy { $0["event"] != "anonymous" })
        }
    }

    @Test("a model that the rules don't fit is refused, and one that they fit is served under them")
    func models() throws {
        try Checkout.withFolder { folder in
            let rules = AccessWorld.rules.replacingOccurrences(
                of: #"{"read": {"public": true}"#,
                with: #"{"read": {"public": "color != 'x'"}"#
            )
            let world = try AccessWorld(folder, rules, "--allow-model-changes")
            let admin = try world.key("--role", "admin")
            #expect(try world.wait(for: "200", "/metrics", "-u", ":\(admin)"))
            let model = try world.server.curl("-u", ":\(admin)", world.address + "/api/model").body
            func change(_ model: String) throws -> (body: String, status: String) {
                try Files.write(model, to: folder + "/next.json")
                return try world.server.curl(
                    ["-u", ":\(admin)", "--json", "@" + folder + "/next.json", world.address + "/api/model"]
                )
            }
            let refused = try change(model.replacingOccurrences(of: #""color""#, with: #""colour""#))
            #expect(refused.status == "409", "\(refused.body)")
            #expect(refused.body.contains("rules.Tag.read.public: Tag has no property"), "\(refused.body)")
            #expect(try world.status("/api/model", "--json", "{}") == "403")
            var next = try JSONValue(parsing: model).object ?? JSONObject()
            var entities = next["entities"]?.object ?? JSONObject()
            entities["Note"] = ["attributes": ["text": "String?"]]
            next["entities"] = .object(entities)
            let added = try change(JSONValue.object(next).serialized())
            #expect(added.status == "200", "\(added.body)")
            #expect(try world.status("/api/Note") == "404" && world.status("/api/tags/1") == "200")
            #expect(try world.status("/api/Note", "-u", ":\(admin)") == "200")
        }
    }
}
