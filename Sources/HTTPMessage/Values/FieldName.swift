// SPDX-License-Identifier: Apache-2.0

// Names of header fields, compared without case.

public struct FieldName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let lowercased: String
    /// As written in messages.
    public let description: String

    public init(_ name: String) {
        description = name
        lowercased = name.lowercased()
    }

    public init(stringLiteral name: String) { self.init(name) }

    public static func == (left: FieldName, right: FieldName) -> Bool { left.lowercased == right.lowercased }
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

    public static let accept: FieldName = "Accept"
    public static let acceptEncoding: FieldName = "Accept-Encoding"
    public static let acceptRanges: FieldName = "Accept-Ranges"
    public static let allow: FieldName = "Allow"
    public static let authorization: FieldName = "Authorization"
    public static let cacheControl: FieldName = "Cache-Control"
    public static let connection: FieldName = "Connection"
    public static let contentEncoding: FieldName = "Content-Encoding"
    public static let contentLength: FieldName = "Content-Length"
    public static let contentRange: FieldName = "Content-Range"
    public static let contentType: FieldName = "Content-Type"
    public static let date: FieldName = "Date"
    public static let etag: FieldName = "ETag"
    public static let expect: FieldName = "Expect"
    public static let host: FieldName = "Host"
    public static let ifMatch: FieldName = "If-Match"
    public static let ifModifiedSince: FieldName = "If-Modified-Since"
    public static let ifNoneMatch: FieldName = "If-None-Match"
    public static let ifRange: FieldName = "If-Range"
    public static let lastModified: FieldName = "Last-Modified"
    public static let link: FieldName = "Link"
    public static let location: FieldName = "Location"
    public static let origin: FieldName = "Origin"
    public static let prefer: FieldName = "Prefer"
    public static let preferenceApplied: FieldName = "Preference-Applied"
    public static let range: FieldName = "Range"
    public static let requestID: FieldName = "X-Request-Id"
    public static let retryAfter: FieldName = "Retry-After"
    public static let serverTiming: FieldName = "Server-Timing"
    public static let transferEncoding: FieldName = "Transfer-Encoding"
    public static let userAgent: FieldName = "User-Agent"
    public static let vary: FieldName = "Vary"
    public static let wwwAuthenticate: FieldName = "WWW-Authenticate"
}
