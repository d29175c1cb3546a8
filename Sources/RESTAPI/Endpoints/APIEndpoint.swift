// SPDX-License-Identifier: Apache-2.0

// The endpoints of the API, declared once for each method of each path.

import HTTPMessage
import Identities

/// A method, a path pattern, and how requests to it are planned, counted, limited and described.
///
/// The tables are in `APIEndpoint+Objects.swift`, `+Contexts` and `+Server`. All that depends on a request's path is
/// derived from them:
///
/// 1. A path belongs to the first pattern that it matches: `/api/{entity}/fetch` precedes `/api/{entity}/{key}`.
/// 2. `Allow` and the names that entities can't have are derived from the patterns.
/// 3. A query may only have the declared parameters. Plans needn't refuse others, except those of endpoints that accept
///    any name.
/// 4. A plan may only use the parts of a path that its pattern has in braces.
/// 5. The OpenAPI document is the table, written for each entity, property and query of the model.
struct APIEndpoint: Sendable {
    typealias Planning = @Sendable (APIRequest, API) throws -> Plan

    let method: HTTPMethod
    let pattern: PathPattern
    /// The `operationId`, with braces as in the pattern.
    let name: String
    /// A summary. A different one for editing contexts follows a bar.
    let summary: String
    /// The name in the statistics, or nil.
    let operation: Operation?
    let contract: Contract
    let effect: Contract.Effect
    let plan: Planning

    /// - Parameter line: The method, pattern, name and summary: `GET /api/{entity} fetch{entity}: Fetch objects`.
    init(_ line: String, _ contract: Contract, counts operation: Operation? = nil, plan: @escaping Planning) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        method = HTTPMethod(words[0])
        pattern = PathPattern(words[1])
        name = String(words[2].dropLast())
        summary = words[3]
        self.operation = operation
        self.contract = contract
        effect = contract.changes ?? (method == .get ? .nothing : .stores)
        self.plan = plan
    }

    /// Whether the answer is stored for an `Idempotency-Key`.
    var isRepeatable: Bool { method == .post && effect != .nothing && contract.presence != .withAccounts }

    /// What a request does with objects of the path's entity.
    var verb: AccessVerb {
        if effect == .nothing { return .read }
        if pattern.propertySegment != nil { return .update }
        return switch contract.insteadOf?.method ?? method {
        case .post: .create
        case .delete: .delete
        default: .update
        }
    }

    var isOfHooks: Bool { pattern.segments.starts(with: ["api", "hooks"]) }

    /// Refuses query parameters that aren't declared.
    func checkParameters(of request: APIRequest, in api: API) throws(Problem) {
        let known = contract.parameters.filter { !$0.isExcludedFromContexts || !api.isOfContext }
        guard !known.contains(where: \.acceptsAnyName) else { return }
        let names = known.filter { $0.place == .query }.map(\.name)
        var others = request.parameters
        others.drop(Set(names))
        if names.contains("arg") { others.drop(Set(others.names.filter { $0.hasPrefix("$") })) }
        try others.refuseUnread(knowing: names)
    }
}

/// The endpoints with the same pattern.
struct EndpointPath: Sendable {
    let pattern: PathPattern
    private(set) var endpoints: [APIEndpoint] = []

    static let all = APIEndpoint.areas.flatMap { grouped($0.endpoints) } + [below]
    static let inContexts = APIEndpoint.areasInContexts.flatMap { grouped($0.endpoints) }
    /// Matches every path below an editing context; the rest is matched with `inContexts`.
    private static let below = EndpointPath(pattern: PathPattern("/api/contexts/{context}/{...}"))

    static func grouped(_ endpoints: [APIEndpoint]) -> [EndpointPath] {
        endpoints.reduce(into: []) { paths, endpoint in
            if paths.last?.pattern != endpoint.pattern { paths.append(EndpointPath(pattern: endpoint.pattern)) }
            paths[paths.count - 1].endpoints.append(endpoint)
        }
    }

    var isBelowContext: Bool { pattern == Self.below.pattern }

    var presence: Contract.Presence { endpoints.first?.contract.presence ?? .always }

    /// The endpoint for a method, or nil. `HEAD` uses that of `GET`.
    func endpoint(for method: HTTPMethod) -> APIEndpoint? {
        endpoints.first { $0.method == (method == .head ? .get : method) }
    }

    /// - Parameter isReadOnly: Whether to omit methods that change something.
    func methods(isReadOnly: Bool = false) -> [HTTPMethod] {
        let allowed = endpoints.filter { !isReadOnly || $0.effect == .nothing || $0.effect == .sessions }
        return allowed.flatMap { $0.method == .get ? [.get, .head] : [$0.method] } + [.options]
    }

    /// The batch endpoint below this path that does for many objects what the method does for one, or nil.
    func alternative(to method: HTTPMethod) -> APIEndpoint? {
        Self.all.lazy.flatMap(\.endpoints).first { endpoint in
            endpoint.contract.insteadOf?.method == method
                && endpoint.pattern.segments.dropLast() == pattern.segments[...]
        }
    }
}
