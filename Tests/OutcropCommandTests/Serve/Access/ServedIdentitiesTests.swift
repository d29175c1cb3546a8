// SPDX-License-Identifier: Apache-2.0

// Who sends a request, and credentials that are refused.

import AccessRules
import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import RESTAPI
import TestSupport
import Testing

@testable import OutcropCommand

@Suite("Identities of a server")
struct ServedIdentitiesTests {
    /// A server's identities, with the keys of tokens in a file.
    private struct World {
        let folder: String
        let keyFile: KeyFile
        let identities: ServedIdentities
        var tokens: AcceptedTokens

        init(_ folder: String, _ signer: SigningKey, algorithms: [String] = ["ES256"]) throws {
            self.folder = folder
            try Files.write(signer.publicPEM ?? "", to: folder + "/key.pem")
            keyFile = KeyFile(besides: folder + "/App.sqlite")
            tokens = AcceptedTokens()
            tokens.algorithms = algorithms
            tokens.keys = "key.pem"
            tokens.issuer = "https://id.example"
            tokens.audience = "shop"
            let keys = try KeyRing(keyFile, now: .now) { _ in }
            identities = ServedIdentities(try Self.settings(tokens, in: folder), keys: keys)
        }

        static func settings(_ tokens: AcceptedTokens?, in folder: String) throws -> ServedIdentities.Settings {
            ServedIdentities.Settings(
                roles: ["reader", "member"],
                tokens: try tokens.map { tokens in
                    try ServedTokens(
                        tokens,
                        besides: folder,
                        allowing: [],
                        fetch: { _ in throw HTTPRefusal(.badRequest, "Nothing is fetched.") },
                        report: { _ in }
                    )
                }
            )
        }

        func identity(_ authorization: String?) throws -> Identity? {
            var request = HTTPRequest(.get, "/api/posts")
            request.fields[.authorization] = authorization
            return try identities.identity(of: request)
        }

        /// The reason for which a credential is refused, or nil.
        func refusal(_ authorization: String) -> String? {
            do {
                _ = try identity(authorization)
                return nil
            } catch {
                return (error as? InvalidCredential)?.reason ?? "\(error)"
            }
        }
    }

    private static func claims(_ other: JSONObject = JSONObject()) -> JSONObject {
        var claims: JSONObject = ["iss": "https://id.example", "aud": "shop", "sub": "anna", "roles": ["member"]]
        for member in other.members { claims[member.name] = member.value }
        return claims
    }

    private static func token(_ key: SigningKey, _ other: JSONObject = JSONObject(), lasting: Int = 60) throws -> String
    {
        "Bearer " + (try TokenSigner(key).token(claims(other), now: .now, lasting: lasting))
    }

    private func each(_ body: (World, SigningKey) throws -> Void) throws {
        try Checkout.withFolder { folder in
            let signer = try SigningKey(generating: .es256)
            try body(try World(folder, signer), signer)
        }
    }

    @Test("a request without a credential has no identity")
    func none() throws { try each { world, _ throws in #expect(try world.identity(nil) == nil) } }

    @Test("a token has the roles of its claim that are known")
    func roles() throws {
        try each { world, signer in
            let identity = try #require(try world.identity(Self.token(signer)))
            #expect(identity.name == "token:anna" && identity.roles == ["member"])
            #expect(identity.claims["sub"] == "anna" && identity.grants.isEmpty)
            func roles(_ value: JSONValue) throws -> Set<String>? {
                try world.identity(Self.token(signer, ["roles": value]))?.roles
            }
            #expect(try roles("reader") == ["reader"])
            #expect(try roles(["reader", "member", "root", 3]) == ["reader", "member"])
            #expect(try roles("reader member") == [] && roles(3) == [] && roles(["x": "member"]) == [])
        }
    }

    @Test("all tokens of a sender are one identity, without the claims that only the token has")
    func sameIdentity() throws {
        try each { world, signer in
            let moment = Int(Date.now.timeIntervalSince1970)
            let first = try world.identity(Self.token(signer, ["jti": "1", "nbf": .integer(moment - 9)]))
            let second = try world.identity(Self.token(signer, ["jti": "2"], lasting: 90))
            #expect(first == second)
            #expect(first?.claims.names == ["iss", "aud", "sub", "roles"])
        }
    }

    @Test("an owner is the issuer's subject, the key itself, or the certificate's subject, whatever the name is")
    func owners() throws {
        try each { world, signer in
            func owner(_ claims: JSONObject) throws -> String? { try world.identity(Self.token(signer, claims))?.owner }
            #expect(try owner([:]) == #"token:["https://id.example","anna"]"#)
            #expect(try owner(["sub": 7]) == #"token:["https://id.example","7"]"#)
            // The names are cut, the owners aren't.
            let long = String(repeating: "a", count: 250)
            let longs = try ["b", "c"].map { try world.identity(Self.token(signer, ["sub": .string(long + $0)])) }
            #expect(longs[0]?.name == longs[1]?.name && longs[0]?.owner != longs[1]?.owner)
            for none in [JSONValue.null, "", ["anna"], true] { #expect(try owner(["sub": none]) == nil) }
            var tokens = world.tokens
            tokens.issuer = nil
            world.identities.use(try World.settings(tokens, in: world.folder))
            #expect(try owner(["iss": "https://other.example"]) == #"token:["https://other.example","anna"]"#)
            var owners: Set<String?> = []
            for second in [2.0, 4] {
                let (key, secret) = try world.keyFile.add(NewAPIKey(name: "ci", roles: ["reader"]), now: .now)
                world.identities.keys?.refreshIfNeeded(now: .now + second)
                let identity = try #require(try world.identity("Bearer \(secret)"))
                #expect(identity.name == "key:ci")
                owners.insert(identity.owner)
                try world.keyFile.revoke(key.id)
            }
            #expect(owners.count == 2 && !owners.contains(nil))
        }
    }

    @Test("a claim of roles may be within an object, or have dots in its name")
    func nestedRoles() throws {
        try each { world, signer in
            var tokens = world.tokens
            tokens.rolesClaim = "realm_access.roles"
            world.identities.use(try World.settings(tokens, in: world.folder))
            #expect(try world.identity(Self.token(signer))?.roles == [])
            let nested = try Self.token(signer, ["realm_access": ["roles": ["reader"]]])
            #expect(try world.identity(nested)?.roles == ["reader"])
            #expect(try world.identity(Self.token(signer, ["realm_access.roles": "member"]))?.roles == ["member"])
        }
    }

    @Test("attacks with tokens are refused")
    func attacks() throws {
        try each { world, signer in
            func encoded(_ text: String) -> String { Base64.encode(Array(text.utf8)) }
            let payload = encoded(JSONValue.object(Self.claims(["exp": 4_000_000_000])).serialized())
            let none = "Bearer " + encoded(#"{"alg":"none"}"#) + "." + payload
            #expect(world.refusal(none + ".") == "The token's “alg” isn't allowed.")
            #expect(world.refusal(none)?.contains("three parts") == true)
            // The public key as the secret of HS256.
            let secret = try SigningKey(secret: Array((signer.publicPEM ?? "").utf8))
            #expect(try world.refusal(Self.token(secret)) == "The token's “alg” isn't allowed.")
            #expect(try world.refusal(Self.token(SigningKey(generating: .es256)))?.contains("signature") == true)
            #expect(try world.refusal(Self.token(signer, lasting: -31)) == "The token has expired.")
            let foreign: JSONObject = ["iss": "https://evil.example"]
            #expect(try world.refusal(Self.token(signer, foreign)) == "The token isn't of the expected issuer.")
            #expect(try world.refusal(Self.token(signer, ["aud": "bank"])) == "The token is for another audience.")
            #expect(try world.refusal(Self.token(signer, ["nbf": 4_000_000_000])) == "The token isn't valid yet.")
            for garbage in [
                "", "Bearer", "Bearer ", "Bearer é", "bearer a b", "Digest x", "Basic !!", "Basic \(encoded("name"))",
                "ock_",
                "Bearer ock_x", "Bearer " + String(repeating: "a", count: 20_000), "Bearer ...", "Bearer a.b.c",
            ] {
                let reason = world.refusal(garbage)
                #expect(reason != nil, "\(garbage)")
                #expect(reason?.contains("aaaa") != true && reason?.contains("ock_x") != true)
            }
        }
    }

    @Test("an API key has its roles and grants, also as the password of Basic authentication")
    func keys() throws {
        try each { world, signer in
            let new = NewAPIKey(name: "deploy", roles: ["reader", "gone"], grants: ["Post": [.read]])
            let (key, secret) = try world.keyFile.add(new, now: .now)
            let expected = Identity(
                name: "key:deploy",
                roles: ["reader"],
                grants: ["Post": [.read]],
                subject: "key:\(key.id)"
            )
            world.identities.keys?.refreshIfNeeded(now: .now + 2)
            #expect(try world.identity("Bearer \(secret)") == expected)
            let pair = Base64.encode(Array("anyone:\(secret)".utf8), .standard)
            let padded = pair + String(repeating: "=", count: (4 - pair.utf8.count % 4) % 4)
            #expect(try world.identity("Basic \(padded)") == expected)
            // A token isn't a password.
            let token = try Self.token(signer).dropFirst(7)
            let other = Base64.encode(Array("anyone:\(token)".utf8), .standard)
            let paddedOther = other + String(repeating: "=", count: (4 - other.utf8.count % 4) % 4)
            #expect(world.refusal("Basic \(paddedOther)") == "The password of Basic authentication isn't an API key.")
            try world.keyFile.revoke(key.id)
            world.identities.keys?.refreshIfNeeded(now: .now + 4)
            #expect(world.refusal("Bearer \(secret)") == "The request's API key isn't known, or was revoked.")
        }
    }

    @Test("other keys of tokens count as soon as their file is read again")
    func changedKeys() throws {
        try each { world, signer in
            let token = try Self.token(signer)
            #expect(try world.identity(token) != nil && world.identity(token) != nil)
            let next = try SigningKey(generating: .es256)
            try Files.write(next.publicPEM ?? "", to: world.folder + "/key.pem")
            #expect(try world.identity(token) != nil)
            world.identities.tokens?.refreshIfNeeded(now: .now + 2)
            #expect(world.refusal(token)?.contains("signature") == true)
            #expect(try world.identity(Self.token(next)) != nil)
        }
    }

    @Test("a remembered token expires, and is forgotten with the settings")
    func forgetting() throws {
        try each { world, signer in
            let token = try Self.token(signer, lasting: -29)
            #expect(try world.identity(token) != nil)
            var tokens = world.tokens
            tokens.leeway = 0
            world.identities.use(try World.settings(tokens, in: world.folder))
            #expect(world.refusal(token) == "The token has expired.")
            world.identities.use(try World.settings(nil, in: world.folder))
            #expect(world.refusal(token)?.contains("the server accepts no tokens") == true)
        }
    }

    @Test("keys for other algorithms are a mistake, and HS256 alone takes a secret")
    func algorithms() throws {
        try Checkout.withFolder { folder in
            let signer = try SigningKey(generating: .es256)
            #expect(throws: IdentityError.self) { try World(folder, signer, algorithms: ["RS256"]) }
            var tokens = AcceptedTokens()
            tokens.algorithms = ["HS256"]
            tokens.keys = "secret"
            let secret = "a secret that is long enough for HS256"
            try Files.write(secret + "\n", to: folder + "/secret")
            let identities = ServedIdentities(try World.settings(tokens, in: folder), keys: nil)
            var request = HTTPRequest(.get, "/")
            request.fields[.authorization] = try Self.token(SigningKey(secret: Array(secret.utf8)))
            #expect(try identities.identity(of: request)?.roles == ["member"])
            request.fields[.authorization] = "Bearer ock_x"
            #expect(throws: InvalidCredential.self) { try identities.identity(of: request) }
        }
    }

    @Test("a client's refused credentials are logged at most once a second")
    func flooding() throws {
        let log = RefusalLog(
            ServerLog(LogWriter(format: .json, showsValues: false), level: .off, file: try LogFile(path: nil))
        )
        let start = ContinuousClock.now
        #expect(log.isDue("192.0.2.1", now: start) && !log.isDue("192.0.2.1", now: start + .milliseconds(999)))
        #expect(log.isDue("192.0.2.2", now: start) && log.isDue("192.0.2.1", now: start + .seconds(1)))
        for number in 0..<10_000 { _ = log.isDue("client \(number)", now: start + .seconds(1)) }
        #expect(!log.isDue("one more", now: start + .milliseconds(1_500)))
        #expect(log.isDue("one more", now: start + .seconds(3)))
    }
}
