// SPDX-License-Identifier: Apache-2.0

// Reads the requests of a connection, strictly after RFC 9112, from bytes cut in any way; without I/O and without a clock.
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
// finishRequest leads to closed instead where the connection does not stay, and whatever throws leads to refused; from neither
// is a way back.

/// Finds the requests among the bytes of a connection.
///
/// Each time bytes come, they are given to `receive`, and `next` is called until it says `.needMore`. A request is a `.head`, any
/// number of `.body` and an `.end`. Requests that came together stay in the reader until they are asked for.
public struct HTTPRequestReader: Sendable {
    public let limits: HTTPReadLimits

    /// How many bytes the body may have. It is that of the limits with each head, and may be changed before the next event.
    public var bodyLimit: Int

    var incoming = IncomingBytes()
    var state = State.requestLine
    var head: RequestHeadBuilder?
    var emptyLines = 0
    var isKeepAlive = true
    /// Bytes of the body that were handed on, of the extensions of its chunks, and of the fields behind it.
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

    /// How many bytes came that no event has handed on.
    public var unreadCount: Int { incoming.count }

    /// Whether nothing of another request has come, so that the connection may be closed without loss.
    public var isBetweenRequests: Bool {
        switch state {
        case .requestLine, .closed: unreadCount == 0
        default: false
        }
    }

    /// Takes in what came. An array that the caller has no other use for is kept without a copy.
    public mutating func receive(_ bytes: [UInt8]) {
        switch state {
        case .closed, .refused: break
        default: incoming.append(bytes)
        }
    }

    /// What the bytes say next. A refusal means that the connection can't be used any further; it is thrown again from then on.
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

    /// Goes along one edge, and gives an event where there is one on it.
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
