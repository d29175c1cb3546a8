// SPDX-License-Identifier: Apache-2.0

// An application that logs its requests.

import HTTPMessage

/// Forwards requests, and logs each response after it is sent, preceded by the slow queries of its request.
struct LoggedApplication<Application: HTTPApplication>: HTTPApplication {
    let application: Application
    let log: ServerLog
    /// Whether stores report slow queries.
    let watchesQueries: Bool

    func reception(of request: HTTPRequest) -> HTTPReception { application.reception(of: request) }

    func respondAtOnce(to request: HTTPRequest) -> HTTPResponse? { application.respondAtOnce(to: request) }

    func lane(of request: HTTPRequest) -> HTTPLane? { application.lane(of: request) }

    func mayBlock(_ request: HTTPRequest) -> Bool { application.mayBlock(request) }

    func mayTakeLong(_ request: HTTPRequest) -> Bool { application.mayTakeLong(request) }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard watchesQueries else { return application.respond(to: request) }
        return RequestQueries.answering(log) { application.respond(to: request) }
    }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { application.refusal(refusal) }

    func didSend(_ exchange: HTTPExchangeRecord) {
        application.didSend(exchange)
        log.log(exchange)
    }
}
