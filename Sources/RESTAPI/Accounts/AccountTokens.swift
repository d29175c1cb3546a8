// SPDX-License-Identifier: Apache-2.0

// The signed tokens of accounts.

import Cryptography
import FoundationEssentials
import Identities
import JSON

/// Issues and verifies tokens.
///
/// 1. A token is for one purpose, its `aud`.
/// 2. A token that is valid once has a code of the state that its use changes: of the password's hash, or the name.
struct AccountTokens: Sendable {
    enum Purpose: String, CaseIterable, Sendable {
        case access
        case reset
        case verify
    }

    /// Of an access token, in seconds.
    private static let accessLifetime = 900

    private let key: AccountKey
    private let signer: TokenSigner

    init(_ key: AccountKey) throws(CryptographyError) {
        self.key = key
        signer = try key.signer
    }

    /// Whether a token says that it is one of these. Others are none of the accounts' concern.
    func areSigned(_ token: String) -> Bool { signer.isNamed(by: token) }

    /// - Parameter lifetime: In seconds.
    func make(
        _ claims: JSONObject,
        for purpose: Purpose,
        lasting lifetime: Int = accessLifetime,
        now: Date
    ) throws(CryptographyError) -> (token: String, expires: Date) {
        var claims = claims
        claims["aud"] = .string(purpose.rawValue)
        let issued = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        return (try signer.token(claims, now: now, lasting: lifetime), issued + TimeInterval(lifetime))
    }

    func claims(of token: String, for purpose: Purpose, now: Date) throws(CredentialRefusal) -> JSONObject {
        let settings = TokenSettings(algorithms: [.hs256], audiences: [purpose.rawValue], leeway: 0)
        guard areSigned(token) else {
            throw CredentialRefusal(.unknownKey, "The token isn't signed with the key of the accounts.")
        }
        return try TokenVerifier(settings, keys: [signer.verificationKey]).claims(of: token, now: now)
    }

    /// A token that is valid until a state of the account changes.
    ///
    /// - Parameter account: The URI of the account's object.
    func make(
        once purpose: Purpose,
        account: String,
        state: String,
        lasting lifetime: Int,
        now: Date
    ) throws(CryptographyError) -> (token: String, expires: Date) {
        let code = code(of: state, account: account, for: purpose)
        return try make(["sub": .string(account), "state": .string(code)], for: purpose, lasting: lifetime, now: now)
    }

    /// The code of a state, which doesn't reveal it.
    func code(of state: String, account: String, for purpose: Purpose) -> String {
        key.code(of: state, for: "\(purpose.rawValue) \(account)")
    }
}
