// SPDX-License-Identifier: Apache-2.0

// What answers requests: the border between a server, which knows connections, and what it serves.

public protocol HTTPApplication: Sendable {
    /// What to do with the body of a request whose head has come. It is called on an event loop and must not wait.
    func reception(of request: HTTPRequest) -> HTTPReception
    /// Answers what can be answered from memory, or nil where that would wait for a disk or take long. It is called on an event
    /// loop.
    func respondAtOnce(to request: HTTPRequest) -> HTTPResponse?
    /// The lane of a request that is about to be handed to workers, nil where it needs none. It is called on an event loop and
    /// must not wait.
    ///
    /// Of the requests of one lane, over all connections, one is in `respond` at a time, in the order in which they came. Those
    /// that wait for it hold no worker. The lane is free again when `respond` returns: the body of an answer that is written
    /// piece by piece, and a feed, are made without it. A request whose body is streamed has it while that is read. What is
    /// answered at once knows no lanes.
    func lane(of request: HTTPRequest) -> HTTPLane?
    /// Whether answering may mean to wait for what others hold for long, such as a lock. However many such requests there are,
    /// they leave workers, and room in the queue before these, to others. It is called on an event loop and must not wait.
    func mayBlock(_ request: HTTPRequest) -> Bool
    /// Whether a request is about the server itself, as whether it is ready. These have workers of their own, which don't wait for any
    /// others. It is called on an event loop and must not wait.
    func isAboutServer(_ request: HTTPRequest) -> Bool
    /// Whether a request that is about to be handed to workers takes long for what can be seen of it, so that those that don't go
    /// first. It is called on an event loop and must not wait.
    func mayTakeLong(_ request: HTTPRequest) -> Bool
    /// Answers, or nil where that turns out to take long before anything is done: `respond` answers when it is the turn of such
    /// requests. It is called by a worker and may wait.
    func respondUnlessLong(to request: HTTPRequest) -> HTTPResponse?
    /// Answers. It is called by a worker and may wait.
    func respond(to request: HTTPRequest) -> HTTPResponse
    /// The answer to what never becomes a request: one that can't be read, is too large or too slow, or comes when there is too
    /// much to do.
    func refusal(_ refusal: HTTPRefusal) -> HTTPResponse
    /// Is told of each answer when the last of it was sent, or the client had gone.
    func didSend(_ exchange: HTTPExchangeRecord)
}

/// How a request's body is taken in.
public enum HTTPReception: Sendable {
    /// As a whole, before it is answered, up to a number of bytes.
    case collect(limit: Int)
    /// While it is answered.
    case stream
    /// Not at all.
    case refuse(HTTPResponse)
}

/// Why a server answers by itself.
public struct HTTPRefusal: Error, Hashable, Sendable {
    public var status: HTTPStatus
    /// What is wrong, for whoever sent it.
    public var message: String
    /// How to mend it, where that can be said.
    public var hint: String?
    /// The limit that was passed, by the name of its setting.
    public var limit: String?
    /// After how many seconds another try makes sense.
    public var retryAfter: Int?
    /// What the request is called, where that is known.
    public var requestID: String?
    /// The origin of the page that has sent it, where that is known.
    public var origin: String?

    public init(_ status: HTTPStatus, _ message: String, limit: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.limit = limit
        self.retryAfter = retryAfter
    }
}

/// A request and what became of it, for logs and counters.
public struct HTTPExchangeRecord: Sendable {
    public var method: HTTPMethod
    public var target: String
    public var client: String
    public var status: HTTPStatus
    public var requestID: String?
    /// Bytes of bodies, without heads.
    public var received: Int
    public var sent: Int
    /// From the first byte of the request to the last byte of the answer, and the part of it spent waiting for a worker.
    public var duration: Duration
    public var queued: Duration
    /// Whether the connection ended before the last byte.
    public var isAborted: Bool
    /// Whether it did because the client took the answer too slowly; otherwise the client went away.
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
