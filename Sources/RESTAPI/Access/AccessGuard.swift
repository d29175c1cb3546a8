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
///    identity alone. An identity that administers uses the server's own API, or one that only lacks passwords.
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
        /// When it was last used, as a number that grows.
        fileprivate let use: Atomic<Int>

        fileprivate init(_ api: API, counter: UInt64, edition: Int, use: Int) {
            self.api = api
            self.counter = counter
            self.edition = edition
            self.use = Atomic(use)
        }

        fileprivate var lastUse: Int { use.load(ordering: .relaxed) }
    }

    struct State {
        var policy: AccessPolicy {
            didSet { anonymous = .anonymous(policy.identity.anonymousRole) }
        }
        /// The identity of requests without a credential.
        fileprivate var anonymous: Identity
        /// Grows when the rules are replaced.
        var edition = 0
        var known: [Identity: Known] = [:]
        fileprivate var uses = 0
        /// The roles of accounts, by their objects.
        var roles: [ManagedObjectID: KnownRoles] = [:]
        /// The accounts by the present rules, when they were first needed.
        var served: ServedAccounts??

        fileprivate init(_ policy: AccessPolicy) {
            self.policy = policy
            anonymous = .anonymous(policy.identity.anonymousRole)
        }
    }

    let accounts: Accounts?
    private let authenticator: any Authenticator
    private let onRefusal: @Sendable (String, HTTPRequest) -> Void
    let state: Mutex<State>

    private static let limit = 1_000

    /// - Parameters:
    ///   - accounts: The accounts, if accounts can sign in.
    ///   - onRefusal: Called with the reason for which a credential was refused, for the log.
    package init(
        _ policy: AccessPolicy,
        authenticator: any Authenticator,
        accounts: Accounts? = nil,
        onRefusal: @escaping @Sendable (String, HTTPRequest) -> Void = { _, _ in }
    ) {
        state = Mutex(State(policy))
        self.authenticator = authenticator
        self.accounts = accounts
        self.onRefusal = onRefusal
    }

    package var policy: AccessPolicy { state.withLock(\.policy) }

    /// Replaces the rules. Requests that are being answered end by the former ones.
    func replace(by policy: AccessPolicy) {
        state.withLock { state in
            state.policy = policy
            state.edition += 1
            state.known = [:]
            state.roles = [:]
            state.served = nil
        }
    }

    /// The rules with none of the APIs that were made: for another version of the model.
    func continued() -> AccessGuard {
        AccessGuard(policy, authenticator: authenticator, accounts: accounts, onRefusal: onRefusal)
    }

    // MARK: Answers

    func respond(to request: HTTPRequest, in attempt: ShortAttempt?, of base: API) -> HTTPResponse {
        do throws(Problem) {
            guard let (identity, isRestricted) = try admitted(request, to: base) else { throw .busy }
            let request = isRestricted ? request : request.signed(by: identity)
            return try api(for: identity, isRestricted, of: base)
                .respondAsPermitted(to: request, in: attempt, explainedBy: identity.isExplained ? base : nil)
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

    // MARK: Identities

    /// The identity of a request, and whether rules restrict it.
    ///
    /// - Parameter reading: Whether the account's object may be read.
    /// - Returns: Nil if the object would have to be read.
    private func admitted(
        _ request: HTTPRequest,
        to base: API,
        reading: Bool = true
    ) throws(Problem) -> (identity: Identity, isRestricted: Bool)? {
        let (policy, anonymous) = state.withLock { ($0.policy, $0.anonymous) }
        // It is seldom needed, and costs more than the rest.
        func isForEveryone() -> Bool {
            base.endpoint(of: request)?.contract.admission == .everyone || base.isForPage(request)
        }
        let found: Identity?
        do throws(InvalidCredential) {
            found = try authenticator.identity(of: request)
        } catch {
            if isForEveryone() { return (anonymous, true) }
            onRefusal(error.reason, request)
            throw .invalidCredential
        }
        guard let found else {
            if policy.identity.anonymousRole != nil || isForEveryone() {
                return (anonymous, true)
            }
            throw .unauthenticated("A credential is needed.")
        }
        if request.fields.contains(.acceptModel), !base.isInServedVersion(request) { throw .servedVersionOnly }
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
        let named = try acted(other, by: resolved, explaining: request.prefersExplanation, in: base)
        guard let acted = try self.resolved(named, of: base, reading: reading) else { return nil }
        return (acted, !policy.administers(policy.closure(of: acted.roles)))
    }

    // MARK: APIs

    /// The API for requests of an identity.
    func api(for identity: Identity, of base: API) throws(Problem) -> API {
        guard let resolved = try resolved(identity, of: base) else { throw .busy }
        let isRestricted = !policy.administers(policy.closure(of: resolved.roles))
        return try api(for: resolved, isRestricted, of: base)
    }

    private func api(for identity: Identity, _ isRestricted: Bool, of base: API) throws(Problem) -> API {
        if let known = known(identity, isRestricted, of: base) { return known }
        return try made(for: identity, isRestricted, of: base)
    }

    private func known(_ identity: Identity, _ isRestricted: Bool, of base: API) -> API? {
        if !isRestricted, policy.identity.accounts == nil { return base }
        let known = state.withLock { state -> Known? in
            guard let known = state.known[identity], known.edition == state.edition,
                known.api.coordinator === base.coordinator, (known.api.access != nil) == isRestricted
            else { return nil }
            state.uses += 1
            known.use.store(state.uses, ordering: .relaxed)
            return known
        }
        guard let known, known.counter == base.coordinator.changeCounter(of: known.api.access?.dependencies ?? [])
        else {
            return nil
        }
        return known.api
    }

    private func made(for identity: Identity, _ isRestricted: Bool, of base: API) throws(Problem) -> API {
        let api: API
        var counter: UInt64 = 0
        let (policy, edition) = state.withLock { ($0.policy, $0.edition) }
        let accounts = served(to: base)
        do {
            if isRestricted {
                let resolver = AccessResolver(policy: policy, identity: identity, api: base)
                counter = base.coordinator.changeCounter(of: resolver.dependencies)
                let access = try resolver.access()
                let (catalogue, drafts) = try names(for: access, of: base, edition)
                api = API(viewing: base, as: catalogue, drafts: drafts, for: access, accounts: accounts)
            } else {
                api = try administration(of: base, for: identity, accounts, policy, edition)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
        state.withLock { state in
            if state.known.count >= Self.limit,
                let oldest = state.known.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.known[oldest.key] = nil
            }
            state.uses += 1
            state.known[identity] = Known(api, counter: counter, edition: edition, use: state.uses)
        }
        return api
    }

    /// The names that an identity knows. Identities with the same roles share them.
    private func names(
        for access: Access,
        of base: API,
        _ edition: Int
    ) throws -> (catalogue: Catalogue, drafts: Catalogue?) {
        if access.knowsWholeModel { return (base.catalogue, nil) }
        let same = state.withLock { state in
            state.known.values.lazy.filter { $0.edition == edition }.map(\.api).first { api in
                guard let other = api.access, api.coordinator === base.coordinator else { return false }
                return other.roles == access.roles && other.identity.grants == access.identity.grants
            }
        }
        if let same { return (same.catalogue, same.drafts) }
        let visible = try ManagedObjectModel(access.visibleModel())
        let mapping = ShapeMapping(of: base.catalogue.model.model, showing: visible.model)
        let view = ModelView(mapping, of: base.catalogue.model, in: visible, isOfIdentity: true)
        return (
            try Catalogue(view, migrationCount: base.coordinator.migrationCount),
            try Catalogue(view, includesTransients: true)
        )
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

    fileprivate static let servedVersionOnly = Problem(
        .modelVersion,
        "With access rules, only the served version of the model can be used.",
        hint: "Omit “Accept-Model”, or name the version in “Model-Version”."
    )
}
