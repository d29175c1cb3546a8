// SPDX-License-Identifier: Apache-2.0

// Finds out who sends the requests of a server: by API keys, tokens and certificates.

import AccessRules
import Cryptography
import FoundationEssentials
import HTTPMessage
import Identities
import JSON
import RESTAPI
import SourceText
import Synchronization

/// The identities of a server's requests.
///
/// 1. Nothing is read to answer a request, except a changed file of API keys, so that a new key counts at once.
///    `IdentityUpkeep` reads other files and URLs again.
/// 2. A verified token isn't verified again until it expires, the keys change, or the access file is read again.
/// 3. A token that is refused isn't verified again within a second.
final class ServedIdentities: Authenticator {
    /// What the access file says of identities.
    struct Settings: Sendable {
        /// The names of known roles. Others, in keys and tokens, are ignored.
        var roles: Set<String> = []
        var tokens: ServedTokens?
        /// The roles of clients with a certificate, by its subject.
        var certificates: [String: Set<String>] = [:]
    }

    private struct State {
        var settings: Settings
        /// Grows when the settings are replaced.
        var edition = 0
        /// The IDs of keys whose unknown roles were reported.
        var reported: Set<String> = []
        var verified = RecentTokens<Identity>(capacity: 10_000)
        var refused = RecentTokens<CredentialRefusal>(capacity: 10_000)
    }

    /// The API keys; nil if no store has a file.
    let keys: KeyRing?
    /// Called with a key and the known roles when a later key that has others is first used.
    private let onUnknownRoles: @Sendable (_ key: APIKey, _ known: Set<String>) -> Void
    private let state: Mutex<State>

    private static let refusalTime: TimeInterval = 1
    private static let longestSubject = 200
    private static let reportLimit = 20_000

    init(
        _ settings: Settings,
        keys: KeyRing?,
        onUnknownRoles: @escaping @Sendable (_ key: APIKey, _ known: Set<String>) -> Void = { _, _ in }
    ) {
        self.keys = keys
        self.onUnknownRoles = onUnknownRoles
        state = Mutex(State(settings: settings))
    }

    var tokens: ServedTokens? { state.withLock(\.settings.tokens) }

    /// Uses other settings from now on. The caller reports the present keys with unknown roles.
    func use(_ settings: Settings) {
        let present = Set(keys?.keys.map(\.id) ?? [])
        state.withLock { $0 = State(settings: settings, edition: $0.edition + 1, reported: present) }
    }

    func identity(of request: HTTPRequest) throws(InvalidCredential) -> Identity? {
        do throws(CredentialRefusal) {
            guard let credential = try Credential(in: request.fields) else { return certified(request) }
            return try identity(of: credential, now: .now)
        } catch {
            throw InvalidCredential(error.message)
        }
    }

    /// The identity of a client that has shown a valid certificate, if the access file has its subject.
    private func certified(_ request: HTTPRequest) -> Identity? {
        guard let subject = request.security?.clientSubject,
            let roles = state.withLock({ $0.settings.certificates[subject] })
        else { return nil }
        return Identity(name: "certificate:\(subject)", roles: roles, subject: "certificate:\(subject)")
    }

    private func identity(of credential: Credential, now: Date) throws(CredentialRefusal) -> Identity {
        if credential.token.hasPrefix(KeySecret.prefix) {
            guard let keys else { throw CredentialRefusal(.unknownKey, "The server has no API keys.") }
            let key = try keys.key(of: credential.token, now: now)
            let known = state.withLock(\.settings.roles)
            let roles = known.intersection(key.roles)
            if !known.isSuperset(of: key.roles) { reportOnce(key, known) }
            // Another key may get the same name later.
            return Identity(name: "key:\(key.label)", roles: roles, grants: key.grants, subject: "key:\(key.id)")
        }
        guard credential.name == nil else {
            throw CredentialRefusal(.unknownKey, "The password of Basic authentication isn't an API key.")
        }
        return try identity(ofToken: credential.token, now: now)
    }

    private func reportOnce(_ key: APIKey, _ known: Set<String>) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.reportLimit { state.reported = [] }
            return state.reported.insert(key.id).inserted
        }
        if isNew { onUnknownRoles(key, known) }
    }

    private func identity(ofToken token: String, now: Date) throws(CredentialRefusal) -> Identity {
        let hash = SHA256.digest(of: Array(token.utf8))
        let (settings, edition, version, known) = state.withLock { state in
            // The version is taken before the keys are used, so that a result of former keys isn't kept as one of these.
            let version = state.settings.tokens?.version ?? 0
            let known = Self.known(hash, in: &state, version: version, now: now)
            return (state.settings, state.edition, version, known)
        }
        if let known { return try known.get() }
        guard let tokens = settings.tokens else {
            throw CredentialRefusal(.unknownKey, "The credential is no API key, and the server accepts no tokens.")
        }
        do throws(CredentialRefusal) {
            let claims = try tokens.claims(of: token, now: now)
            let identity = Identity(
                name: Self.name(of: claims),
                roles: settings.roles.intersection(tokens.roles(in: claims)),
                claims: Self.claimsOfSender(claims),
                subject: Self.subject(of: claims)
            )
            keep(edition) { state in
                state.verified.insert(identity, of: hash, version: version, until: tokens.end(of: claims), now: now)
            }
            return identity
        } catch {
            keep(edition) { state in
                let end = now.addingTimeInterval(Self.refusalTime)
                state.refused.insert(error, of: hash, version: version, until: end, now: now)
            }
            throw error
        }
    }

    private static func known(
        _ hash: [UInt8],
        in state: inout State,
        version: Int,
        now: Date
    ) -> Result<Identity, CredentialRefusal>? {
        if let identity = state.verified.result(of: hash, version: version, now: now) { return .success(identity) }
        return state.refused.result(of: hash, version: version, now: now).map { .failure($0) }
    }

    /// Keeps a result, unless the settings that it was found by were replaced.
    private func keep(_ edition: Int, _ insert: (inout State) -> Void) {
        state.withLock { state in
            guard state.edition == edition else { return }
            insert(&state)
        }
    }

    /// `token:anna`
    private static func name(of claims: JSONObject) -> String {
        "token:" + String(text(of: claims["sub"]).prefix(longestSubject)).printable()
    }

    /// What is the same in all tokens of a sender, so that they have one identity.
    private static func claimsOfSender(_ claims: JSONObject) -> JSONObject {
        var claims = claims
        for name in AccessVariable.tokenClaims { claims[name] = nil }
        return claims
    }

    /// The issuer and its name for the sender; nil if the token has none.
    private static func subject(of claims: JSONObject) -> String? {
        let subject = text(of: claims["sub"])
        guard !subject.isEmpty else { return nil }
        return "token:" + JSONValue.array([.string(text(of: claims["iss"])), .string(subject)]).serialized()
    }

    private static func text(of claim: JSONValue?) -> String { claim?.string ?? claim?.int64.map { "\($0)" } ?? "" }
}
