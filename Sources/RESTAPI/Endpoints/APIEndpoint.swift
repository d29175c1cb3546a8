// SPDX-License-Identifier: Apache-2.0

// What can be asked of the API: one declaration for each method of each path.

import HTTPMessage

/// A method, a pattern of paths, and all that is known of the requests there: how they are planned, counted, limited and described.
///
/// The tables are in `APIEndpoint+Objects.swift`, `+Contexts` and `+Server`. Everything that depends on where a request goes is read
/// from them:
///
/// 1. A path belongs to the first pattern that it matches: `/api/{entity}/fetch` stands before `/api/{entity}/{key}`.
/// 2. `Allow` and the names that no entity may have follow from the patterns.
/// 3. A query has no parameters but the declared ones. Plans read their values and needn't refuse others.
/// 4. A plan takes from the path only what its pattern has in braces.
/// 5. The OpenAPI document is the table, written for each entity, property and query of the model.
struct APIEndpoint: Sendable {
    typealias Planning = @Sendable (APIRequest, API) throws -> Plan

    let method: HTTPMethod
    let pattern: PathPattern
    /// Its `operationId`, with braces as in the pattern.
    let name: String
    /// What it does, and behind a bar what it does in an editing context where that is something else.
    let summary: String
    /// The name under which it is counted, or nil.
    let operation: Operation?
    let contract: Contract
    let effect: Contract.Effect
    let plan: Planning

    /// - Parameter line: The method, the pattern, the name and the summary: `GET /api/{entity} fetch{entity}: Fetch objects`.
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

    /// Whether its answer is kept under an `Idempotency-Key`.
    var isRepeatable: Bool { method == .post && effect != .nothing }

    /// Refuses parameters of a query that aren't declared.
    func checkParameters(of request: APIRequest, in api: API) throws(Problem) {
        let known = contract.takes.filter { !$0.isOfStores || !api.isOfContext }
        guard !known.contains(where: \.hasAnyName) else { return }
        let names = known.filter { $0.place == .query }.map(\.name)
        var others = request.parameters
        others.drop(Set(names))
        if names.contains("arg") { others.drop(Set(others.names.filter { $0.hasPrefix("$") })) }
        try others.refuseOthers(knowing: names)
    }
}

/// The endpoints of one pattern.
struct EndpointPath: Sendable {
    let pattern: PathPattern
    private(set) var endpoints: [APIEndpoint] = []

    static let all = APIEndpoint.areas.flatMap { grouped($0.endpoints) } + [below] + grouped(APIEndpoint.unbuilt)
    static let inContexts = APIEndpoint.areasInContexts.flatMap { grouped($0.endpoints) }
    /// All that is below an editing context: what is there is found in `inContexts`.
    private static let below = EndpointPath(pattern: PathPattern("/api/contexts/{context}/{...}"))

    static func grouped(_ endpoints: [APIEndpoint]) -> [EndpointPath] {
        endpoints.reduce(into: []) { paths, endpoint in
            if paths.last?.pattern != endpoint.pattern { paths.append(EndpointPath(pattern: endpoint.pattern)) }
            paths[paths.count - 1].endpoints.append(endpoint)
        }
    }

    var isBelowContext: Bool { pattern == Self.below.pattern }

    /// The endpoint of a method, or nil. `HEAD` does what `GET` does.
    func endpoint(for method: HTTPMethod) -> APIEndpoint? {
        endpoints.first { $0.method == (method == .head ? .get : method) }
    }

    /// - Parameter isReadOnly: Whether nothing may be changed.
    func methods(isReadOnly: Bool = false) -> [HTTPMethod] {
        let allowed = endpoints.filter { !isReadOnly || $0.effect == .nothing }
        return allowed.flatMap { $0.method == .get ? [.get, .head] : [$0.method] } + [.options]
    }

    /// The endpoint that does to many objects what a method would do here, or nil.
    func alternative(to method: HTTPMethod) -> APIEndpoint? {
        Self.all.lazy.flatMap(\.endpoints).first { endpoint in
            endpoint.contract.insteadOf?.method == method
                && endpoint.pattern.segments.dropLast() == pattern.segments[...]
        }
    }
}
