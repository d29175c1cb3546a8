// SPDX-License-Identifier: Apache-2.0

// What browsers are told of pages of other origins that may use the API.

import HTTPMessage

enum CORSFields {
    /// Fields of answers that scripts may read, beside those that they always may.
    private static let exposed = """
        Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Link, Location, \
        Model-Version, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, \
        WWW-Authenticate, X-Request-Id
        """

    /// Fields that scripts may send. The asterisk is for what proxies and tracing add; Authorization isn't among what it stands for.
    private static let sendable = """
        Accept-Model, Act-As, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, If-Range, \
        Last-Event-ID, Prefer, Range, X-Author, X-Request-Id, *
        """

    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    /// For how many seconds a browser need not ask again; the longest that browsers keep to.
    private static let lifetime = "7200"

    static func add(to fields: inout HeaderFields, allowing origin: String) {
        fields.add(.allowedOrigin, origin)
        fields.add(.exposedFields, exposed)
    }

    /// The answer to a preflight, to which the allowed origin is added as to any answer. The route isn't looked at: what is
    /// wrong with the request itself, the page reads in the answer to that.
    static var preflight: HTTPResponse {
        HTTPResponse(
            .noContent,
            fields: [.allowedMethods: methods, .allowedFields: sendable, .preflightLifetime: lifetime]
        )
    }
}

extension FieldName {
    static let allowedFields: FieldName = "Access-Control-Allow-Headers"
    static let allowedMethods: FieldName = "Access-Control-Allow-Methods"
    static let allowedOrigin: FieldName = "Access-Control-Allow-Origin"
    static let exposedFields: FieldName = "Access-Control-Expose-Headers"
    static let fetchSite: FieldName = "Sec-Fetch-Site"
    static let preflightLifetime: FieldName = "Access-Control-Max-Age"
    static let requestedMethod: FieldName = "Access-Control-Request-Method"
}
