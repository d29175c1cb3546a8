// SPDX-License-Identifier: Apache-2.0

// An application that logs its requests.

import HTTPMessage
import JSON

/// Forwards requests, and logs each response after it is sent, preceded by the slow queries of its request.
struct LoggedApplication<Application: HTTPApplication>: HTTPApplication {
    let application: Application
    let log: ServerLog
    /// Whether stores report slow queries.
    let watchesQueries: Bool

    func reception(of request: HTTPRequest) -> HTTPReception { application.reception(of: request) }

    func respondImmediately(to request: HTTPRequest) -> HTTPResponse? { application.respondImmediately(to: request) }

    func respondShortly(to request: HTTPRequest) -> HTTPResponse? {
        watching({ application.respondShortly(to: request) }, requestID: { $0?.fields[.requestID] })
    }

    func lane(of request: HTTPRequest) -> HTTPLane? { application.lane(of: request) }

    func mayBlock(_ request: HTTPRequest) -> Bool { application.mayBlock(request) }

    func isAboutServer(_ request: HTTPRequest) -> Bool { application.isAboutServer(request) }

    func mayTakeLong(_ request: HTTPRequest) -> Bool { application.mayTakeLong(request) }

    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? {
        watching({ application.respondUnlessLong(to: request) }, requestID: { $0?.fields[.requestID] })
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        watching({ application.respond(to: request) }, requestID: { $0.fields[.requestID] })
    }

    /// Answers, and logs what is slow in it.
    private func watching<Answer>(_ answer: () -> Answer, requestID: (Answer) -> String?) -> Answer {
        watchesQueries ? RequestQueries.answering(log, work: answer, requestID: requestID) : answer()
    }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { application.refusal(refusal) }

    func didSend(_ exchange: HTTPExchangeRecord) {
        application.didSend(exchange)
        log.log(exchange)
    }

    func handshakeDidFail(_ reason: String, client: String) {
        log.log(.debug, .tls, "A TLS handshake failed: \(reason).", ["client": .string(client)])
    }
}
