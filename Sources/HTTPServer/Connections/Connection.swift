// SPDX-License-Identifier: Apache-2.0

// One connection: what it is doing, and what wakes it.

import HTTPMessage

/// A connection of a loop, which reads requests one after the other and answers them in their order.
//
//                 ┌─ isReadable: reader.next() ─┐
//                 ▼                             │
//   adopted ──▶ open ───────────────────────────┘
//                 │  exchange == nil: between requests, or within a head
//                 │  exchange != nil: begin ─▶ intake (collecting, streaming, discarding) ─▶ complete
//                 │                          answer (none ─▶ awaited ─▶ sending) ─▶ complete ; both: conclude()
//                 │
//                 ├─ finish(): the last answer is on its way ─▶ finishing ─ all is sent ─▶ lingering ─ end, or time ─▶ closed
//                 └─ abort(), or idle for too long ──────────────────────────────────────────────────────────────▶ closed
//
// Invariants:
// 1. There is one exchange at a time; further requests stay in the reader, and reading stops when they are many.
// 2. An exchange ends once: by conclude(), which has its record told when its last byte was sent, or by abandon(), which
//    cancels it and has it told at once.
// 3. Only what is named by the number of the present exchange is heard from workers.
// 4. After each event, send() has been called, and settle() has set what is waited for and until when.
//
// A client that has closed and one that has only ended its side look the same on TCP: an end of input. Such a one is asked by
// `100 Continue`, which any client of HTTP/1.1 must bear and skip, when its answer takes longer than a tick: whoever has closed
// answers it with a reset. On Unix sockets the system tells.
final class Connection {
    enum Phase {
        case open
        case finishing
        case lingering
        case closed
    }

    /// An exchange whose answer is sent when so many bytes are.
    struct Concluded {
        var end: Int
        var exchange: Exchange
    }

    /// So many answers wait to be sent at most, however short they are.
    private static let mostUnsent = 256

    let id: Int
    let loop: EventLoop
    let peer: AcceptedConnection
    var phase = Phase.open

    var reader: HTTPRequestReader
    var exchange: Exchange?
    var exchangeCount = 0
    /// The number of the last request that is begun before others have their turn, and whether they have it.
    var turnEnd = 0
    var isPausing = false
    /// When the first byte of the next request came.
    var requestStart: Moment
    var isInputOver = false
    /// The client was asked whether it is there.
    var isProbed = false

    var output = OutputQueue()
    var concluded: [Concluded] = []

    /// Since when nothing happens.
    var restingSince: Moment
    var receiving = RateWindow()
    var sending = RateWindow()
    /// How many bytes the system had yet to deliver when the present span of `sending` began.
    var queuedBefore = 0
    var deadline = Moment.never

    private var readable: LoopEvent?
    private var writable: LoopEvent?

    init?(_ peer: AcceptedConnection, id: Int, loop: EventLoop) {
        self.peer = peer
        self.id = id
        self.loop = loop
        reader = HTTPRequestReader(limits: loop.readLimits)
        requestStart = loop.now
        restingSince = loop.now
        readable = LoopEvent(.readable(peer.socket.descriptor), on: loop.base) { [unowned self] in isReadable() }
        guard readable != nil else { return nil }
    }

    /// Begins to be served.
    func start() {
        if peer.isSurplus { refuse(loop.server.overload("connections")) }
        update()
    }

    func isReadable() {
        loop.now = .now
        switch peer.socket.read(into: &loop.scratch) {
        case .bytes(let count): receive(count)
        case .later: break
        case .end: inputIsOver()
        case .failed: abort()
        }
        update()
    }

    func isWritable() {
        loop.now = .now
        update()
    }

    /// Handles what there is, sends, and waits for more.
    func update() {
        advance()
        settle()
    }

    private func receive(_ count: Int) {
        guard phase == .open else { return }
        if exchange == nil, reader.isBetweenRequests { requestStart = loop.now }
        receiving.add(count)
        reader.receive(Array(loop.scratch[..<count]))
    }

    private func inputIsOver() {
        isInputOver = true
        if phase == .lingering || peer.socket.isGone { abort() }
    }

    // MARK: What is waited for

    private func settle() {
        guard phase != .closed else { return }
        if wantsInput {
            readable?.start()
        } else {
            readable?.stop()
        }
        if output.isEmpty {
            writable?.stop()
            sending.close()
        } else {
            if !sending.isOpen { queuedBefore = peer.socket.queuedCount }
            sending.open(loop.now, loop.times.rateWindow)
            if writable == nil {
                writable = LoopEvent(.writable(peer.socket.descriptor), on: loop.base) { [unowned self] in isWritable()
                }
            }
            writable?.start()
        }
        deadline = nextDeadline()
    }

    private var wantsInput: Bool {
        guard !isInputOver else { return false }
        guard phase == .open else { return phase == .lingering }
        guard let exchange else { return hasRoom && !isPausing }
        return exchange.isReceiving ? !exchange.isFull : reader.unreadCount < loop.limits.pipelinedBytes
    }

    /// Whether another answer may be made before those that wait are sent.
    var hasRoom: Bool { output.count < loop.limits.outputBuffer && concluded.count < Self.mostUnsent }

    func close() {
        guard phase != .closed else { return }
        phase = .closed
        (readable, writable) = (nil, nil)
        loop.remove(self)
    }
}
