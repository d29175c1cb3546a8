// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Accepts the connections of a listening socket and distributes them to the loops in turn. With `SO_REUSEPORT`, where
/// the system distributes by a hash of addresses, busy connections often share a loop.
final class Acceptor {
    /// How many connections to accept before the loop's other work.
    private static let batch = 64

    private let socket: ListeningSocket
    private let server: ServerContext
    private let ownIndex: Int
    private let adopt: (AcceptedConnection) -> Void
    private var event: LoopEvent?
    private var next: Int

    init(
        _ socket: ListeningSocket,
        on base: EventBase,
        server: ServerContext,
        ownIndex: Int,
        adopt: @escaping (AcceptedConnection) -> Void
    ) {
        self.socket = socket
        self.server = server
        self.ownIndex = ownIndex
        self.adopt = adopt
        next = ownIndex
        event = LoopEvent(.readable(socket.descriptor), on: base) { [unowned self] in _ = accept() }
        event?.start()
    }

    /// Continues after an error stopped it.
    func resume() { event?.start() }

    /// Accepts the waiting connections, and then stops.
    func finish() {
        while accept() {}
        event = nil
    }

    /// Accepts a batch of connections. Returns whether more may be waiting.
    private func accept() -> Bool {
        for _ in 0..<Self.batch {
            guard let (descriptor, address) = SocketAddress.accept(socket.descriptor) else { return canContinue(errno) }
            add(Socket(descriptor), address)
        }
        return true
    }

    private func canContinue(_ number: CInt) -> Bool {
        switch number {
        case EAGAIN, EWOULDBLOCK: return false
        case EINTR, EPERM, EPROTO, ECONNABORTED, ENETDOWN, ENETUNREACH, ENONET, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT,
            EOPNOTSUPP:
            // The connection was closed before it was accepted.
            return true
        default:
            // Out of descriptors, or another persistent error: the event would fire continuously, so it stops until the
            // next tick.
            event?.stop()
            return false
        }
    }

    private func add(_ accepted: Socket, _ address: SocketAddress) {
        let key = address.client
        let admission = server.connectionCounter.add(key, limits: server.limits)
        guard admission != .dropped else { return }
        let connection = AcceptedConnection(
            accepted,
            for: socket.service,
            client: key == nil ? socket.address.description : address.host,
            isLocal: socket.address.isLocal,
            key: key,
            isSurplus: admission == .surplus,
            connectionCounter: server.connectionCounter
        )
        if next == ownIndex { adopt(connection) } else { server.mailboxes[next].post(.adopt(connection)) }
        next = (next + 1) % server.mailboxes.count
    }
}
