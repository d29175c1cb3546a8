// SPDX-License-Identifier: Apache-2.0

// The API as a server has it.

import HTTPMessage
import RESTAPI

struct ServedAPI: HTTPApplication {
    let api: API
    let bodyLimit: Int

    func reception(of request: HTTPRequest) -> HTTPReception { .collect(limit: bodyLimit) }

    func respondAtOnce(to request: HTTPRequest) -> HTTPResponse? { nil }

    func respond(to request: HTTPRequest) -> HTTPResponse { api.respond(to: request) }

    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse {
        HTTPResponse(refusal.status, fields: [.contentType: "text/plain"], body: .bytes(Array(refusal.message.utf8)))
    }

    func didSend(_ exchange: HTTPExchangeRecord) {}
}
