// SPDX-License-Identifier: Apache-2.0

// The interface between an HTTP server and the application that it serves.

public protocol HTTPApplication: Sendable {
    /// How to receive the body, given the head of a request. Called on an event loop; must not block. Not called if
    /// there is no body.
    func reception(of request: HTTPRequest) -> HTTPReception
    /// Answers from memory, or returns nil if that would need the disk or take long. Called on an event loop.
    func respondImmediately(to request: HTTPRequest) -> HTTPResponse?
    /// Answers a request that needs the disk for about a millisecond at most, or returns nil, without side effects.
    /// Called on an event loop for a request that `respondImmediately` hasn't answered. Optional: the default is nil.
    func respondShortly(to request: HTTPRequest) -> HTTPResponse?
    /// The lane of a request about to be queued for a worker, or nil. Called on an event loop; must not block.
    ///
    /// The requests of a lane are answered one at a time, in order of arrival, over all connections. A waiting
    /// request occupies no worker. `respond` holds the lane until it returns, which includes reading a streamed
    /// request body, but not the writing of a streamed response or a feed. `respondImmediately` ignores lanes.
    func lane(of request: HTTPRequest) -> HTTPLane?
    /// Whether answering may block for long, for example on a lock. The number of workers and queue places for such
    /// requests is limited. Called on an event loop; must not block.
    func mayBlock(_ request: HTTPRequest) -> Bool
    /// Whether a request is about the server itself, such as its readiness. Such requests have their own workers and
    /// wait for no others. Called on an event loop; must not block.
    func isAboutServer(_ request: HTTPRequest) -> Bool
    /// Whether answering may take long, as far as the request shows; other requests go first. Called on an event loop;
    /// must not block.
    func mayTakeLong(_ request: HTTPRequest) -> Bool
    /// Answers a request. Returns nil, without side effects, if the request proves to be long; `respond` is then called
    /// for it. Called by a worker; may block.
    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse?
    /// Answers a request. Called by a worker; may block.
    func respond(to request: HTTPRequest) -> HTTPResponse
    /// The response to input that isn't a request: malformed, too large, too slow, or beyond the server's capacity.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse
    /// Called for each response after its last byte was sent, or after the client disconnected.
    func didSend(_ exchange: HTTPExchangeRecord)
    /// Called for each connection that is closed because its TLS handshake failed. Optional: the default does nothing.
    func handshakeDidFail(_ reason: String, client: String)
}

extension HTTPApplication {
    public func respondShortly(to request: HTTPRequest) -> HTTPResponse? { nil }
    public func handshakeDidFail(_ reason: String, client: String) {}
}

/// How the body of a request is received.
public enum HTTPReception: Sendable {
    /// Completely, up to a number of bytes, before the request is answered.
    case collect(limit: Int)
    /// In parts, while the request is answered.
    case stream
    /// Don't receive the body; send this response.
    case refuse(HTTPResponse)
}

/// Why a server answers without the application.
public struct HTTPRefusal: Error, Hashable, Sendable {
    public var status: HTTPStatus
    /// What is wrong, for the client.
    public var message: String
    /// How to correct it, if known.
    public var hint: String?
    /// The name of the setting with the limit that was exceeded.
    public var limit: String?
    /// The number of seconds after which a retry makes sense.
    public var retryAfter: Int?
    /// The request's ID, if known.
    public var requestID: String?
    /// The request's origin, if known.
    public var origin: String?

    public init(_ status: HTTPStatus, _ message: String, limit: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.limit = limit
        self.retryAfter = retryAfter
    }
}

/// A request and its outcome, for logs and metrics.
public struct HTTPExchangeRecord: Sendable {
    public var method: HTTPMethod
    public var target: String
    public var client: String
    public var status: HTTPStatus
    public var requestID: String?
    /// The size of the body, without the head.
    public var received: Int
    public var sent: Int
    /// From the first byte of the request to the last byte of the response, including `queued`, the wait for a worker.
    public var duration: Duration
    public var queued: Duration
    /// Whether the connection closed before the last byte.
    public var isAborted: Bool
    /// Whether that was because the client read too slowly; otherwise the client disconnected.
    public var isTooSlow: Bool

    public init(
        method: HTTPMethod,
        target: String,
        client: String,
        status: HTTPStatus,
        requestID: String?,
        received: Int,
        sent: Int,
        duration: Duration,
        queued: Duration,
        isAborted: Bool,
        isTooSlow: Bool = false
    ) {
        self.method = method
        self.target = target
        self.client = client
        self.status = status
        self.requestID = requestID
        self.received = received
        self.sent = sent
        self.duration = duration
        self.queued = queued
        self.isAborted = isAborted
        self.isTooSlow = isTooSlow
    }
}
