// SPDX-License-Identifier: Apache-2.0

// A request's head, and the events of a reader.

public struct HTTPRequestHead: Equatable, Sendable {
    /// How the end of the body is determined.
    public enum Framing: Hashable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    public var method: HTTPMethod
    /// As sent, in UTF-8 and without control characters.
    public var target: String
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    public var minorVersion: Int
    public var fields: HeaderFields
    public var framing: Framing
    /// Whether the connection remains open for another request.
    public var isKeepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    public var expectsContinue: Bool
}

public enum HTTPReadEvent: Equatable, Sendable {
    /// No event until more bytes are received.
    case needMore
    case head(HTTPRequestHead)
    /// A part of the body as it arrived; never empty.
    case body([UInt8])
    /// The request is complete, with or without a body.
    case end
}
