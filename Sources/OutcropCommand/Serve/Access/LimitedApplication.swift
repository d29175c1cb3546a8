// SPDX-License-Identifier: Apache-2.0

// An application that refuses requests beyond the limits of their identities.

import HTTPMessage
import Identities

/// Counts each request once, before it is answered: one with a body when its head has arrived, so that a refused body isn't
/// received. Answers say what is left.
struct LimitedApplication<Application: HTTPApplication>: HTTPApplication {
    let application: Application
    /// Nil without access rules.
    let limits: RequestLimits?

    func reception(of request: HTTPRequest) -> HTTPReception {
        if let refused = refused(request) { return .refuse(refused) }
        return application.reception(of: request)
    }

    func respondImmediately(to request: HTTPRequest) -> HTTPResponse? {
        if !request.announcesBody, let refused = refused(request) { return refused }
        return application.respondImmediately(to: request).map { limited($0, request) }
    }

    func respondShortly(to request: HTTPRequest) -> HTTPResponse? {
        application.respondShortly(to: request).map { limited($0, request) }
    }

    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        application.respondUnlessLong(to: request).map { limited($0, request) }
    }

    func respond(to request: HTTPRequest) -> HTTPResponse { limited(application.respond(to: request), request) }

    func lane(of request: HTTPRequest) -> HTTPLane? { application.lane(of: request) }

    func mayBlock(_ request: HTTPRequest) -> Bool { application.mayBlock(request) }

    func isAboutServer(_ request: HTTPRequest) -> Bool { application.isAboutServer(request) }

    func mayTakeLong(_ request: HTTPRequest) -> Bool { application.mayTakeLong(request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { application.refusal(refusal) }

    func didSend(_ exchange: HTTPExchangeRecord) { application.didSend(exchange) }

    func handshakeDidFail(_ reason: String, client: String) {
        application.handshakeDidFail(reason, client: client)
    }

    /// Counts a request, and returns the answer to one that isn't allowed.
    private func refused(_ request: HTTPRequest) -> HTTPResponse? {
        guard let decision = limits?.take(request, now: .now), !decision.isAllowed else { return nil }
        var refusal = HTTPRefusal(
            .tooManyRequests,
            "There were more requests than \(decision.limit) allows.",
            retryAfter: decision.secondsUntilAllowed
        )
        refusal.requestID = request.fields[.requestID]
        refusal.origin = request.fields[.origin]
        var response = application.refusal(refusal)
        decision.add(to: &response.fields)
        return response
    }

    private func limited(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let decision = limits?.left(for: request, now: .now) else { return response }
        var response = response
        decision.add(to: &response.fields)
        return response
    }
}

extension HTTPRequest {
    /// Whether its head announces a body, so that its reception was decided on.
    fileprivate var announcesBody: Bool {
        if fields.contains("Transfer-Encoding") { return true }
        return fields["Content-Length"].map { !$0.allSatisfy { $0 == "0" } } ?? false
    }
}
