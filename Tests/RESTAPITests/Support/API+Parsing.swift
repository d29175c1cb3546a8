// SPDX-License-Identifier: Apache-2.0

// The first of the four steps by itself.

import HTTPMessage
import Testing

@testable import RESTAPI

extension API {
    /// A request with its endpoint, of a method that is allowed.
    func parsed(_ request: HTTPRequest) throws -> APIRequest {
        let target = try RequestTarget(request.target)
        let match = try #require(try catalogue.match(target.segments), "\(request.target)")
        let endpoint = try #require(match.path.endpoint(for: request.method), "\(request.method) \(request.target)")
        return try APIRequest(request, target: target, endpoint: endpoint, at: match.parts)
    }
}
