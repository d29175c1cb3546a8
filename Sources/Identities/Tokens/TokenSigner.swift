// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import FoundationEssentials
package import JSON

/// Signs the tokens that a server issues itself.
///
///     let signer = TokenSigner(try SigningKey(generating: .es256), id: "1")
///     let token = try signer.token(["sub": "users/7"], now: .now, lasting: 900)
///     let verifier = TokenVerifier(settings, keys: [signer.verificationKey])
package struct TokenSigner: Sendable {
    private let key: SigningKey
    let id: String?

    /// - Parameter id: The `kid` of its tokens.
    package init(_ key: SigningKey, id: String? = nil) {
        self.key = key
        self.id = id
    }

    package var algorithm: SignatureAlgorithm { key.algorithm }

    /// The key that verifies its tokens.
    package var verificationKey: TokenKey { TokenKey(key.verificationKey, id: id) }

    /// A token with claims, `iat` and `exp`, whose times are in whole seconds.
    package func token(
        _ claims: JSONObject,
        now: Date,
        lasting seconds: Int
    ) throws(CryptographyError) -> String {
        var claims = claims
        let issued = Int(now.timeIntervalSince1970.rounded(.down))
        claims["iat"] = .integer(issued)
        claims["exp"] = .integer(issued + seconds)
        return try token(claims)
    }

    /// A token with exactly these claims.
    package func token(_ claims: JSONObject) throws(CryptographyError) -> String {
        var header: JSONObject = ["alg": .string(key.algorithm.rawValue), "typ": "JWT"]
        header["kid"] = id.map(JSONValue.string)
        let message = [header, claims].map { Base64.encode(JSONValue.object($0).serializedBytes()) }
            .joined(separator: ".")
        return message + "." + Base64.encode(try key.signature(of: Array(message.utf8)))
    }
}
