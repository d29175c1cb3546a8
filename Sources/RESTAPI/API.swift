// SPDX-License-Identifier: Apache-2.0

// The API turns a request into a response in four steps: parse, plan, execute, render.

package import HTTPMessage
import JSON
package import ObjectGraph
package import ObjectModel
import Synchronization

/// Serves a model and its stores as resources.
///
///     let api = try API(coordinator)
///     let response = api.respond(to: HTTPRequest(.get, "/api/posts/42"))
package final class API: Sendable {
    let parts: APIParts
    /// The OpenAPI document, made on first use.
    let described = Mutex<StoredDocument?>(nil)
    let listDependencies = ListDependencyCache()
    /// The plans of recent fetches; nil within an editing context, where names of new objects change their meaning.
    let fetchPlans: FetchPlanCache?

    init(_ parts: APIParts) {
        self.parts = parts
        fetchPlans = parts.keepsPlans ? FetchPlanCache() : nil
    }

    /// Throws if names of the model are ambiguous in paths.
    ///
    /// - Parameters:
    ///   - onFailure: Called with unexpected failures, for a log, on the thread that answers the request.
    ///   - modelChanger: Changes the model of the server, if requests may do that.
    ///   - hooks: The server's hooks, which are started with this API or continue with it.
    ///   - accessGuard: The access rules, if there are any.
    package convenience init(
        _ coordinator: PersistentStoreCoordinator,
        options: APIOptions = APIOptions(),
        pages: (any Pages)? = nil,
        onFailure: @escaping @Sendable (APIFailure) -> Void = { _ in },
        modelChanger: ModelChanger? = nil,
        hooks: Hooks? = nil,
        accessGuard: AccessGuard? = nil
    ) throws(CatalogueProblems) {
        self.init(
            try APIParts(
                coordinator,
                options,
                pages: pages,
                statistics: RequestStatistics(),
                modelChanger: modelChanger,
                hooks: hooks,
                accessGuard: accessGuard,
                onFailure: onFailure
            )
        )
    }

    /// An API of another version of the model that continues this one, with its counters. Clients of the former version go
    /// on if the new one permits it.
    ///
    /// - Parameter known: Versions of the model that clients may name, besides those that this API knows.
    package func continued(
        by coordinator: PersistentStoreCoordinator,
        knowing known: [ModelVersion] = []
    ) throws(CatalogueProblems) -> API {
        var options = options
        options.modelVersions = (versions?.all ?? []) + known
        let next = API(
            try APIParts(
                coordinator,
                options,
                pages: pages,
                statistics: statistics,
                modelChanger: modelChanger,
                hooks: hooks,
                accessGuard: accessGuard?.continued(),
                onFailure: onFailure
            )
        )
        hooks?.attach(next)
        return next
    }

    /// Keeps editing contexts in a folder, so that they survive the process, and lists those in the folder. A context
    /// is loaded by the first request to it.
    ///
    /// - Returns: The contexts that can't be loaded, with the reasons. Requests to them are answered with these
    ///   reasons.
    package func keepContexts(in folder: String) throws -> [(name: String, reason: String)] {
        try contexts?.keep(in: folder, of: self) ?? []
    }

    /// Writes the files of editing contexts that are behind because of merged changes. Call it last, after all
    /// requests.
    package func flushContexts() { contexts?.writeOutdated() }

    /// Answers a request. Errors become responses too.
    package func respond(to request: HTTPRequest) -> HTTPResponse { respond(to: request, in: nil) }

    /// Answers a request. With an attempt, stops if the store's query plan shows that a fetch takes long; the response is
    /// invalid then.
    func respond(to request: HTTPRequest, in attempt: ShortAttempt?) -> HTTPResponse {
        // Preflights have no credential.
        guard let accessGuard, case .passes = crossSite.verdict(on: request) else {
            return respondAsPermitted(to: request, in: attempt)
        }
        return accessGuard.respond(to: request, in: attempt, of: self)
    }

    /// Answers a request of the identity whose API this is.
    ///
    /// - Parameter base: The server's own API, if refusals are to say which rules decided.
    func respondAsPermitted(
        to request: HTTPRequest,
        in attempt: ShortAttempt?,
        explainedBy base: API? = nil
    ) -> HTTPResponse {
        var trace = RequestTrace(request, in: attempt)
        var response: HTTPResponse
        do throws(Problem) {
            response = reportingFailures(of: try route(request, trace: &trace), to: request, requestID: trace.requestID)
        } catch {
            var problem = base.map { explained(error, of: request, by: $0) } ?? error
            if let attempt = trace.attempt, attempt.endIfLate() || attempt.endIfTooLarge(problem) {
                return problem.response
            }
            if problem.code == .internal { problem.extras["requestId"] = .string(trace.requestID) }
            report(problem, of: request, requestID: trace.requestID)
            response = problem.response
        }
        if let operation = trace.operation {
            statistics.add(operation, duration: ContinuousClock.now - trace.timing.start)
        }
        return finished(response, to: request, trace: trace)
    }

    private func route(_ request: HTTPRequest, trace: inout RequestTrace) throws(Problem) -> HTTPResponse {
        switch crossSite.verdict(on: request) {
        case .refused(let problem): throw problem
        case .preflight: return CORSFields.preflight
        case .passes: break
        }
        let target = try RequestTarget(reading: request.target)
        let version = try version(for: request, at: target)
        guard let match = try version.catalogue.match(target.segments, suggesting: version.pathSuggestions) else {
            return try answerOutsideAPI(target, request)
        }
        if let problem = missing(match.path.presence) { throw problem }
        if match.path.isBelowContext, let contexts {
            let context = try contexts.held(match.parts.name, in: self)
            defer { context.head.release() }
            let api = context.api(for: version)
            let segments = ["api"] + match.parts.rest
            guard let match = try api.catalogue.match(segments, suggesting: api.pathSuggestions) else {
                return try answerOutsideAPI(target, request)
            }
            return try api.answer(request, target: target, matching: match, trace: &trace) {
                plan,
                recorder,
                limits throws(Problem) in
                try context.execute(plan, recorder: recorder, under: limits, in: api)
            }
        }
        return try version.answer(request, target: target, matching: match, trace: &trace) {
            plan,
            recorder,
            limits throws(Problem) in
            let reply = try version.executeOnce(plan, recorder: recorder, under: limits)
            if version === self { recordEntities(of: reply, to: plan, for: request) }
            return reply
        }
    }

    private func answer(
        _ request: HTTPRequest,
        target: RequestTarget,
        matching match: EndpointMatch,
        trace: inout RequestTrace,
        executing run: (Plan, AnswerRecorder?, WorkLimits) throws(Problem) -> Reply
    ) throws(Problem) -> HTTPResponse {
        if request.method == .options { return Self.options(allowed(at: match.path)) }
        guard let endpoint = match.path.endpoint(for: request.method) else {
            let allowed = allowed(at: match.path)
            let hint =
                allowed.contains(.post) ? match.path.alternative(to: request.method)?.batchSuggestion(at: target) : nil
            throw .method(request.method, allowed: allowed, hint: hint ?? familiarHint(match, request.method))
        }
        if access != nil, endpoint.contract.admission == .administration { throw .administration }
        if target.hasTrailingSlash { return Self.redirect(target) }
        try checkContentType(of: request, at: endpoint)
        try checkAcceptance(of: request, at: endpoint)
        trace.operation = endpoint.operation
        if access != nil, case .bytes(let body) = request.body, body.count > options.bodyLimit {
            throw .tooLong(limit: options.bodyLimit)
        }
        let limits = try limits(of: request, at: endpoint, in: trace.attempt)
        let recorder = try AnswerRecorder(of: request, in: self)
        let parsed = try APIRequest(
            request,
            target: target,
            endpoint: endpoint,
            at: match.parts,
            body: recorder?.fingerprint.body,
            valueLimit: options.bodyValueLimit
        )
        trace.timing.end(.parse)
        coordinator.noticeOtherWriters()
        let reply: Reply
        do throws(Problem) {
            let plan = try plan(parsed, under: limits)
            trace.timing.end(.plan)
            if let attempt = trace.attempt, attempt.deadline != nil, !plan.isShort(answering: request) {
                attempt.end()
                throw .busy
            }
            reply = try run(plan, recorder, limits)
        } catch {
            switch error.code {
            // The request concerns a read-only store; other stores are writable.
            case .method: throw error.allowing(match.path.methods(isReadOnly: true))
            // Little time was left when the request reached the store.
            case .deadline where isBlockedByLock(request): throw .locked
            case .locked where !mayBlock(request): throw .lockedForReading
            default: throw error
            }
        }
        trace.timing.end(.execute)
        defer { trace.timing.end(.render) }
        return try render(reply, under: limits)
    }

    /// A hint for a request such as `POST /api/posts/import`, whose last part isn't meant as a key.
    private func familiarHint(_ match: EndpointMatch, _ method: HTTPMethod) -> String? {
        guard method == .post, match.path.pattern.segments.last == "{key}", let resource = try? match.parts.resource
        else { return nil }
        return catalogue.hint(forKey: match.parts.key, of: resource)
    }

    /// The response for a path outside of the API: a file or a problem.
    private func answerOutsideAPI(_ target: RequestTarget, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        if target.isAsterisk, request.method == .options {
            return Self.options([.get, .head, .post, .put, .patch, .delete, .options])
        }
        let isFolder = target.segments.isEmpty || target.hasTrailingSlash
        guard let pages, let reply = try pages.reply(target.segments, isFolder: isFolder, to: request) else {
            if let pages, try pages.reply(target.segments, isFolder: !isFolder, to: request) != nil {
                return Self.redirect(target)
            }
            let hint = target.segments.first.flatMap(Catalogue.documentHint) ?? "GET /api lists the entities."
            throw Problem(.notFound, "There is nothing at “\(target.path)”.", hint: hint)
        }
        let methods: [HTTPMethod] = [.get, .head, .options]
        if request.method == .options { return Self.options(methods) }
        guard methods.contains(request.method) else { throw .method(request.method, allowed: methods) }
        return try render(reply)
    }

    /// The allowed methods: only reading ones if all stores are read-only.
    private func allowed(at path: EndpointPath) -> [HTTPMethod] { path.methods(isReadOnly: isReadOnly) }

    private static func options(_ methods: [HTTPMethod]) -> HTTPResponse {
        HTTPResponse(.noContent, fields: [.allow: methods.map(\.name).joined(separator: ", ")])
    }

    /// Redirects to the path with a trailing slash added or removed.
    private static func redirect(_ target: RequestTarget) -> HTTPResponse {
        let path = target.hasTrailingSlash ? String(target.path.dropLast()) : target.path + "/"
        let query = target.rawQuery.map { "?\($0)" } ?? ""
        return HTTPResponse(.permanentRedirect, fields: [.location: path + query])
    }
}

extension PersistentStoreCoordinator {
    /// How often the stores were migrated.
    var migrationCount: Int64 {
        stores.reduce(0) { $0 + (($1 as? any MigratingStore)?.migrationCount ?? 0) }
    }
}

extension APIEndpoint {
    /// A sentence that suggests this endpoint to a request for its parent path.
    fileprivate func batchSuggestion(at target: RequestTarget) -> String? {
        guard let verb = contract.insteadOf?.verb, let name = pattern.segments.last else { return nil }
        let path = target.hasTrailingSlash ? String(target.path.dropLast()) : target.path
        return "To \(verb) many objects, use \(method) \(path)/\(name)."
    }
}

extension RequestTarget {
    /// Parses the target of a request.
    fileprivate init(reading text: String) throws(Problem) {
        do throws(HTTPRefusal) {
            self = try RequestTarget(text)
        } catch {
            throw Problem(.malformed, error.message, hint: error.hint)
        }
    }
}

extension Problem {
    fileprivate static func method(_ method: HTTPMethod, allowed: [HTTPMethod], hint: String? = nil) -> Problem {
        Problem(.method, "\(method) isn't allowed here.", hint: hint).allowing(allowed)
    }

    /// The problem with the allowed methods in its hint and its `Allow` field.
    fileprivate func allowing(_ methods: [HTTPMethod]) -> Problem {
        let names = methods.map(\.name).joined(separator: ", ")
        var problem = self
        problem.hint = ["Allowed: \(names).", hint].compactMap(\.self).joined(separator: " ")
        problem.fields = [.allow: names]
        return problem
    }
}
