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
        if connections.isEmpty, acceptors.isEmpty { ticker?.stop() }
    }

    private func listen(at socket: ListeningSocket) {
        acceptors.append(Acceptor(socket, on: base, server: server, ownIndex: index) { [unowned self] in adopt($0) })
        ticker?.start(every: times.tick)
    }

    private func adopt(_ peer: AcceptedConnection) {
        now = .now
        connectionCount += 1
        guard let connection = HTTPConnection(peer, id: connectionCount, loop: self) else { return }
        connections[connection.id] = connection
        ticker?.start(every: times.tick)
        connection.start()
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
    }

    /// Accepts the waiting connections, then stops accepting and drains all connections.
    private func drain() {
        for acceptor in acceptors { acceptor.finish() }
        if !acceptors.isEmpty {
            acceptors = []
            server.connectionCounter.close()
        }
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
