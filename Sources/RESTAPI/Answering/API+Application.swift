// SPDX-License-Identifier: Apache-2.0

// The API as the server's application: which bodies are streamed, which requests block or take long, what is counted.

package import HTTPMessage
import JSON
import ObjectGraph
import ObjectModel

extension API: HTTPApplication {
    package func reception(of request: HTTPRequest) -> HTTPReception {
        guard case .passes = crossSite.verdict(on: request) else { return .refuse(respond(to: request)) }
        if let coding = request.fields[.contentEncoding], coding.lowercased() != "identity" {
            return .refuse(finished(Problem.contentCoding(coding).response, to: request, trace: RequestTrace(request)))
        }
        if let accessGuard, let refusal = accessGuard.refusal(of: request, to: self) { return .refuse(refusal) }
        let mayStream = request.method == .post || request.method == .put
        return mayStream && endpoint(of: request)?.contract.body.isStreamed == true
            ? .stream : .collect(limit: accessGuard?.bodyLimit(of: request, to: self) ?? options.bodyLimit)
    }

    /// Whether a request is for a page, which isn't part of the API.
    func isForPage(_ request: HTTPRequest) -> Bool {
        guard let target = try? RequestTarget(request.target), target.segments.first != "api" else { return false }
        return (try? catalogue.match(target.segments)) == nil
    }

    func endpoint(of request: HTTPRequest) -> APIEndpoint? {
        let target = try? RequestTarget(request.target)
        return target.flatMap { try? catalogue(for: request).match($0.segments) }?.path.endpoint(for: request.method)
    }

    /// Requests on a context and on those related to it are executed one after the other. Those with passwords have a few
    /// lanes, so that not all workers hash at the same time.
    package func lane(of request: HTTPRequest) -> HTTPLane? {
        if let number = accessGuard?.passwordLane(of: request, to: self) { return HTTPLane("password \(number)") }
        let prefix = "/api/contexts/"
        guard let contexts, request.target.hasPrefix(prefix) else { return nil }
        let name = request.target.dropFirst(prefix.utf8.count).prefix { $0 != "/" && $0 != "?" }
        return contexts.root(ofContextNamed: String(name)).map(HTTPLane.init)
    }

    /// Requests that write into a store may wait for other writers. Changes of a draft write nothing until it is saved.
    package func mayBlock(_ request: HTTPRequest) -> Bool {
        ![.get, .head, .options].contains(request.method) && endpoint(of: request)?.effect == .stores
    }

    package func isAboutServer(_ request: HTTPRequest) -> Bool {
        ["/readyz", "/metrics", "/api/stats"].contains(request.target)
    }

    /// Batches, and requests with long bodies. For fetches, this is known only after planning.
    package func mayTakeLong(_ request: HTTPRequest) -> Bool {
        if case .bytes(let bytes) = request.body, bytes.count > Self.longBody { return true }
        guard request.method == .post else { return false }
        let work = endpoint(of: request)?.contract.work
        return work == .batch || work == .rows || work == .migration || work == .password
    }

    private static let longBody = 64 << 10

    package func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        let start = ContinuousClock.now
        let requestID = RequestID.of(refusal.requestID)
        var problem = Problem(refusal)
        if problem.code == .internal { problem.extras["requestId"] = .string(requestID) }
        var response = problem.response
        response.fields.add(.requestID, requestID)
        response.addStrictFields()
        crossSite.addFields(to: &response.fields, for: refusal.origin)
        response.fields.add(.serverTiming, ServerTiming.total(since: start))
        return response
    }

    package func didSend(_ exchange: HTTPExchangeRecord) { statistics.add(exchange) }
}

extension Problem {
    fileprivate init(_ refusal: HTTPRefusal) {
        self.init(ProblemCode(of: refusal.status), refusal.message, hint: refusal.hint)
        status = refusal.status
        if let limit = refusal.limit { extras["limit"] = .string(limit) }
        if let seconds = refusal.retryAfter { fields = [.retryAfter: "\(seconds)"] }
    }

    fileprivate static func contentCoding(_ coding: String) -> Problem {
        var problem = Problem(
            .mediaType,
            "The Content-Encoding “\(coding)” isn't supported.",
            hint: "Send the body uncompressed."
        )
        problem.fields = [.acceptEncoding: "identity"]
        return problem
    }
}

extension ProblemCode {
    /// The code for a status with which the server itself responds.
    fileprivate init(of status: HTTPStatus) {
        self =
            switch status {
            case .contentTooLarge: .tooLarge
            case .uriTooLong: .uriTooLong
            case .headerFieldsTooLarge: .headersTooLarge
            case .serviceUnavailable: .overload
            case .tooManyRequests: .rate
            case .methodNotAllowed: .method
            case .notImplemented: .notImplemented
            case .internalServerError: .internal
            default: .malformed
            }
    }
}
