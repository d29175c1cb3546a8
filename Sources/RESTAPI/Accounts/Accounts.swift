// SPDX-License-Identifier: Apache-2.0

package import Cryptography
package import FoundationEssentials
import HTTPMessage
package import Identities
import JSON
import Synchronization

/// What the accounts of a server need besides its stores: the key of their tokens, and their sessions.
///
///     let accounts = try Accounts(key: AccountKey(besides: store), sessions: sessions, onMessage: delivery.deliver)
///     let authenticator = AccountAuthenticator(accounts, otherwise: keysAndTokens)
///     let accessGuard = AccessGuard(policy, authenticator: authenticator, accounts: accounts)
package final class Accounts: Sendable {
    let sessions: AccountSessions
    let tokens: AccountTokens
    let passwords: AccountPasswords
    let signIns: AccountThrottle
    let signUps: AccountThrottle
    let messages: AccountThrottle
    let onMessage: @Sendable (AccountMessage) -> Void
    let now: @Sendable () -> Date
    /// By the URIs of accounts, as they were last read.
    private let roles = Mutex<[String: Set<String>]>([:])

    private static let roleLimit = 10_000

    /// - Parameters:
    ///   - cost: What a guess of a password costs.
    ///   - onMessage: Called with each message to an account, if the access file has `messages`. It must return at once, since
    ///     the time of a request must not tell whether there is an account.
    package init(
        key: AccountKey,
        sessions: AccountSessions,
        cost: PasswordHash.Cost = .standard,
        now: @escaping @Sendable () -> Date = { .now },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onMessage: @escaping @Sendable (AccountMessage) -> Void = { _ in }
    ) throws(CryptographyError) {
        self.sessions = sessions
        self.now = now
        self.onMessage = onMessage
        tokens = try AccountTokens(key)
        passwords = try AccountPasswords(cost: cost)
        signIns = AccountThrottle(clock: clock)
        signUps = AccountThrottle(clock: clock)
        messages = AccountThrottle(clock: clock)
    }

    /// The roles of an identity's account when they were last read; nil if they aren't known. Nothing is read for it, so that
    /// requests can be counted before they are answered. Nothing is permitted by them.
    package func knownRoles(of identity: Identity) -> Set<String>? {
        identity.account.flatMap { account in roles.withLock { $0[account] } }
    }

    func record(_ roles: Set<String>, of account: String) {
        self.roles.withLock { all in
            if all.count >= Self.roleLimit { all = [:] }
            all[account] = roles
        }
    }

    /// The session of a request's access token; nil if the request has no token of an account.
    func session(of fields: HeaderFields) throws(CredentialRefusal) -> (session: AccountSession, name: String)? {
        guard let credential = try? Credential(in: fields), tokens.areSigned(credential.token) else { return nil }
        let claims = try tokens.claims(of: credential.token, for: .access, now: now())
        guard let id = claims["sid"]?.string, let name = claims["sub"]?.string,
            let session = sessions.session(id, now: now())
        else {
            throw CredentialRefusal(.expired, "The session of the token has ended.")
        }
        return (session, name)
    }
}
