// SPDX-License-Identifier: Apache-2.0

import Cryptography
import Files
import FoundationEssentials
import Identities
import JSON
import TestSupport
import Testing

@Suite("Keys of accounts")
struct AccountKeyTests {
    private let folder: TemporaryFolder
    private var store: String { folder.path + "/Library.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    @Test("a key is made once, in a file that its owner alone can read")
    func making() throws {
        let key = try AccountKey(besides: store)
        #expect(try AccountKey(besides: store).id == key.id)
        #expect(try AccountKey(besides: store).code(of: "a", for: "b") == key.code(of: "a", for: "b"))
        #expect(FileSystem.permissions(of: AccountKey.path(besides: store)) == 0o600)
        #expect(AccountKey().id != key.id)
    }

    @Test("a file that others can read, or that isn't a key, is refused without showing it")
    func refusals() throws {
        let path = AccountKey.path(besides: store)
        _ = try AccountKey(besides: store)
        try OpenFile(reading: path).setPermissions(0o640)
        #expect(throws: IdentityError.self) { try AccountKey(besides: store) }
        for text in ["", "{}", #"{"id": "12345678", "secret": "c2VjcmV0"}"#, "secret secret"] {
            try Data(text.utf8).write(to: URL(filePath: path))
            try OpenFile(reading: path).setPermissions(0o600)
            do {
                _ = try AccountKey(besides: store)
                Issue.record("\(text) is accepted.")
            } catch {
                #expect(error.code == .invalidFile && !"\(error)".contains("c2VjcmV0"))
                #expect(!"\(error)".contains("secret secret"))
            }
        }
    }

    @Test("only a key's own tokens name it and are valid")
    func tokens() throws {
        let key = AccountKey()
        let other = AccountKey()
        let now = Date.now
        let token = try key.signer.token(["sub": "users/1"], now: now, lasting: 60)
        #expect(try key.signer.isNamed(by: token) && !other.signer.isNamed(by: token))
        #expect(try !key.signer.isNamed(by: "a.b.c") && !key.signer.isNamed(by: "ock_x"))
        let settings = TokenSettings(algorithms: [.hs256], leeway: 0)
        let verifier = TokenVerifier(settings, keys: [try key.signer.verificationKey])
        #expect(try verifier.claims(of: token, now: now)["sub"] == "users/1")
        let forged = try other.signer.token(["sub": "users/1"], now: now, lasting: 60)
        #expect(throws: CredentialRefusal.self) { try verifier.claims(of: forged, now: now) }
    }

    @Test("codes differ by text, purpose and key")
    func codes() {
        let key = AccountKey()
        let codes = [
            key.code(of: "a", for: "x"), key.code(of: "b", for: "x"), key.code(of: "a", for: "y"),
            AccountKey().code(of: "a", for: "x"),
        ]
        #expect(Set(codes).count == 4)
    }
}
