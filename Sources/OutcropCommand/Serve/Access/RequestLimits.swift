// SPDX-License-Identifier: Apache-2.0

// How many requests each identity may send.

import AccessRules
import HTTPMessage
import Identities
import RESTAPI
import Synchronization

/// Counts requests by identity, and those without one by the client's address. A refused credential is no identity, so
/// that guessing is limited, too.
final class RequestLimits: Sendable {
    private struct State {
        var authenticator: (any Authenticator)?
        var accounts: Accounts?
        var policy = AccessPolicy()
        var limiters: [RateLimit: RateLimiter] = [:]
    }

    /// What a request is counted by.
    private struct Account {
        let key: String
        let limit: RateLimit
    }

    private let state: Mutex<State>

    /// - Parameter authenticator: Finds identities; nil until it is known. Until then nothing is limited.
    init(_ authenticator: (any Authenticator)? = nil) { state = Mutex(State(authenticator: authenticator)) }

    /// Begins to count.
    ///
    /// - Parameter accounts: Has the roles of accounts.
    func start(with authenticator: any Authenticator, accounts: Accounts? = nil) {
        state.withLock { state in
            state.authenticator = authenticator
            state.accounts = accounts
        }
    }

    /// Uses the limits of other rules. What was counted by limits that remain stays.
    func use(_ policy: AccessPolicy) {
        state.withLock { state in
            state.policy = policy
            let limits = Set(policy.limits.values.compactMap(\.requests))
            state.limiters = state.limiters.filter { limits.contains($0.key) }
        }
    }

    /// Counts a request. Nil if it has no limit.
    func take(_ request: HTTPRequest, now: ContinuousClock.Instant) -> RateDecision? {
        decision(on: request) { limiter, key in limiter.take(key, now: now) }
    }

    /// What is left for the identity of a request. Nil if it has no limit.
    func left(for request: HTTPRequest, now: ContinuousClock.Instant) -> RateDecision? {
        decision(on: request) { limiter, key in limiter.state(of: key, now: now) }
    }

    private func decision(
        on request: HTTPRequest,
        _ decide: (inout RateLimiter, String) -> RateDecision
    ) -> RateDecision? {
        let limited = state.withLock { $0.policy.limits.isEmpty ? nil : ($0.policy, $0.authenticator) }
        guard let (policy, authenticator) = limited, let authenticator, !Self.exempt.contains(request.target),
            let account = account(of: request, policy, authenticator)
        else { return nil }
        return state.withLock { state in
            decide(&state.limiters[account.limit, default: RateLimiter(account.limit)], account.key)
        }
    }

    /// What others ask to find out whether the server is alive.
    private static let exempt: Set<String> = ["/healthz", "/readyz"]

    private func account(
        of request: HTTPRequest,
        _ policy: AccessPolicy,
        _ authenticator: any Authenticator
    ) -> Account? {
        if let identity = try? authenticator.identity(of: request) {
            return policy.limits(of: roles(of: identity, policy)).requests.map {
                Account(key: "identity \(identity.owner ?? identity.name)", limit: $0)
            }
        }
        guard let role = policy.identity.anonymousRole, let limit = policy.limits(of: [role]).requests else {
            return nil
        }
        return Account(key: "address \(ClientAddress.network(of: request.client))", limit: limit)
    }

    /// An account whose roles aren't known yet has the one of all accounts.
    private func roles(of identity: Identity, _ policy: AccessPolicy) -> Set<String> {
        guard identity.account != nil else { return identity.roles }
        let known = state.withLock(\.accounts)?.knownRoles(of: identity)
        return known ?? Set([policy.identity.accounts?.baseRole].compactMap(\.self))
    }
}
