// SPDX-License-Identifier: Apache-2.0

// Takes in connections.

import Glibc

/// Accepts the connections of one listening socket, and deals them out to all loops in turn: with `SO_REUSEPORT`, where the
/// system deals by a checksum of addresses, a few busy connections often come to lie in one loop.
final class Acceptor {
    /// So many at once, so that the loop gets to do its other work.
    private static let batch = 64

    private let socket: ListeningSocket
    private let server: ServerContext
    private let own: Int
    private let adopt: (AcceptedConnection) -> Void
    private var event: LoopEvent?
    private var next: Int

    init(
        _ socket: ListeningSocket,
        on base: EventBase,
        _ server: ServerContext,
        own: Int,
        adopt: @escaping (AcceptedConnection) -> Void
    ) {
        self.socket = socket
        self.server = server
        self.own = own
        self.adopt = adopt
        next = own
        event = LoopEvent(.readable(socket.descriptor), on: base) { [unowned self] in _ = accept() }
        event?.start()
    }

    /// Goes on where it had to stop.
    func resume() { event?.start() }

    /// Takes in what waits, and then stops.
    func finish() {
        while accept() {}
        event = nil
    }

    /// Whether more may wait.
    private func accept() -> Bool {
        for _ in 0..<Self.batch {
            guard let (descriptor, address) = SocketAddress.accept(socket.descriptor) else { return canGoOn(errno) }
            take(Socket(descriptor), address)
        }
        return true
    }

    private func canGoOn(_ number: CInt) -> Bool {
        switch number {
        case EAGAIN, EWOULDBLOCK: return false
        case EINTR, EPERM, EPROTO, ECONNABORTED, ENETDOWN, ENETUNREACH, ENONET, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT,
            EOPNOTSUPP:
            // One that had gone before it was accepted.
            return true
        default:
            // There are no descriptors, or whatever: the system would tell again and again that somebody waits. The next tick
            // tries again.
            event?.stop()
            return false
        }
    }

    private func take(_ accepted: Socket, _ address: SocketAddress) {
        let key = address.client
        let admission = server.census.enter(key, limits: server.limits)
        guard admission != .turnedAway else { return }
        let connection = AcceptedConnection(
            accepted,
            client: key == nil ? socket.address.description : address.host,
            isLocal: socket.address.isLocal,
            key: key,
            isSurplus: admission == .surplus,
            census: server.census
        )
        if next == own { adopt(connection) } else { server.mailboxes[next].post(.adopt(connection)) }
        next = (next + 1) % server.mailboxes.count
    }
}
