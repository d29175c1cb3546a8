// SPDX-License-Identifier: Apache-2.0

import Cryptography
import FoundationEssentials
import Identities
import JSON
import TestSupport
import Testing

@Suite("Keys of tokens")
struct TokenKeyTests {
    private static let rsa = """
        {"kty":"RSA","kid":"r","alg":"RS256","use":"sig","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPdd\
        xHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS\
        5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaG\
        Nj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
        """
    private static let p256 = """
        {"kty":"EC","crv":"P-256","kid":"e","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """
    private static let ed25519 =
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","key_ops":["verify"]}"#
    private static let secret = #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i"}"#

    private static func keys(_ text: String, allowingSecrets: Bool = true) throws -> [TokenKey] {
        try TokenKey.keys(in: Array(text.utf8), allowingSecrets: allowingSecrets)
    }

    private static func write(_ text: String, _ folder: String) throws -> String {
        let path = folder + "/key"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test("a single key has its algorithm by its kind")
    func single() throws {
        let cases = [
            (Self.rsa, SignatureAlgorithm.rs256), (Self.p256, .es256), (Self.ed25519, .edDSA), (Self.secret, .hs256),
        ]
        for (text, algorithm) in cases {
            #expect(try Self.keys(text).map(\.algorithm) == [algorithm])
        }
        #expect(try Self.keys(Self.rsa)[0].id == "r")
        #expect(try Self.keys(Self.ed25519)[0].id == nil)
    }

    @Test("of a set, keys of other kinds and for other purposes are left out")
    func set() throws {
        let others = [
            #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#, #"{"kty":"new"}"#, "{}",
            Self.p256.replacing(#""kid":"e""#, with: #""use":"enc""#),
            Self.p256.replacing(#""kid":"e""#, with: #""key_ops":["sign"]"#),
            Self.p256.replacing(#""kid":"e""#, with: #""alg":"HS256""#),
            Self.p256.replacing(#""kid":"e""#, with: #""kid":1"#), Self.rsa.replacing("RS256", with: "RSA-OAEP"),
        ]
        let all = others + [Self.rsa, Self.p256, Self.ed25519, Self.secret]
        let text = "{\"keys\":[\(all.joined(separator: ","))]}"
        #expect(try Self.keys(text).map(\.algorithm) == [.rs256, .es256, .edDSA, .hs256])
        #expect(try Self.keys(text, allowingSecrets: false).map(\.algorithm) == [.rs256, .es256, .edDSA])
        for other in others { #expect(throws: IdentityError.self, "\(other)") { try Self.keys(other) } }
    }

    @Test("keys in PEM form are read, and several of them")
    func pem() throws {
        let first = try SigningKey(generating: .es256)
        let second = try SigningKey(generating: .edDSA)
        let text = try #require(first.publicPEM) + #require(second.publicPEM)
        let keys = try Self.keys(text)
        #expect(keys.map(\.algorithm) == [.es256, .edDSA])
        let message = Array("message".utf8)
        #expect(keys[1].key.verifies(try second.signature(of: message), of: message))
    }

    @Test("what isn't a key is an error with a hint, without its content")
    func invalid() throws {
        let key = try SigningKey(generating: .es256)
        for text in [
            "", "hidden", "{", "[]", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1]}"#,
            #"{"kty":"oct","k":"hidden"}"#,
            "-----BEGIN PUBLIC KEY-----\nhidden\n-----END PUBLIC KEY-----\n", String(repeating: " ", count: 2 << 20),
            "{\"keys\":[\(Array(repeating: Self.p256, count: 101).joined(separator: ","))]}",
            try #require(key.privatePEM),
        ] {
            let error = #expect(throws: IdentityError.self, "\(text.prefix(40))") { try Self.keys(text) }
            #expect(error?.code == .invalidFile)
            #expect(error?.message.contains("hidden") == false)
        }
        let error = #expect(throws: IdentityError.self) { try Self.keys(#require(key.privatePEM)) }
        #expect(error?.hint?.contains("-pubout") == true)
    }

    @Test("a file with a secret is the key for HS256, without the line break at its end")
    func secretFile() throws {
        try Checkout.withFolder { folder in
            let secret = String(repeating: "s", count: 32)
            let signer = TokenSigner(try SigningKey(secret: Array(secret.utf8)))
            let key = try TokenKey.secret(fromFile: Self.write(secret + "\r\n", folder))
            #expect(key.algorithm == .hs256)
            let token = try signer.token(["exp": 2_000_000_000])
            let verifier = TokenVerifier(TokenSettings(algorithms: [.hs256]), keys: [key])
            #expect(try verifier.claims(of: token, now: .distantPast) == ["exp": 2_000_000_000])
        }
    }

    @Test("a public key isn't read as a secret, nor a short text")
    func noSecret() throws {
        try Checkout.withFolder { folder in
            for text in [try #require(SigningKey(generating: .rs256).publicPEM), Self.rsa, "short"] {
                let path = try Self.write(text, folder)
                let error = #expect(throws: IdentityError.self) { try TokenKey.secret(fromFile: path) }
                #expect(error?.place == path)
            }
        }
    }

    @Test("a missing file is an error with its path, and a mistake has its place")
    func files() throws {
        try Checkout.withFolder { folder in
            let missing = #expect(throws: IdentityError.self) { try TokenKey.keys(fromFile: folder + "/none") }
            #expect(missing?.code == .unreadable)
            #expect(missing?.place == folder + "/none")
            let path = try Self.write("{\n\"kty\": }", folder)
            let error = #expect(throws: IdentityError.self) { try TokenKey.keys(fromFile: path) }
            #expect(error?.place == path + ":2:8")
        }
    }
}
