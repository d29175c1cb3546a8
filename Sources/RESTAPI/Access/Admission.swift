// SPDX-License-Identifier: Apache-2.0

// Whether a request that opened a stream would be answered the same way now.

import AccessRules
import HTTPMessage
import ObjectGraph
import Synchronization

/// A request as it was admitted.
struct Admission: Sendable {
    /// Why a stream ends.
    enum End: Sendable {
        case invalidCredential
        case changedAccess

        /// The last event of the stream.
        var event: ServerSentEvent {
            switch self {
            case .invalidCredential: .end(.unauthenticated, "The credential isn't valid any more.")
            case .changedAccess: .end(.forbidden, "What may be read has changed. Connect again.")
            }
        }
    }

    /// What the permissions depend on. They are the same as long as this is.
    struct Stamp: Equatable, Sendable {
        let edition: Int
        let counter: UInt64
    }

    private let request: HTTPRequest
    private let identity: Identity
    /// Nil if the identity administers.
    private let access: Access?
    /// The number of the rules.
    private let edition: Int
    private let dependencies: [EntityDescription]
    let accessGuard: AccessGuard
    private weak let base: API?

    /// - Parameter api: The API of the identity.
    init(
        of request: HTTPRequest,
        as identity: Identity,
        by api: API,
        of base: API,
        in accessGuard: AccessGuard,
        edition: Int
    ) {
        self.request = HTTPRequest(
            request.method,
            request.target,
            fields: request.fields,
            client: request.client,
            isLocal: request.isLocal,
            security: request.security
        )
        self.identity = identity
        self.access = api.access
        self.edition = edition
        self.accessGuard = accessGuard
        self.base = base
        dependencies = (api.access?.dependencies ?? []) + (accessGuard.served(to: base)?.kinds ?? [])
    }

    /// Seconds between checks.
    var checkInterval: Duration { base?.options.admissionInterval ?? .zero }

    /// Changes whenever the permissions may have changed. It is known without reading.
    var stamp: Stamp {
        Stamp(
            edition: accessGuard.state.withLock(\.edition),
            counter: base?.coordinator.changeCounter(of: dependencies) ?? 0
        )
    }

    /// Why the request wouldn't be answered the same way now; nil if it would. It may read the account's object.
    func end() -> End? {
        guard let base, accessGuard.state.withLock(\.edition) == edition else { return .changedAccess }
        do throws(Problem) {
            guard let present = try accessGuard.admitted(request, to: base, isReported: false),
                present.identity == identity, present.isRestricted == (access != nil)
            else { return .changedAccess }
            guard let access else { return nil }
            let api = try accessGuard.api(for: identity, true, of: base)
            return api.access?.isEqual(to: access) == true ? nil : .changedAccess
        } catch {
            return error.code == .unauthenticated ? .invalidCredential : .changedAccess
        }
    }
}
