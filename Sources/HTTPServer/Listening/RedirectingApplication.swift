// SPDX-License-Identifier: Apache-2.0

import HTTPMessage

/// Redirects each request to the same address with TLS, and forwards everything else to the application.
struct RedirectingApplication: HTTPApplication {
    let base: any HTTPApplication
    /// The port at which the server speaks TLS.
    let port: Int

    func reception(of request: HTTPRequest) -> HTTPReception { .refuse(redirect(request)) }

    func respondImmediately(to request: HTTPRequest) -> HTTPResponse? { redirect(request) }

    func lane(of request: HTTPRequest) -> HTTPLane? { nil }

    func mayBlock(_ request: HTTPRequest) -> Bool { false }

    func isAboutServer(_ request: HTTPRequest) -> Bool { false }

    func mayTakeLong(_ request: HTTPRequest) -> Bool { false }

    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse? { redirect(request) }

    func respond(to request: HTTPRequest) -> HTTPResponse { redirect(request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { base.refusal(refusal) }

    func didSend(_ exchange: HTTPExchangeRecord) { base.didSend(exchange) }

    private func redirect(_ request: HTTPRequest) -> HTTPResponse {
        guard let location = location(of: request) else {
            let refusal = HTTPRefusal(
                .badRequest,
                "Use https. The request can't be redirected, since its host or target is missing."
            )
            return base.refusal(refusal.of(request))
        }
        return HTTPResponse(.permanentRedirect, fields: [.location: location])
    }

    /// The requested address with TLS, or nil if the request doesn't say one.
    private func location(of request: HTTPRequest) -> String? {
        guard let target = try? RequestTarget(request.target), !target.isAsterisk,
            let host = target.authority ?? request.fields[.host], let authority = Authority(host),
            !authority.host.isEmpty
        else { return nil }
        let place = port == 443 ? authority.host : "\(authority.host):\(port)"
        return "https://\(place)\(target.path)" + (target.rawQuery.map { "?" + $0 } ?? "")
    }
}
