// SPDX-License-Identifier: Apache-2.0

// How other threads reach a loop.

import CLibevent
import Glibc
import HTTPMessage
import Synchronization

/// One request and its answer, among all of a loop.
struct ExchangeID: Hashable, Sendable {
    var connection: Int
    var number: Int
}

enum LoopMessage: Sendable {
    case listen(ListeningSocket)
    /// A connection that was accepted.
    case adopt(AcceptedConnection)
    /// What a worker has made of a request; the pipe has, or will have, the body that isn't part of the response itself.
    case answer(ExchangeID, HTTPResponse, OutputPipe?, queued: Duration)
    /// There is something in an answer's pipe.
    case output(ExchangeID)
    /// There is room for more of the request's body.
    case wantsBody(ExchangeID)
    /// It is a connection's turn again.
    case goOn(connection: Int)
    case drain
    case stop
}

/// Messages to a loop. It is woken once for all that come before it looks.
///
/// Safe to use: the descriptor is its own, and the counter that is read and written outlives the calls.
@safe
final class LoopMailbox: Sendable {
    /// Readable when there are messages.
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

    /// Leaves a message, which nobody gets once the loop has ended.
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

    /// The messages that have come.
    func take() -> [LoopMessage] {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Takes no more messages, and gives those that nobody took.
    func end() -> [LoopMessage] {
        state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.messages
        }
    }
}
