// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPMessage

/// A connection of a loop, which reads requests and answers them in order.
//
//                 ┌─ isReadable: reader.next() ─┐
//                 ▼                             │
//   adopted ──▶ open ───────────────────────────┘
//                 │  exchange == nil: between requests, or within a head
//                 │  exchange != nil: begin ─▶ intake (collecting, streaming, discarding) ─▶ complete
//                 │                          answer (none ─▶ awaited ─▶ sending) ─▶ complete ; both: endIfComplete()
//                 │
//                 ├─ finish(): the last answer is on its way ─▶ finishing ─ all is sent ─▶ lingering ─ end, or time ─▶ closed
//                 └─ abort(), or idle for too long ──────────────────────────────────────────────────────────────▶ closed
//
// Invariants:
//
// 1. There is one exchange at a time. Further requests stay in the reader, and reading pauses if there are many.
// 2. An exchange ends once: in endIfComplete() or finish(), with its record reported when its last byte is sent, or in
//    abort(), which cancels it and reports it immediately.
// 3. Workers' messages are ignored unless they have the number of the current exchange.
// 4. After each event, send() has been called, and updateEvents() has updated the events and the deadline.
//
// On TCP, a client that has disconnected looks the same as one that has shut down its sending side: both are an end of
// input. If the response takes longer than a tick, the server sends `100 Continue`, which any HTTP/1.1 client must
// accept and skip; a disconnected client's system answers with a reset. On Unix sockets the system reports the
// difference.
final class HTTPConnection {
    enum Phase {
        case open
        case finishing
        case lingering
        case closed
    }

    /// An exchange whose response is sent completely at an output position.
    struct UnsentExchange {
        var end: Int
        var exchange: Exchange
    }

    /// How many responses may wait to be sent, however short they are.
    private static let maximumUnsent = 256

    let id: Int
    let loop: EventLoop
    let peer: AcceptedConnection
    let transport: Transport
    /// Given to each request.
    let security: HTTPSecurity?
    let application: any HTTPApplication
    var phase = Phase.open

    var reader: HTTPRequestReader
    var exchange: Exchange?
    var exchangeCount = 0
    /// The number of the last request that may begin in this turn.
    var turnEnd = 0
    /// Whether it waits while other connections have their turns.
    var isPausing = false
    /// The time when the first byte of the next request arrived.
    var requestStart: Moment
    var hasInputEnded = false
    /// Whether a probe was sent to check that the client is connected.
    var isProbed = false

    var output = OutputQueue()
    var unsent: [UnsentExchange] = []

    /// The time since which the connection is idle.
    var idleSince: Moment
    var receiving = RateWindow()
    var sending = RateWindow()
    /// How many bytes the system had yet to deliver at the start of `sending`'s current window.
    var queuedBefore = 0
    var deadline = Moment.never

    private var readable: LoopEvent?
    /// Whether a message will say that there is input.
    private var isInputAnnounced = false
    private var writable: LoopEvent?

    init?(_ peer: AcceptedConnection, over transport: Transport, id: Int, loop: EventLoop) {
        self.peer = peer
        self.transport = transport
        security = transport.session.map { HTTPSecurity(clientSubject: $0.peerSubject) }
        application = peer.service == .redirect ? loop.server.redirection : loop.application
        self.id = id
        self.loop = loop
        reader = HTTPRequestReader(limits: loop.readLimits)
        requestStart = loop.now
        idleSince = loop.now
        readable = LoopEvent(.readable(peer.socket.descriptor), on: loop.base) { [unowned self] in readInput() }
        guard readable != nil else { return nil }
    }

    /// Begins to serve the connection.
    func start() {
        if peer.isSurplus {
            refuse(loop.server.overload("connections"))
        } else if peer.service == .secure, security == nil {
            refuse(HTTPRefusal(.badRequest, "This address speaks HTTP over TLS. Use https."))
        }
        update()
    }

    func readInput() {
        loop.now = .now
        switch transport.read(into: &loop.scratch) {
        case .bytes(let count): receive(count)
        case .wouldBlock: break
        case .end: inputHasEnded()
        case .failed: abort()
        }
        update()
    }

    /// Reads the input that TLS has received with earlier bytes, for which the socket doesn't become readable.
    func inputIsAnnounced() {
        isInputAnnounced = false
        if wantsInput { readInput() }
    }

    func sendOutput() {
        loop.now = .now
        update()
    }

    /// Processes input, sends output, and updates the events.
    func update() {
        advance()
        updateEvents()
    }

    private func receive(_ count: Int) {
        guard phase == .open else { return }
        if exchange == nil, reader.isBetweenRequests { requestStart = loop.now }
        receiving.add(count)
        reader.receive(Array(loop.scratch[..<count]))
    }

    private func inputHasEnded() {
        hasInputEnded = true
        if phase == .lingering || peer.socket.isGone { abort() }
    }

    // MARK: - Events

    private func updateEvents() {
        guard phase != .closed else { return }
        if wantsInput {
            readable?.start()
            if transport.hasInput, !isInputAnnounced {
                isInputAnnounced = true
                loop.mailbox.post(.input(connection: id))
            }
        } else {
            readable?.stop()
        }
        if output.isEmpty {
            writable?.stop()
            sending.close()
        } else {
            if !sending.isOpen { queuedBefore = peer.socket.queuedCount }
            sending.open(at: loop.now, length: loop.times.rateWindow)
            if writable == nil {
                writable = LoopEvent(.writable(peer.socket.descriptor), on: loop.base) { [unowned self] in sendOutput()
                }
            }
            writable?.start()
        }
        deadline = nextDeadline()
    }

    private var wantsInput: Bool {
        guard !hasInputEnded else { return false }
        guard phase == .open else { return phase == .lingering }
        guard let exchange else { return hasRoom && !isPausing }
        return exchange.isReceiving ? !exchange.isFull : reader.unreadCount < loop.limits.pipelinedBytes
    }

    /// Whether another response may be produced before the waiting ones are sent.
    var hasRoom: Bool { output.count < loop.limits.outputBuffer && unsent.count < Self.maximumUnsent }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        readable = nil
        writable = nil
        loop.remove(self)
    }
}
