// SPDX-License-Identifier: Apache-2.0

import Cryptography
import HTTPMessage

/// A connection whose TLS handshake isn't complete.
//
//             ┌───────────────── needs input or output ──────────────┐
//             ▼                                                      │
//   begun ─▶ waiting ─ socket is ready ─▶ a thread takes a step ─────┴─ done ─▶ an HTTP connection
//             │                                              └─ failed ─▶ closed
//             ├─ time limit ─▶ closed
//             └─ the first byte isn't that of a handshake ─▶ an HTTP connection that is refused, without TLS
//
// Steps sign and verify, which takes up to some milliseconds. Therefore threads of their own take them, and connections of the
// loop go on meanwhile. The session is created with the first step, since silent clients need none.
final class Handshake {
    let id: Int
    let peer: AcceptedConnection
    var deadline: Moment

    private unowned let loop: EventLoop
    private let server: TLSServer
    private var session: TLSSession?
    private var readable: LoopEvent?
    private var writable: LoopEvent?

    init?(_ peer: AcceptedConnection, by server: TLSServer, id: Int, loop: EventLoop) {
        self.peer = peer
        self.server = server
        self.id = id
        self.loop = loop
        deadline = loop.now + loop.times.handshake
        readable = LoopEvent(.readable(peer.socket.descriptor), on: loop.base) { [unowned self] in socketIsReady() }
        guard readable != nil else { return nil }
        readable?.start()
    }

    private func socketIsReady() {
        readable?.stop()
        writable?.stop()
        guard session == nil else { return takeStep() }
        switch peer.socket.firstByte() {
        case .some(TLSSession.firstByte): takeStep()
        // Something else, probably a request without TLS, or the end.
        case .some: end(with: .plain(peer.socket))
        case nil: end(with: nil)
        }
    }

    private func takeStep() {
        loop.server.handshakes?.submit { [id, peer, server, session, mailbox = loop.mailbox] in
            let session = session ?? server.session(on: peer.socket.descriptor)
            let step = session?.handshake() ?? .failed("no memory")
            mailbox.post(.handshake(connection: id, session, step))
        }
    }

    /// Handles the result of a step.
    func didTakeStep(_ step: TLSSession.Step, _ session: TLSSession?) {
        self.session = session
        switch step {
        case .done: end(with: session.map { .secure($0, peer.socket) })
        case .needsInput: readable?.start()
        case .needsOutput:
            if writable == nil {
                writable = LoopEvent(.writable(peer.socket.descriptor), on: loop.base) { [unowned self] in
                    socketIsReady()
                }
            }
            writable?.start()
        case .failed(let reason):
            loop.application.handshakeDidFail(reason, client: peer.client)
            end(with: nil)
        }
    }

    /// Hands the connection over, or closes it.
    private func end(with transport: Transport?) {
        readable = nil
        writable = nil
        loop.handshakeDidEnd(self, with: transport)
    }
}
