// SPDX-License-Identifier: Apache-2.0

// The bytes of a request's body on their way from a loop to who reads them.

import Dispatch
import HTTPMessage
import Synchronization

/// A bounded buffer between a loop and one reader, who gets all of it at once: however small the pieces are that a client sends,
/// they take no more memory than their bytes.
final class BodyPipe: HTTPBodyReader {
    private struct State {
        var bytes: [UInt8] = []
        var isEnded = false
        var error: (any Error)?
        /// The loop was told that there is no room.
        var isFull = false
        var isWaiting = false
    }

    private let limit: Int
    /// Lets the loop know that there is room again.
    private let ask: @Sendable () -> Void
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(limit: Int, ask: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.ask = ask
    }

    func read() throws -> [UInt8]? {
        while true {
            let (bytes, isOver, asks) = try state.withLock { state in
                guard state.bytes.isEmpty else {
                    defer { (state.bytes, state.isFull) = ([], false) }
                    return (state.bytes, false, state.isFull)
                }
                if let error = state.error { throw error }
                state.isWaiting = !state.isEnded
                return ([], state.isEnded, false)
            }
            if asks { ask() }
            if !bytes.isEmpty { return bytes }
            if isOver { return nil }
            arrivals.wait()
        }
    }

    /// Hands bytes on. False where there is no room for more.
    func give(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            if state.bytes.isEmpty { state.bytes = bytes } else { state.bytes += bytes }
            state.isFull = state.bytes.count >= limit
            wake(&state)
            return !state.isFull
        }
    }

    func end() {
        state.withLock { state in
            state.isEnded = true
            wake(&state)
        }
    }

    /// Nothing more comes, for a reason. What is there is dropped, since it is of no use.
    func fail(_ error: any Error) {
        state.withLock { state in
            guard !state.isEnded, state.error == nil else { return }
            state.error = error
            state.bytes = []
            wake(&state)
        }
    }

    private func wake(_ state: inout State) {
        guard state.isWaiting else { return }
        state.isWaiting = false
        arrivals.signal()
    }
}
