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
///    identity alone. An identity that administers uses the server's own API.
/// 2. A credential that isn't valid is refused everywhere except by the endpoints for everyone, also where a request
///    without a credential would be answered.
/// 3. An API is made by the first request of its identity. It is made again when the account's object, or what
///    `$USER.path` depends on, has changed, and when the rules were replaced.
package final class AccessGuard: Sendable {
    private struct Known: Sendable {
        let api: API
        /// The state of the entities that the API depends on.
        let counter: UInt64
        /// The number of the rules.
        let edition: Int
        /// When it was last used, as a number that grows.
        var use: Int
    }

    private struct State {
        var policy: AccessPolicy
        /// Grows when the rules are replaced.
        var edition = 0
        var known: [Identity: Known] = [:]
        var uses = 0
    }

    private let authenticator: any Authenticator
    private let onRefusal: @Sendable (String, HTTPRequest) -> Void
    private let state: Mutex<State>

    private static let limit = 1_000

    /// - Parameter onRefusal: Called with the reason for which a credential was refused, for the log.
    package init(
        _ policy: AccessPolicy,
        authenticator: any Authenticator,
        onRefusal: @escaping @Sendable (String, HTTPRequest) -> Void = { _, _ in }
    ) {
        state = Mutex(State(policy: policy))
        self.authenticator = authenticator
        self.onRefusal = onRefusal
    }

    package var policy: AccessPolicy { state.withLock(\.policy) }

    /// Replaces the rules. Requests that are being answered end by the former ones.
    func replace(by policy: AccessPolicy) {
        state.withLock { state in
            state.policy = policy
            state.edition += 1
            state.known = [:]
        }
    }

    /// The rules with none of the APIs that were made: for another version of the model.
    func continued() -> AccessGuard {
        AccessGuard(policy, authenticator: authenticator, onRefusal: onRefusal)
    }

    // MARK: Answers

    func respond(to request: HTTPRequest, in attempt: ShortAttempt?, of base: API) -> HTTPResponse {
        do throws(Problem) {
            let (identity, isRestricted) = try self.identity(of: request, to: base)
            guard isRestricted else { return base.respondAsPermitted(to: request.signed(by: identity), in: attempt) }
            if let api = known(identity, of: base) { return api.respondAsPermitted(to: request, in: attempt) }
            return try made(for: identity, of: base).respondAsPermitted(to: request, in: attempt)
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
        guard let (identity, isRestricted) = try? identity(of: request, to: base) else { return nil }
        return isRestricted ? known(identity, of: base) : base
    }

    /// The response to a request that is refused whatever its body is; nil for others.
    func refusal(of request: HTTPRequest, to base: API) -> HTTPResponse? {
        do throws(Problem) {
            _ = try self.identity(of: request, to: base)
            return nil
        } catch {
            return base.finished(error.response, to: request, trace: RequestTrace(request))
        }
    }

    // MARK: Identities

    private static let everyone = Identity(name: "anonymous", roles: [])

    /// The identity of a request, and whether rules restrict it.
    private func identity(
        of request: HTTPRequest,
        to base: API
    ) throws(Problem) -> (identity: Identity, isRestricted: Bool) {
        let policy = self.policy
        // It is seldom needed, and costs more than the rest.
        func isForEveryone() -> Bool {
            base.endpoint(of: request)?.contract.admission == .everyone || base.isForPage(request)
        }
        let found: Identity?
        do throws(InvalidCredential) {
            found = try authenticator.identity(of: request)
        } catch {
            if isForEveryone() { return (Self.everyone, true) }
            onRefusal(error.reason, request)
            throw .unauthenticated("The credential isn't valid.")
        }
        guard let found else {
            if let role = policy.identity.anonymousRole { return (Identity(name: "anonymous", roles: [role]), true) }
            if isForEveryone() { return (Self.everyone, true) }
            throw .unauthenticated("A credential is needed.")
        }
        if request.fields.contains(.acceptModel), !base.isInServedVersion(request) { throw .servedVersionOnly }
        let administers = policy.administers(policy.closure(of: found.roles))
        guard let other = request.fields[.actAs] else { return (found, !administers) }
        guard administers else { throw .administration }
        return (try acted(other, by: found), true)
    }

    /// The identity as which an administrator acts: `role=member`, or `role=member,editor`.
    private func acted(_ text: String, by administrator: Identity) throws(Problem) -> Identity {
        let prefix = "role="
        let names = text.dropFirst(prefix.count).split(separator: ",").map(String.init)
        guard text.hasPrefix(prefix), !names.isEmpty, names.allSatisfy({ policy.roles[$0] != nil }) else {
            throw Problem(
                .malformed,
                "“Act-As” must name roles.",
                hint: "Write “Act-As: role=…”. Roles: \(policy.roles.keys.sorted().joined(separator: ", "))."
            )
        }
        return Identity(name: "\(administrator.name) as \(text)", roles: Set(names))
    }

    // MARK: APIs

    private func known(_ identity: Identity, of base: API) -> API? {
        let known = state.withLock { state -> Known? in
            guard let known = state.known[identity], known.edition == state.edition,
                known.api.coordinator === base.coordinator
            else { return nil }
            state.uses += 1
            state.known[identity]?.use = state.uses
            return known
        }
        guard let known, let access = known.api.access,
            known.counter == base.coordinator.changeCounter(of: access.dependencies)
        else { return nil }
        return known.api
    }

    private func made(for identity: Identity, of base: API) throws(Problem) -> API {
        let api: API
        let counter: UInt64
        let (policy, edition) = state.withLock { ($0.policy, $0.edition) }
        do {
            let resolver = AccessResolver(policy: policy, identity: identity, api: base)
            counter = base.coordinator.changeCounter(of: resolver.dependencies)
            let access = try resolver.access()
            let names = try names(for: access, of: base, edition)
            api = API(viewing: base, as: names.catalogue, drafts: names.drafts, for: access)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw .failed(error)
        }
        state.withLock { state in
            if state.known.count >= Self.limit, let oldest = state.known.min(by: { $0.value.use < $1.value.use }) {
                state.known[oldest.key] = nil
            }
            state.uses += 1
            state.known[identity] = Known(api: api, counter: counter, edition: edition, use: state.uses)
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
    static func unauthenticated(_ detail: String) -> Problem {
        var problem = Problem(
            .unauthenticated,
            detail,
            hint: "Send “Authorization: Bearer” with a key or a token."
        )
        problem.fields = [.wwwAuthenticate: "Bearer"]
        return problem
    }

    fileprivate static let servedVersionOnly = Problem(
        .modelVersion,
        "With access rules, only the served version of the model can be used.",
        hint: "Omit “Accept-Model”, or name the version in “Model-Version”."
    )
}
