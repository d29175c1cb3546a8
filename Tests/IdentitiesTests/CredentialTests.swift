// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPMessage
import Identities
import Testing

@Suite("Credentials")
struct CredentialTests {
    private static func basic(_ text: String) -> String { "Basic " + padded(Array(text.utf8)) }

    private static func padded(_ bytes: [UInt8]) -> String {
        let text = Base64.encode(bytes, .standard)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    @Test("a bearer token is the credential, whatever the scheme's case", arguments: ["Bearer", "bearer", "BEARER"])
    func bearer(scheme: String) throws {
        let credential = try Credential("\(scheme) ock_a-b.c~d+e/f==")
        #expect(credential.token == "ock_a-b.c~d+e/f==")
        #expect(credential.name == nil)
    }

    @Test("the password of Basic is the credential, colons in it included")
    func basic() throws {
        let credential = try Credential(Self.basic("any name:ock_1:2é"))
        #expect(credential.token == "ock_1:2é")
        #expect(credential.name == "any name")
        #expect(try Credential(Self.basic(":x")).name == "")
    }

    @Test("a request without the field has no credential")
    func none() throws {
        #expect(try Credential(in: [:]) == nil)
        #expect(try Credential(in: ["authorization": "Bearer a"])?.token == "a")
    }

    @Test("two fields are refused, even the same")
    func several() {
        let error = #expect(throws: CredentialRefusal.self) {
            try Credential(in: ["Authorization": "Bearer a", "authorization": "Bearer a"])
        }
        #expect(error?.message == "The request has more than one Authorization field.")
    }

    @Test(
        "a malformed field is refused",
        arguments: [
            "", "Bearer", "Bearer ", " Bearer a", "Bearer a b", "Bearer a,b", "Bearer =", "Bearer a=b", "Bearer é",
            "Bearer a, Basic YTpi", "Bearer\ta", "Token a", "Digest a", "ock_a", "Basic", "Basic ", "Basic =",
            "Basic ====",
            "Basic YTpi=", "Basic YTpi====", "Basic YTpiYw", "Basic YTpiYw=", "Basic YTpiYw===", "Basic YTpiYx==",
            "Basic YT pi", "Basic YTpi\n", "Basic YTpi_-==", "Basic " + padded(Array("no colon".utf8)),
            "Basic " + padded(Array("name:".utf8)), "Basic " + padded(Array("a:b\n".utf8)),
            "Basic " + padded(Array("a\0:b".utf8)), "Basic " + padded([0x61, 0x3A, 0xFF]),
            "Basic " + padded([0x61, 0x3A, 0xC3]),
        ]
    )
    func malformed(value: String) {
        let error = #expect(throws: CredentialRefusal.self) { try Credential(value) }
        #expect(error?.code == .malformed)
    }

    @Test("a malformed field is refused and isn't taken for no credential")
    func malformedField() {
        #expect(throws: CredentialRefusal.self) { try Credential(in: ["Authorization": ""]) }
        #expect(throws: CredentialRefusal.self) { try Credential(in: ["Authorization": "Basic x"]) }
    }

    @Test("a field that is too long is refused")
    func long() throws {
        let longest = String(repeating: "a", count: Credential.maximumLength - "Bearer ".utf8.count)
        #expect(try Credential("Bearer " + longest).token == longest)
        let error = #expect(throws: CredentialRefusal.self) { try Credential("Bearer a" + longest) }
        #expect(error?.code == .tooLong)
    }

    @Test("refusals contain nothing of the credential")
    func secrecy() {
        for value in ["Bearer secret secret", Self.basic("secret"), "secret secret"] {
            let error = #expect(throws: CredentialRefusal.self) { try Credential(value) }
            #expect(error?.description.contains("secret") == false)
        }
    }
}
