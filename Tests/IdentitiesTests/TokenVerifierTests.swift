// SPDX-License-Identifier: Apache-2.0

// Tokens that are accepted, and attacks that aren't.

import Cryptography
import FoundationEssentials
import Identities
import JSON
import SeededRandom
import Testing

@Suite("Tokens")
struct TokenVerifierTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let claims: JSONObject = [
        "iss": "https://id.example", "aud": "shop", "sub": "7", "exp": 1_800_000_600, "nbf": 1_799_999_000,
        "iat": 1_799_999_000,
    ]
    private static let settings = TokenSettings(
        algorithms: Set(SignatureAlgorithm.allCases),
        issuer: "https://id.example",
        audiences: ["shop", "cafe"]
    )

    private static func signer(_ algorithm: SignatureAlgorithm = .es256, id: String? = "k1") throws -> TokenSigner {
        TokenSigner(try SigningKey(generating: algorithm), id: id)
    }

    /// The code with which a token is refused, or nil.
    private func refusal(
        of token: String,
        _ settings: TokenSettings = settings,
        _ keys: TokenKey...,
        at now: Date? = nil
    ) -> CredentialRefusal.Code? {
        do throws(CredentialRefusal) {
            _ = try TokenVerifier(settings, keys: keys).claims(of: token, now: now ?? self.now)
            return nil
        } catch {
            for part in token.split(separator: ".") where part.utf8.count > 8 { #expect(!error.message.contains(part)) }
            return error.code
        }
    }

    /// A token with any header and payload, signed by a key.
    private static func token(header: String, payload: String, _ key: SigningKey? = nil) throws -> String {
        let message = Base64.encode(Array(header.utf8)) + "." + Base64.encode(Array(payload.utf8))
        return message + "." + Base64.encode(try key?.signature(of: Array(message.utf8)) ?? [])
    }

    private static var payload: String { JSONValue.object(claims).serialized() }

    @Test("a valid token of each algorithm has its claims", arguments: SignatureAlgorithm.allCases)
    func valid(algorithm: SignatureAlgorithm) throws {
        let signer = try Self.signer(algorithm)
        let token = try signer.token(Self.claims)
        let verifier = TokenVerifier(Self.settings, keys: [signer.verificationKey])
        #expect(try verifier.claims(of: token, now: now) == Self.claims)
    }

    @Test("the example of RFC 7515 is accepted while it is valid")
    func example() throws {
        let secret = try #require(
            Base64.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        )
        let token =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
            + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
            + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let key = TokenKey(try VerificationKey(secret: secret))
        let settings = TokenSettings(algorithms: [.hs256], issuer: "joe", leeway: 0)
        let moment = Date(timeIntervalSince1970: 1_300_819_379)
        #expect(refusal(of: token, settings, key, at: moment) == nil)
        #expect(refusal(of: token, settings, key, at: moment + 1) == .expired)
    }

    @Test("a token without a signature is refused", arguments: ["none", "None", "NONE", "nOnE", ""])
    func none(algorithm: String) throws {
        let key = try Self.signer().verificationKey
        let token = try Self.token(header: #"{"alg":"\#(algorithm)"}"#, payload: Self.payload)
        #expect(refusal(of: token, Self.settings, key) == .wrongAlgorithm)
    }

    @Test("a token whose signature was removed is refused")
    func removedSignature() throws {
        let signer = try Self.signer()
        let token = try signer.token(Self.claims)
        let message = token[...(try #require(token.lastIndex(of: ".")))]
        #expect(refusal(of: String(message), Self.settings, signer.verificationKey) == .badSignature)
        #expect(refusal(of: String(message.dropLast()), Self.settings, signer.verificationKey) == .malformed)
    }

    @Test("a public key is never a secret", arguments: [SignatureAlgorithm.rs256, .es256, .edDSA])
    func confusion(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(generating: algorithm)
        let pem = try #require(key.publicPEM)
        for secret in [pem, String(pem.dropLast())] {
            let forged = try TokenSigner(SigningKey(secret: Array(secret.utf8)), id: "k1").token(Self.claims)
            #expect(refusal(of: forged, Self.settings, TokenKey(key.verificationKey, id: "k1")) == .unknownKey)
            #expect(refusal(of: forged, Self.settings, TokenKey(key.verificationKey)) == .unknownKey)
        }
    }

    @Test("a token that names another algorithm than its key's is refused", arguments: SignatureAlgorithm.allCases)
    func otherAlgorithm(named: SignatureAlgorithm) throws {
        for algorithm in SignatureAlgorithm.allCases where algorithm != named {
            let key = try SigningKey(generating: algorithm)
            let token = try Self.token(header: #"{"alg":"\#(named.rawValue)"}"#, payload: Self.payload, key)
            #expect(refusal(of: token, Self.settings, TokenKey(key.verificationKey)) == .unknownKey)
        }
    }

    @Test("an algorithm that isn't allowed is refused, even with a valid signature")
    func forbiddenAlgorithm() throws {
        let signer = try Self.signer(.hs256)
        var settings = Self.settings
        settings.algorithms = [.rs256, .es256]
        #expect(refusal(of: try signer.token(Self.claims), settings, signer.verificationKey) == .wrongAlgorithm)
    }

    @Test("the key of the token's ID is used, and without an ID each one")
    func keyIDs() throws {
        let first = try Self.signer(id: "a")
        let second = try Self.signer(id: "b")
        let keys = [first.verificationKey, second.verificationKey]
        let verifier = TokenVerifier(Self.settings, keys: keys)
        _ = try verifier.claims(of: second.token(Self.claims), now: now)
        let unnamed = TokenSigner(try SigningKey(generating: .es256))
        let all = TokenVerifier(Self.settings, keys: keys + [unnamed.verificationKey])
        _ = try all.claims(of: unnamed.token(Self.claims), now: now)
        let foreign = try Self.signer(id: "c")
        #expect(refusal(of: try foreign.token(Self.claims), Self.settings, keys[0], keys[1]) == .unknownKey)
        let pretender = try Self.signer(id: "a")
        #expect(refusal(of: try pretender.token(Self.claims), Self.settings, keys[0], keys[1]) == .badSignature)
    }

    @Test("a key that the token brings along isn't used")
    func embeddedKey() throws {
        let key = try Self.signer().verificationKey
        let attacker = try SigningKey(generating: .es256)
        for member in [#""jwk":{"kty":"EC"}"#, #""jku":"https://evil.example""#, #""x5c":["x"]"#] {
            let token = try Self.token(header: "{\"alg\":\"ES256\",\(member)}", payload: Self.payload, attacker)
            #expect(refusal(of: token, Self.settings, key) == .badSignature)
        }
    }

    @Test("headers that demand or repeat something are refused")
    func headers() throws {
        let signing = try SigningKey(generating: .es256)
        let key = TokenKey(signing.verificationKey, id: "k1")
        let cases: [(header: String, code: CredentialRefusal.Code?)] = [
            (#"{"alg":"ES256"}"#, nil), (#"{"alg":"ES256","typ":"at+jwt","x":1}"#, nil),
            (#"{"alg":"ES256","crit":["exp"]}"#, .unsupported),
            (#"{"alg":"ES256","crit":[],"b64":false}"#, .unsupported),
            (#"{"alg":"ES256","alg":"ES256"}"#, .malformed), (#"{"alg":"none","alg":"ES256"}"#, .malformed),
            (#"{}"#, .malformed), (#"{"alg":1}"#, .malformed), (#"{"alg":["ES256"]}"#, .malformed), ("[]", .malformed),
            ("", .malformed), ("{", .malformed), (#"{"alg":"ES256"} "x""#, .malformed),
            (#"{"alg":"ES256","kid":1}"#, .malformed), (#"{"alg":"ES256","kid":null}"#, .malformed),
            (#"{"alg":"ES256","kid":"../k1"}"#, .unknownKey), (#"{"alg":"ES256","kid":""}"#, .unknownKey),
            (#"{"alg":"es256"}"#, .wrongAlgorithm), (#"{"alg":"ES384"}"#, .wrongAlgorithm),
            (#"{"alg":"ES256 "}"#, .wrongAlgorithm), (#"{"alg":"PS256"}"#, .wrongAlgorithm),
            (#"{"alg":"ES256","kid":"\#(String(repeating: "a", count: 257))"}"#, .malformed),
            (
                #"{"alg":"ES256","x":\#(String(repeating: "[", count: 9))\#(String(repeating: "]", count: 9))}"#,
                .malformed
            ),
        ]
        for (header, code) in cases {
            let token = try Self.token(header: header, payload: Self.payload, signing)
            #expect(refusal(of: token, Self.settings, key) == code, "\(header)")
        }
    }

    @Test("a tampered payload, header or signature is refused")
    func tampering() throws {
        let signer = try Self.signer()
        let parts = try signer.token(Self.claims).split(separator: ".").map(String.init)
        var admin = Self.claims
        admin["sub"] = "1"
        let payload = Base64.encode(JSONValue.object(admin).serializedBytes())
        let header = Base64.encode(Array(#"{"alg":"ES256","kid":"k1"}"#.utf8))
        var signature = try #require(Base64.decode(parts[2]))
        signature[5] ^= 1
        for token in [
            [parts[0], payload, parts[2]], [header, parts[1], parts[2]],
            [parts[0], parts[1], Base64.encode(signature)],
            [parts[0], parts[1], Base64.encode([UInt8](repeating: 0, count: 64))], [parts[0], parts[1], ""],
        ] {
            let code = refusal(of: token.joined(separator: "."), Self.settings, signer.verificationKey)
            #expect(code == .badSignature)
        }
    }

    @Test("a truncated token is refused wherever it ends")
    func truncated() throws {
        let signer = try Self.signer()
        let token = try signer.token(Self.claims)
        for count in 0..<token.utf8.count {
            let code = refusal(of: String(token.prefix(count)), Self.settings, signer.verificationKey)
            #expect(code == .malformed || code == .badSignature, "\(count)")
        }
    }

    @Test("a token with any other bytes is refused, without a crash")
    func randomTampering() throws {
        let signer = try Self.signer(.hs256)
        let token = Array(try signer.token(Self.claims).utf8)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5_000 {
            var bytes = token
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...127, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
                }
            }
            guard bytes != token else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(refusal(of: text, Self.settings, signer.verificationKey) != nil, "\(text)")
        }
    }

    @Test("padding, other alphabets, spaces and further parts are refused")
    func encodings() throws {
        let signer = try Self.signer()
        let token = try signer.token(Self.claims)
        let padded: [String] = token.split(separator: ".").map {
            $0 + String(repeating: "=", count: (4 - $0.utf8.count % 4) % 4)
        }
        let last = try #require(token.last)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // 64 bytes leave four bits of the last character unused.
        let place = try #require(alphabet.firstIndex(of: last))
        let twin = String(token.dropLast()) + String(alphabet[place ^ 1])
        for text in [
            padded.joined(separator: "."), padded[0] + token.drop { $0 != "." }, " " + token, token + "\n",
            token + ".", token + ".x", "." + token, ".", "..", "", token.replacing("-", with: "+") + "=", twin,
            token.replacing(".", with: "·"), "Bearer " + token,
        ] {
            #expect(refusal(of: text, Self.settings, signer.verificationKey) == .malformed, "\(text)")
        }
    }

    @Test("a token that is too long, or whose JSON is too deep or too large, is refused")
    func huge() throws {
        let signing = try SigningKey(generating: .hs256)
        let key = TokenKey(signing.verificationKey)
        let longest = String(repeating: "a", count: Self.settings.maximumLength + 1)
        #expect(refusal(of: longest, Self.settings, key) == .tooLong)
        var settings = Self.settings
        settings.maximumLength = 1 << 20
        for value in [
            String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000),
            "[" + Array(repeating: "0", count: 3_000).joined(separator: ",") + "]",
            String(repeating: "1", count: 5_000),
        ] {
            let payload = "{\"x\":\(value)," + Self.payload.dropFirst()
            let token = try Self.token(header: #"{"alg":"HS256"}"#, payload: payload, signing)
            #expect(refusal(of: token, settings, key) == .malformed)
        }
        let header = #"{"alg":"HS256","x":"\#(String(repeating: "a", count: 5_000))"}"#
        #expect(
            refusal(of: try Self.token(header: header, payload: Self.payload, signing), settings, key) == .malformed
        )
    }

    @Test("times are checked with a leeway, and the expiry is required")
    func times() throws {
        let signer = try Self.signer()
        let cases: [(name: String, value: JSONValue?, code: CredentialRefusal.Code?)] = [
            ("exp", nil, .malformed), ("exp", .null, .malformed), ("exp", "1800000600", .malformed),
            ("exp", .number(try #require(JSONNumber("1e999"))), .malformed), ("exp", true, .malformed),
            ("exp", 1_799_999_970, .expired), ("exp", 1_799_999_971, nil), ("exp", -1, .expired),
            ("exp", 1_799_999_970.5, nil), ("exp", 1e300, nil),
            ("nbf", 1_800_000_030, nil), ("nbf", 1_800_000_031, .notYetValid), ("nbf", "soon", .malformed),
            ("iat", 1_800_000_030, nil), ("iat", 1_800_000_031, .notYetValid), ("iat", [], .malformed),
            ("nbf", nil, nil), ("iat", nil, nil),
        ]
        for (name, value, code) in cases {
            var claims = Self.claims
            claims[name] = value
            let token = try signer.token(claims)
            #expect(refusal(of: token, Self.settings, signer.verificationKey) == code, "\(name): \(value as Any)")
        }
    }

    @Test("a token of another issuer, or for another audience, is refused")
    func parties() throws {
        let signer = try Self.signer()
        let cases: [(name: String, value: JSONValue?, code: CredentialRefusal.Code?)] = [
            ("iss", nil, .wrongIssuer), ("iss", "https://id.example/", .wrongIssuer),
            ("iss", "HTTPS://ID.EXAMPLE", .wrongIssuer),
            ("iss", ["https://id.example"], .wrongIssuer), ("aud", nil, .wrongAudience), ("aud", "", .wrongAudience),
            ("aud", "shop2", .wrongAudience), ("aud", [], .wrongAudience), ("aud", ["other"], .wrongAudience),
            ("aud", ["other", "cafe"], nil), ("aud", "cafe", nil), ("aud", "cafe\u{301}", .wrongAudience),
            ("aud", 1, .wrongAudience), ("aud", ["shop": true], .wrongAudience), ("aud", [["shop"]], .wrongAudience),
        ]
        for (name, value, code) in cases {
            var claims = Self.claims
            claims[name] = value
            let token = try signer.token(claims)
            #expect(refusal(of: token, Self.settings, signer.verificationKey) == code, "\(name): \(value as Any)")
        }
        let anyone = TokenSettings(algorithms: [.es256])
        #expect(refusal(of: try signer.token(["exp": 1_800_000_600]), anyone, signer.verificationKey) == nil)
    }

    @Test("repeated claims are refused")
    func repeatedClaims() throws {
        let signing = try SigningKey(generating: .es256)
        let payload = String(Self.payload.dropLast()) + #","sub":"1"}"#
        let token = try Self.token(header: #"{"alg":"ES256"}"#, payload: payload, signing)
        #expect(refusal(of: token, Self.settings, TokenKey(signing.verificationKey)) == .malformed)
    }

    @Test("claims aren't read before the signature is verified")
    func order() throws {
        let signer = try Self.signer()
        for payload in ["not JSON", #"{"exp":1}"#] {
            let token = try Self.token(header: #"{"alg":"ES256"}"#, payload: payload, SigningKey(generating: .es256))
            #expect(refusal(of: token, Self.settings, signer.verificationKey) == .badSignature)
        }
    }

    @Test("issued tokens have their times", arguments: [SignatureAlgorithm.hs256, .es256])
    func issuing(algorithm: SignatureAlgorithm) throws {
        let signer = try Self.signer(algorithm, id: "own")
        let token = try signer.token(["sub": "users/7"], now: now + 0.5, lasting: 900)
        let verifier = TokenVerifier(TokenSettings(algorithms: [algorithm]), keys: [signer.verificationKey])
        let claims = try verifier.claims(of: token, now: now)
        #expect(claims == ["sub": "users/7", "iat": 1_800_000_000, "exp": 1_800_000_900])
        let header = try #require(Base64.decode(String(token.prefix { $0 != "." })))
        #expect(
            String(decoding: header, as: UTF8.self)
                == "{\"alg\":\"\(algorithm.rawValue)\",\"typ\":\"JWT\",\"kid\":\"own\"}"
        )
        #expect(refusal(of: token, verifier.settings, signer.verificationKey, at: now + 931) == .expired)
    }
}
