// SPDX-License-Identifier: Apache-2.0

import Cryptography
package import FoundationEssentials
package import JSON

/// Verifies JSON Web Tokens (RFC 7519).
///
///     let verifier = TokenVerifier(TokenSettings(algorithms: [.rs256], issuer: "https://id.example"), keys: keys)
///     let claims = try verifier.claims(of: credential.token, now: .now)
//
// 1. A token's `alg` only restricts: a key verifies by its own algorithm, and only tokens that name it.
// 2. No claim is read before the signature is verified.
// 3. Keys that a token brings along or refers to (`jwk`, `jku`, `x5c`, `x5u`) are never used.
package struct TokenVerifier: Sendable {
    package let settings: TokenSettings
    private let keys: any TokenKeySource

    /// How many keys are tried.
    private static let attempts = 8

    package init(_ settings: TokenSettings, keys: any TokenKeySource) {
        self.settings = settings
        self.keys = keys
    }

    /// The claims of a valid token.
    package func claims(of token: String, now: Date) throws(CredentialRefusal) -> JSONObject {
        let token = try SignedToken(token, maximumLength: settings.maximumLength)
        guard let algorithm = SignatureAlgorithm(rawValue: token.algorithm), settings.algorithms.contains(algorithm)
        else {
            throw CredentialRefusal(.wrongAlgorithm, "The token's “alg” isn't allowed.")
        }
        let fitting = keys.keys(id: token.keyID, now: now).filter { $0.algorithm == algorithm }
        guard !fitting.isEmpty else {
            throw CredentialRefusal(
                .unknownKey,
                token.keyID == nil ? "No key has the token's algorithm." : "No key has the token's “kid” and algorithm."
            )
        }
        guard fitting.prefix(Self.attempts).contains(where: { $0.key.verifies(token.signature, of: token.message) })
        else {
            throw CredentialRefusal(.badSignature, "The token's signature isn't valid.")
        }
        let claims = try token.claims()
        try checkTimes(claims, now: now.timeIntervalSince1970)
        try checkParties(claims)
        return claims
    }

    private func checkTimes(_ claims: JSONObject, now: Double) throws(CredentialRefusal) {
        func time(_ name: String) throws(CredentialRefusal) -> Double? {
            guard let value = claims[name] else { return nil }
            guard let time = value.double, time.isFinite else {
                throw CredentialRefusal(.malformed, "The token's “\(name)” isn't a number of seconds.")
            }
            return time
        }
        guard let expiry = try time("exp") else {
            throw CredentialRefusal(.malformed, "The token has no “exp”, and would never expire.")
        }
        guard now < expiry + settings.leeway else { throw CredentialRefusal(.expired, "The token has expired.") }
        if let start = try time("nbf"), now + settings.leeway < start {
            throw CredentialRefusal(.notYetValid, "The token isn't valid yet.")
        }
        if let issued = try time("iat"), now + settings.leeway < issued {
            throw CredentialRefusal(.notYetValid, "The token was issued in the future.")
        }
    }

    private func checkParties(_ claims: JSONObject) throws(CredentialRefusal) {
        if let issuer = settings.issuer {
            guard let text = claims["iss"]?.string, text.utf8.elementsEqual(issuer.utf8) else {
                throw CredentialRefusal(.wrongIssuer, "The token isn't of the expected issuer.")
            }
        }
        guard !settings.audiences.isEmpty else { return }
        let audiences = claims["aud"].map { value in
            value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        }
        let isMeant = (audiences ?? []).contains { audience in
            settings.audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
        }
        guard isMeant else { throw CredentialRefusal(.wrongAudience, "The token is for another audience.") }
    }
}
