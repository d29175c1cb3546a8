// SPDX-License-Identifier: Apache-2.0

// A request and its response, as a connection's state.

import HTTPMessage

final class Exchange {
    /// The handling of the request's body.
    enum Intake {
        /// The body is kept until it is complete.
        case collecting
        /// The body is passed on.
        case streaming(BodyPipe)
        /// The body is unwanted, and at most this many bytes are still skipped.
        case discarding(Int)
        /// The body has been read.
        case complete
    }

    enum Answer {
        /// No worker has the request, and it isn't answered.
        case none
        /// A worker has the request, or will have it.
        case awaited
        /// The body comes from a pipe.
        case sending(OutputPipe)
        /// The response is completely in the output.
        case complete
    }

    let number: Int
    var request: HTTPRequest
    let minorVersion: Int
    let framing: HTTPRequestHead.Framing
    let started: Moment
    var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    var awaitsContinue: Bool

    var intake = Intake.collecting
    var collected: [UInt8] = []
    /// The permit that counts the request among those in flight.
    var permit: RequestPermit?
    /// The share of the memory budget that the body uses.
    var share: MemoryShare?
    var received = 0
    /// Whether the reader of the body has no space.
    var isFull = false

    var answer = Answer.none
    var isChunked = false
    /// Whether the response can be silent for a long time.
    var isFeed = false
    /// The customary log status for a client that disconnected before the response.
    var status = HTTPStatus(499)
    var requestID: String?
    var sent = 0
    var queued = Duration.zero

    init(_ head: HTTPRequestHead, number: Int, peer: AcceptedConnection, security: HTTPSecurity?, started: Moment) {
        self.number = number
        request = HTTPRequest(
            head.method,
            head.target,
            fields: head.fields,
            client: peer.client,
            isLocal: peer.isLocal,
            security: security
        )
        minorVersion = head.minorVersion
        framing = head.framing
        keepsAlive = head.isKeepAlive
        awaitsContinue = head.expectsContinue
        self.started = started
    }

    /// Creates an exchange for a request that couldn't be read.
    init(unreadFrom client: String, number: Int, started: Moment) {
        self.number = number
        request = HTTPRequest(HTTPMethod(""), "", client: client)
        minorVersion = 1
        framing = .none
        keepsAlive = false
        awaitsContinue = false
        self.started = started
    }

    var isReceiving: Bool {
        if case .complete = intake { return false }
        return true
    }

    var isAnswered: Bool {
        if case .complete = answer { return true }
        return false
    }

    /// Whether no part of the response is in the output yet.
    var isUnanswered: Bool {
        switch answer {
        case .none, .awaited: true
        case .sending, .complete: false
        }
    }

    /// Whether an unwanted body is short enough to be skipped so that the connection can be kept.
    func canSkipBody(_ limit: Int) -> Bool {
        switch (intake, framing) {
        case (.complete, _): true
        case (_, .length(let length)): !awaitsContinue && length - received <= limit
        case (_, .none): true
        case (_, .chunked): false
        }
    }

    /// Releases the parts of the request that only the response needs.
    func forgetRequest() {
        collected = []
        share = nil
        permit = nil
        request.body = .none
        request.fields = HeaderFields()
        request.memory = .unbounded
    }

    /// The record of the exchange for the application.
    func record(end: Moment, isAborted: Bool, isTooSlow: Bool = false) -> HTTPExchangeRecord {
        HTTPExchangeRecord(
            method: request.method,
            target: request.target,
            client: request.client,
            status: status,
            requestID: requestID,
            received: received,
            sent: sent,
            duration: end.duration(since: started),
            queued: queued,
            isAborted: isAborted,
            isTooSlow: isTooSlow
        )
    }
}
