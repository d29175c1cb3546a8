// SPDX-License-Identifier: Apache-2.0

// What comes before a request's body, and what a reader finds next.

public struct HTTPRequestHead: Equatable, Sendable {
    /// How the end of the body is known.
    public enum Framing: Hashable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    public var method: HTTPMethod
    /// As it was sent, in UTF-8 and without control characters.
    public var target: String
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    public var minorVersion: Int
    public var fields: HeaderFields
    public var framing: Framing
    /// Whether the connection stays for another request.
    public var isKeepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    public var expectsContinue: Bool
}

public enum HTTPReadEvent: Equatable, Sendable {
    /// There is nothing until more is received.
    case needMore
    case head(HTTPRequestHead)
    /// Some of the body, in as many pieces as it happened to come in; never empty.
    case body([UInt8])
    /// The request is complete, with or without a body.
    case end
}
