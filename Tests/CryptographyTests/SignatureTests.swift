// SPDX-License-Identifier: Apache-2.0

// Signatures by the examples of RFC 7515 (appendices A.1 to A.3) and RFC 8037 (A.4), and keys that aren't accepted.

import Cryptography
import Testing

@Suite struct SignatureTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64.decode(text)) }

    /// Whether a key verifies a message's signature, and neither another signature nor that of another message.
    private static func check(_ key: VerificationKey, _ message: String, _ signature: String) throws {
        let signature = try bytes(signature)
        #expect(key.verifies(signature, of: Array(message.utf8)))
        #expect(!key.verifies(signature, of: Array((message + "A").utf8)))
        var other = signature
        other[other.count / 2] ^= 1
        #expect(!key.verifies(other, of: Array(message.utf8)))
        #expect(!key.verifies([], of: Array(message.utf8)))
        #expect(!key.verifies(signature + [0], of: Array(message.utf8)))
        #expect(!key.verifies(Array(signature.dropLast()), of: Array(message.utf8)))
    }

    @Test("HS256")
    func hs256() throws {
        let secret = try Self.bytes(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        )
        let message = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + Self.payload
        let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        try Self.check(VerificationKey(secret: secret), message, signature)
        #expect(Base64.encode(try SigningKey(secret: secret).signature(of: Array(message.utf8))) == signature)
    }

    @Test("RS256")
    func rs256() throws {
        let modulus = try Self.bytes(
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SF"
                + "d2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo"
                + "7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM"
                + "Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        )
        let signature =
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
            + "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
            + "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy"
            + "wlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        let key = try VerificationKey(rsaModulus: modulus, exponent: [1, 0, 1])
        #expect(key.algorithm == .rs256)
        try Self.check(key, "eyJhbGciOiJSUzI1NiJ9." + Self.payload, signature)
    }

    @Test("ES256")
    func es256() throws {
        let x = try Self.bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try Self.bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        let key = try VerificationKey(p256X: x, y: y)
        #expect(key.algorithm == .es256)
        try Self.check(
            key,
            "eyJhbGciOiJFUzI1NiJ9." + Self.payload,
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        )
        #expect(!key.verifies([UInt8](repeating: 0, count: 64), of: []))
        #expect(!key.verifies([UInt8](repeating: 0xFF, count: 64), of: []))
    }

    @Test("EdDSA")
    func edDSA() throws {
        let key = try VerificationKey(ed25519: Self.bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        #expect(key.algorithm == .edDSA)
        try Self.check(
            key,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        )
    }

    @Test("generated keys sign, and their public keys verify, also from PEM", arguments: SignatureAlgorithm.allCases)
    func generated(algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(generating: algorithm)
        #expect(key.algorithm == algorithm)
        let message = Array("message".utf8)
        for _ in 0..<20 {
            let signature = try key.signature(of: message)
            #expect(key.verificationKey.verifies(signature, of: message))
            if algorithm == .es256 { #expect(signature.count == 64) }
        }
        let other = try SigningKey(generating: algorithm)
        #expect(!other.verificationKey.verifies(try key.signature(of: message), of: message))
        guard let privatePEM = key.privatePEM, let publicPEM = key.publicPEM else {
            #expect(algorithm == .hs256)
            return
        }
        #expect(privatePEM.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(publicPEM.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        let signature = try SigningKey(pem: privatePEM).signature(of: message)
        #expect(try VerificationKey(pem: publicPEM).verifies(signature, of: message))
    }

    @Test("texts and parameters that aren't keys are refused")
    func invalid() throws {
        for text in ["", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
            #expect(throws: CryptographyError.self) { try VerificationKey(pem: text) }
            #expect(throws: CryptographyError.self) { try SigningKey(pem: text) }
        }
        let x = try Self.bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        #expect(throws: CryptographyError.self, "the point isn't on the curve") { try VerificationKey(p256X: x, y: x) }
        #expect(throws: CryptographyError.self) { try VerificationKey(p256X: [], y: []) }
        #expect(throws: CryptographyError.self) { try VerificationKey(ed25519: [1, 2]) }
        #expect(throws: CryptographyError.self) { try VerificationKey(rsaModulus: [], exponent: []) }
        let short = [UInt8](repeating: 0xFF, count: 128)
        #expect(throws: CryptographyError.self, "1024 bits") {
            try VerificationKey(rsaModulus: short, exponent: [1, 0, 1])
        }
        let long = [UInt8](repeating: 0xFF, count: 4_096)
        #expect(throws: CryptographyError.self) { try VerificationKey(rsaModulus: long, exponent: [1, 0, 1]) }
        #expect(throws: CryptographyError.self) { try VerificationKey(secret: Array("short".utf8)) }
        #expect(throws: CryptographyError.self) { try SigningKey(secret: []) }
    }

    @Test("an encrypted key is refused without asking for its passphrase")
    func encrypted() {
        // openssl genpkey -algorithm ED25519 | openssl pkcs8 -topk8 -passout pass:secret
        let text = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiwZYPf08gHDwICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJ6MqmZdfTsNAPXiS12yaFYEQGUX
            60wLCU0HJtJfmig2LrZl6v9Njr0jTtV2IcB57GO6ipIyFAhliWNHxhqVVsm48oya
            tBgigkJOrx0mMB6WxJQ=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        let error = #expect(throws: CryptographyError.self) { try SigningKey(pem: text) }
        #expect(error?.message == "The key is encrypted with a passphrase, which can't be given.")
    }
}
