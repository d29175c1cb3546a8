// SPDX-License-Identifier: Apache-2.0

// Messages from other threads to a loop.

import CLibevent
import Cryptography
import Glibc
import HTTPMessage
import Synchronization

/// The identity of an exchange within a loop.
struct ExchangeID: Hashable, Sendable {
    var connection: Int
    var number: Int
}

enum LoopMessage: Sendable {
    case listen(ListeningSocket)
    /// An accepted connection.
    case adopt(AcceptedConnection)
    /// A worker's response. The pipe provides a body that isn't part of the response.
    case answer(ExchangeID, HTTPResponse, OutputPipe?, queued: Duration)
    /// The pipe of a response has new contents.
    case output(ExchangeID)
    /// The pipe of a request's body has space again.
    case wantsBody(ExchangeID)
    /// The result of a step of a handshake, and the session if there was enough memory for one.
    case handshake(connection: Int, TLSSession?, TLSSession.Step)
    /// TLS has input although the socket isn't readable.
    case input(connection: Int)
    /// The connection has its turn again.
    case resume(connection: Int)
    case drain
    case stop
}

/// Messages to a loop, which is woken once for all messages that it hasn't drained.
///
/// Safe to use: it owns the descriptor, and the counter that is read and written outlives the calls.
@safe
final class LoopMailbox: Sendable {
    /// Readable while there are messages.
    let descriptor: CInt
    private let state = Mutex(State())

    private struct State {
        var messages: [LoopMessage] = []
        var isClosed = false
    }

    init() throws(ServerError) {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .exhausted }
    }

    deinit { close(descriptor) }

    /// Posts a message, which is dropped if the loop has ended.
    func post(_ message: LoopMessage) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return state.messages.count == 1
        }
        guard isFirst else { return }
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// The messages since the last call.
    func drain() -> [LoopMessage] {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Rejects further messages, and returns the remaining ones.
    func end() -> [LoopMessage] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.messages
        }
    }
}
