// SPDX-License-Identifier: Apache-2.0

import Glibc
import HTTPMessage

/// An event loop with its connections. It stays on one thread; other threads post messages to its mailbox.
final class EventLoop {
    let server: ServerContext
    let application: any HTTPApplication
    let limits: ServerLimits
    let readLimits: HTTPReadLimits
    let times: LoopTimes
    let mailbox: LoopMailbox
    let base: EventBase

    /// The time of the current event.
    var now = Moment.now
    /// The buffer for reading.
    var scratch = [UInt8](repeating: 0, count: 64 << 10)
    /// The storage for the next output.
    var spare: [UInt8] = []

    private var dateSecond = -1
    private var dateText: [UInt8] = []
    private var connections: [Int: HTTPConnection] = [:]
    private var handshakes: [Int: Handshake] = [:]
    private var connectionCount = 0
    private var acceptors: [Acceptor] = []
    private var wake: LoopEvent?
    private var ticker: LoopEvent?

    private let index: Int

    init(_ server: ServerContext, index: Int) throws(ServerError) {
        self.index = index
        self.server = server
        application = server.application
        limits = server.limits
        readLimits = server.limits.readLimits
        times = LoopTimes(server.configuration)
        mailbox = server.mailboxes[index]
        base = try EventBase()
        wake = LoopEvent(.readable(mailbox.descriptor), on: base) { [unowned self] in handleMessages() }
        ticker = LoopEvent(.timer, on: base) { [unowned self] in tick() }
        guard let wake, ticker != nil else { throw .exhausted }
        wake.start()
    }

    /// Runs until it is stopped.
    func run() {
        base.run()
        handshakes = [:]
        for connection in Array(connections.values) { connection.abort() }
        wake = nil
        ticker = nil
        acceptors = []
        _ = mailbox.end()
    }

    /// The date for response headers, formatted once per second.
    func date() -> [UInt8] {
        let second = time(nil)
        if second != dateSecond {
            dateSecond = second
            dateText.removeAll(keepingCapacity: true)
            HTTPDate(secondsSince1970: second).write(into: &dateText)
        }
        return dateText
    }

    func remove(_ connection: HTTPConnection) {
        connections[connection.id] = nil
        stopTickerIfIdle()
    }

    private func stopTickerIfIdle() {
        if connections.isEmpty, handshakes.isEmpty, acceptors.isEmpty { ticker?.stop() }
    }

    private func listen(at socket: ListeningSocket) {
        acceptors.append(Acceptor(socket, on: base, server: server, ownIndex: index) { [unowned self] in adopt($0) })
        ticker?.start(every: times.tick)
    }

    private func adopt(_ peer: AcceptedConnection) {
        now = .now
        connectionCount += 1
        ticker?.start(every: times.tick)
        if peer.service == .secure, let tls = server.tls {
            handshakes[connectionCount] = Handshake(peer, by: tls, id: connectionCount, loop: self)
        } else {
            serve(peer, over: .plain(peer.socket), id: connectionCount)
        }
    }

    private func serve(_ peer: AcceptedConnection, over transport: Transport, id: Int) {
        guard let connection = HTTPConnection(peer, over: transport, id: id, loop: self) else { return }
        connections[id] = connection
        connection.start()
    }

    /// Serves the connection of a handshake, or closes it.
    func handshakeDidEnd(_ handshake: Handshake, with transport: Transport?) {
        now = .now
        handshakes[handshake.id] = nil
        if let transport { serve(handshake.peer, over: transport, id: handshake.id) }
        stopTickerIfIdle()
    }

    private func handleMessages() {
        for message in mailbox.drain() {
            now = .now
            switch message {
            case .listen(let socket): listen(at: socket)
            case .adopt(let peer): adopt(peer)
            case .answer(let id, let response, let pipe, let queued):
                if let connection = connections[id.connection] {
                    connection.workerDidRespond(to: id.number, with: response, pipe: pipe, queued: queued)
                } else {
                    pipe?.close()
                }
            case .output(let id): connections[id.connection]?.outputIsAvailable(id.number)
            case .wantsBody(let id): connections[id.connection]?.bodyHasSpace(id.number)
            case .handshake(let id, let session, let step): handshakes[id]?.didTakeStep(step, session)
            case .input(let id): connections[id]?.inputIsAnnounced()
            case .resume(let id): connections[id]?.resume()
            case .drain: drain()
            case .stop: base.stop()
            }
        }
    }

    private func tick() {
        now = .now
        for acceptor in acceptors { acceptor.resume() }
        for connection in Array(connections.values) where connection.deadline <= now { connection.deadlineHasPassed() }
        for handshake in Array(handshakes.values) where handshake.deadline <= now {
            application.handshakeDidFail("it took too long", client: handshake.peer.client)
            handshakeDidEnd(handshake, with: nil)
        }
    }

    /// Accepts the waiting connections, then stops accepting and drains all connections.
    private func drain() {
        for acceptor in acceptors { acceptor.finish() }
        if !acceptors.isEmpty {
            acceptors = []
            server.connectionCounter.close()
        }
        for handshake in handshakes.values { handshake.deadline = min(handshake.deadline, now + times.farewell) }
        for connection in Array(connections.values) { connection.drain() }
    }
}

extension ServerLimits {
    /// The limits of the request reader.
    fileprivate var readLimits: HTTPReadLimits {
        HTTPReadLimits(
            requestLine: requestLine,
            // One more, so that this limit is never the one exceeded.
            fieldLine: fieldBytes &+ 1,
            fieldBytes: fieldBytes,
            fieldCount: fieldCount,
            chunkLine: chunkLine,
            chunkExtensions: chunkExtensions,
            trailerBytes: trailerBytes,
            body: body
        )
    }
}
