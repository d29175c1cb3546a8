// SPDX-License-Identifier: Apache-2.0

// Finds out who sends a request, and answers it with the API of that identity.

package import AccessRules
package import HTTPMessage
import ObjectGraph
import ObjectModel
import Predicates
import Synchronization

/// The access rules of a server, and the APIs of identities.
///
/// 1. Each request is answered by the API of its identity: what that API plans, reads, remembers and answers belongs to the
///    identity alone. An identity that administers has one that lacks passwords alone.
/// 2. A credential that isn't valid is refused everywhere except by the endpoints for everyone, also where a request
///    without a credential would be answered.
/// 3. An API is made by the first request of its identity. It is made again when the account's object, or what
///    `$USER.path` depends on, has changed, and when the rules were replaced. The roles of an account are those of its
///    object at the time of the request.
package final class AccessGuard: Sendable {
    /// A known API.
    final class Known: Sendable {
        let api: API
        /// The state of the entities that the API depends on.
        let counter: UInt64
        /// The number of the rules.
        let edition: Int
        private let use: Atomic<Int>

        init(_ api: API, counter: UInt64, edition: Int, use: Int) {
            self.api = api
            self.counter = counter
            self.edition = edition
            self.use = Atomic(use)
        }

        /// When it was last used, as a number that grows.
        var lastUse: Int { use.load(ordering: .relaxed) }

        func recordUse(_ number: Int) { use.store(number, ordering: .relaxed) }
    }

    struct State {
        var policy: AccessPolicy {
            didSet { anonymous = .anonymous(policy.identity.anonymousRole) }
        }
        /// The identity of requests without a credential.
        private(set) var anonymous: Identity
        var authenticator: any Authenticator
        var accounts: Accounts?
        /// Grows when the rules are replaced.
        var edition = 0
        var known: [Identity: Known] = [:]
        var uses = 0
        /// The roles of accounts, by their objects.
        var roles: [ManagedObjectID: KnownRoles] = [:]
        /// The accounts by the present rules, when they were first needed.
        var served: ServedAccounts??

        init(_ policy: AccessPolicy, authenticator: any Authenticator, accounts: Accounts?) {
            self.policy = policy
            self.authenticator = authenticator
            self.accounts = accounts
            anonymous = .anonymous(policy.identity.anonymousRole)
        }
    }

    /// The open streams of identities.
    let feeds = AdmittedFeeds()
    private let onRefusal: @Sendable (String, HTTPRequest) -> Void
    let state: Mutex<State>

    /// - Parameters:
    ///   - accounts: The accounts, if accounts can sign in.
    ///   - onRefusal: Called with the reason for which a credential was refused, for the log.
    package init(
        _ policy: AccessPolicy,
        authenticator: any Authenticator,
        accounts: Accounts? = nil,
        onRefusal: @escaping @Sendable (String, HTTPRequest) -> Void = { _, _ in }
    ) {
        state = Mutex(State(policy, authenticator: authenticator, accounts: accounts))
        self.onRefusal = onRefusal
    }

    package var policy: AccessPolicy { state.withLock(\.policy) }

    var accounts: Accounts? { state.withLock(\.accounts) }

    /// Replaces the rules. Requests that are being answered end by the former ones, and open streams end if the rules differ.
    func replace(by policy: AccessPolicy, authenticator: any Authenticator, accounts: Accounts?) {
        state.withLock { state in
            state.authenticator = authenticator
            state.accounts = accounts
            guard policy != state.policy else { return }
            state.policy = policy
            state.edition += 1
            state.known = [:]
            state.roles = [:]
            state.served = nil
        }
        feeds.checkSoon()
    }

    /// The rules with none of the APIs that were made: for another version of the model.
    func continued() -> AccessGuard {
        let (policy, authenticator, accounts) = state.withLock { ($0.policy, $0.authenticator, $0.accounts) }
        return AccessGuard(policy, authenticator: authenticator, accounts: accounts, onRefusal: onRefusal)
    }

    // MARK: Answers

    func respond(to request: HTTPRequest, in attempt: ShortAttempt?, of base: API) -> HTTPResponse {
        do throws(Problem) {
            guard let (identity, isRestricted) = try admitted(request, to: base) else { throw .busy }
            let signed = isRestricted ? request : request.signed(by: identity)
            let edition = state.withLock(\.edition)
            let api = try api(for: identity, isRestricted, of: base)
            var response = api.respondAsPermitted(
                to: signed,
                in: attempt,
                explainedBy: identity.isExplained ? base : nil
            )
            if case .feed(let start) = response.body {
                let place = try feeds.place(for: identity, sending: request, limit: api.access?.limits.live)
                let admission = Admission(of: request, as: identity, by: api, of: base, in: self, edition: edition)
                response.body = .feed { [feeds] feed in feeds.start(feed, at: place, of: admission, start) }
            }
            return response
        } catch {
            return base.finished(error.response, to: request, trace: RequestTrace(request))
        }
    }

    /// The answer from memory, or nil.
    func respondImmediately(to request: HTTPRequest, of base: API) -> HTTPResponse? {
        if request.target == "/healthz" { return base.respondAsPermitted(to: request, in: nil) }
        return knownAPI(for: request, of: base)?.respondImmediatelyAsPermitted(to: request)
    }

    /// The API for a request if it is made already and the request isn't refused.
    func knownAPI(for request: HTTPRequest, of base: API) -> API? {
        guard let admitted = try? admitted(request, to: base, reading: false) else { return nil }
        return known(admitted.identity, admitted.isRestricted, of: base)
    }

    /// The response to a request that is refused whatever its body is; nil for others.
    func refusal(of request: HTTPRequest, to base: API) -> HTTPResponse? {
        do throws(Problem) {
            _ = try admitted(request, to: base, reading: false)
            return nil
        } catch {
            return base.finished(error.response, to: request, trace: RequestTrace(request))
        }
    }

    /// The largest body that is received of a request; nil if the roles don't limit it, or aren't known. The limit is checked
    /// again when the request is answered.
    func bodyLimit(of request: HTTPRequest, to base: API) -> Int? {
        guard policy.limits.values.contains(where: { $0.bytes != nil }) else { return nil }
        return knownAPI(for: request, of: base)?.options.bodyLimit
    }

    // MARK: Identities

    /// The identity of a request, and whether rules restrict it.
    ///
    /// - Parameters:
    ///   - reading: Whether the account's object may be read.
    ///   - isReported: Whether a refused credential is one of a new request, for the log.
    /// - Returns: Nil if the object would have to be read.
    func admitted(
        _ request: HTTPRequest,
        to base: API,
        reading: Bool = true,
        isReported: Bool = true
    ) throws(Problem) -> (identity: Identity, isRestricted: Bool)? {
        let (policy, authenticator, anonymous) = state.withLock { ($0.policy, $0.authenticator, $0.anonymous) }
        // It is seldom needed, and costs more than the rest.
        func isForEveryone() -> Bool {
            base.endpoint(of: request)?.contract.admission == .everyone || base.isForPage(request)
        }
        let found: Identity?
        do throws(InvalidCredential) {
            found = try authenticator.identity(of: request)
        } catch {
            if isForEveryone() { return (anonymous, true) }
            if isReported { onRefusal(error.reason, request) }
            throw .invalidCredential.offeringBasic(to: request)
        }
        guard let found else {
            if policy.identity.anonymousRole == nil, !isForEveryone() {
                throw .unauthenticated("A credential is needed.").offeringBasic(to: request)
            }
            if !base.isInServedVersion(request), !isForEveryone() { throw .servedVersionOnly }
            return (anonymous, true)
        }
        if !base.isInServedVersion(request) { throw .servedVersionOnly }
        let resolved: Identity?
        do throws(Problem) {
            resolved = try self.resolved(found, of: base, reading: reading)
        } catch {
            if error.code == .unauthenticated, isForEveryone() {
                return (anonymous, true)
            }
            throw error
        }
        guard let resolved else { return nil }
        let administers = policy.administers(policy.closure(of: resolved.roles))
        guard let other = request.fields[.actAs] else { return (resolved, !administers) }
        guard administers else { throw .administration }
        guard
            let acted = try self.resolved(
                actingAs: other,
                by: resolved,
                explaining: request.prefersExplanation,
                in: base,
                reading: reading
            )
        else {
            return nil
        }
        return (acted, !policy.administers(policy.closure(of: acted.roles)))
    }
}

extension HTTPRequest {
    /// The request with its identity as the author of what it changes, unless it names another one.
    fileprivate func signed(by identity: Identity) -> HTTPRequest {
        guard method != .get, method != .head, !fields.contains(.author) else { return self }
        var request = self
        request.fields[.author] = identity.name
        return request
    }
}

extension FieldName {
    static let actAs: FieldName = "Act-As"
    static let author: FieldName = "X-Author"
}

extension Problem {
    static func unauthenticated(
        _ detail: String,
        hint: String = "Send “Authorization: Bearer” with a key or a token."
    ) -> Problem {
        var problem = Problem(.unauthenticated, detail, hint: hint)
        problem.fields = [.wwwAuthenticate: "Bearer"]
        return problem
    }

    static let invalidCredential = unauthenticated("The credential isn't valid.")

    /// The problem with Basic authentication as another choice. A page would get a dialog of the browser for its own requests,
    /// and a client that has sent a token doesn't have a key.
    fileprivate func offeringBasic(to request: HTTPRequest) -> Problem {
        let mode = request.fields["Sec-Fetch-Mode"]
        guard mode == nil || mode == "navigate",
            request.fields[.authorization]?.lowercased().hasPrefix("bearer") != true
        else { return self }
        var problem = self
        problem.fields[.wwwAuthenticate] = #"Bearer, Basic realm="outcrop", charset="UTF-8""#
        if request.fields[.authorization]?.lowercased().hasPrefix("basic") == true {
            problem.hint = "With Basic, the key is the password, and the name is any: curl -u NAME:KEY."
        }
        return problem
    }

    fileprivate static let servedVersionOnly = Problem(
        .modelVersion,
        "With access rules, only the served version of the model can be used.",
        hint: "Omit “Accept-Model”, or name the version in “Model-Version”."
    )
}
