// SPDX-License-Identifier: Apache-2.0

// A request and its answer as a connection sees them.

import HTTPMessage

final class Exchange {
    /// What becomes of the request's body.
    enum Intake {
        /// It is kept until it is complete.
        case collecting
        /// It is handed on.
        case streaming(BodyPipe)
        /// Nobody wants it, and so many bytes of it are read yet.
        case discarding(Int)
        /// It has been read.
        case complete
    }

    enum Answer {
        /// Too little of the request is there.
        case none
        /// A worker has it, or will have it.
        case awaited
        /// Some of it comes from a pipe.
        case sending(OutputPipe)
        /// All of it is on its way.
        case complete
    }

    let number: Int
    var request: HTTPRequest
    let minorVersion: Int
    let framing: HTTPRequestHead.Framing
    let started: Moment
    var keepsAlive: Bool
    /// The client sends the body when it is told to.
    var awaitsContinue: Bool

    var intake = Intake.collecting
    var collected: [UInt8] = []
    /// Its place among the requests that workers have or are to have.
    var place: FlightPlace?
    /// The memory that the body takes.
    var share: MemoryShare?
    var received = 0
    /// The reader of the body has no room.
    var isFull = false

    var answer = Answer.none
    var isChunked = false
    /// Whether there may be nothing to send for a long time.
    var isFeed = false
    /// What logs by custom say of a client that went before it was answered.
    var status = HTTPStatus(499)
    var requestID: String?
    var sent = 0
    var queued = Duration.zero

    init(_ head: HTTPRequestHead, number: Int, peer: AcceptedConnection, started: Moment) {
        self.number = number
        request = HTTPRequest(
            head.method,
            head.target,
            fields: head.fields,
            client: peer.client,
            isLocal: peer.isLocal
        )
        minorVersion = head.minorVersion
        framing = head.framing
        keepsAlive = head.isKeepAlive
        awaitsContinue = head.expectsContinue
        self.started = started
    }

    /// One whose request can't be known.
    init(unreadFrom client: String, number: Int, started: Moment) {
        self.number = number
        request = HTTPRequest(HTTPMethod(""), "", client: client)
        (minorVersion, framing) = (1, .none)
        (keepsAlive, awaitsContinue) = (false, false)
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

    /// Whether nothing of the answer has gone yet.
    var isUnanswered: Bool {
        switch answer {
        case .none, .awaited: true
        case .sending, .complete: false
        }
    }

    /// Whether the rest of a body that nobody wants is worth reading for the sake of the connection.
    func canSkipBody(_ limit: Int) -> Bool {
        switch (intake, framing) {
        case (.complete, _): true
        case (_, .length(let length)): !awaitsContinue && length - received <= limit
        case (_, .none): true
        case (_, .chunked): false
        }
    }

    /// Forgets what only those need who answer.
    func forgetRequest() {
        (collected, share, place) = ([], nil, nil)
        (request.body, request.fields) = (.none, HeaderFields())
        request.memory = .unbounded
    }

    /// What became of it.
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
