// SPDX-License-Identifier: Apache-2.0

// Parses the requests of a connection strictly by RFC 9112, from fragments of any size, without I/O or a clock.
//
//            ┌────────────────── finishRequest ◄──────────────────────────────────────────────────┐
//            ▼                                                                                    │
//       requestLine ─readRequestLine─► fields ─readField─┬─ no body, or one of no bytes ─► ending ┤
//            ▲   │ empty line           ▲   │            │                                        │
//            └───┘                      └───┘            ├─ Content-Length ─► body ──readBody─────┤
//                                                        │                    ▲  │                │
//                                                        │                    └──┘                │
//                         ┌──────────────────────────────┘ chunked                                │
//                         ▼                                                                       │
//                     chunkLine ─readChunkLine─► chunk ─readChunk─► chunkEnd ─readChunkEnd─┐      │
//                      ▲  │                       ▲  │                                     │      │
//                      │  │ of size 0             └──┘                                     │      │
//                      │  └──► trailers ─readTrailer─► ending ─────────────────────────────┼──────┘
//                      │         ▲   │                                                     │
//                      │         └───┘                                                     │
//                      └───────────────────────────────────────────────────────────────────┘
//
// finishRequest goes to closed instead if the connection doesn't remain open, and any error goes to refused; both
// states are final.

/// Parses the requests of a connection.
///
/// Pass received bytes to `receive`, then call `next` until it returns `.needMore`. A request is a `.head`, any
/// number of `.body` and an `.end`. Pipelined requests stay in the reader until they are read.
public struct HTTPRequestReader: Sendable {
    public let limits: HTTPReadLimits

    /// The limit of the current body. Each head resets it to that of `limits`; it may be changed before the next event.
    public var bodyLimit: Int

    var incoming = IncomingBytes()
    var state = State.requestLine
    var head: RequestHeadBuilder?
    var emptyLines = 0
    var isKeepAlive = true
    /// The bytes delivered of the body, and read of its chunk extensions and trailer fields.
    var bodyBytes = 0
    var extensionBytes = 0
    var trailerBytes = 0
    var trailerCount = 0

    enum State {
        case requestLine
        case fields
        case body(remaining: Int)
        case chunkLine
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case ending
        case closed
        case refused(HTTPRefusal)
    }

    public init(limits: HTTPReadLimits = HTTPReadLimits()) {
        self.limits = limits
        bodyLimit = limits.body
    }

    /// How many received bytes have not been delivered by an event.
    public var unreadCount: Int { incoming.count }

    /// Whether no part of another request has arrived, so that closing the connection loses nothing.
    public var isBetweenRequests: Bool {
        switch state {
        case .requestLine, .closed: unreadCount == 0
        default: false
        }
    }

    /// Appends received bytes. An array with no other reference is not copied.
    public mutating func receive(_ bytes: [UInt8]) {
        switch state {
        case .closed, .refused: break
        default: incoming.append(bytes)
        }
    }

    /// The next event. After a refusal the connection is unusable, and every further call throws it again.
    public mutating func next() throws(HTTPRefusal) -> HTTPReadEvent {
        do throws(HTTPRefusal) {
            while true {
                if let event = try step() { return event }
            }
        } catch {
            state = .refused(error)
            incoming = IncomingBytes()
            throw error
        }
    }

    /// Follows one edge of the state machine, and returns its event, if any.
    private mutating func step() throws(HTTPRefusal) -> HTTPReadEvent? {
        switch state {
        case .requestLine: try readRequestLine()
        case .fields: try readField()
        case .body(let remaining): try readBody(remaining)
        case .chunkLine: try readChunkLine()
        case .chunk(let remaining): readChunk(remaining)
        case .chunkEnd: try readChunkEnd()
        case .trailers: try readTrailer()
        case .ending: finishRequest()
        case .closed: .needMore
        case .refused(let refusal): throw refusal
        }
    }

    private mutating func finishRequest() -> HTTPReadEvent {
        state = isKeepAlive ? .requestLine : .closed
        if !isKeepAlive { incoming = IncomingBytes() }
        return .end
    }
}
