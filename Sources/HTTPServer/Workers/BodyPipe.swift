// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPMessage
import Synchronization

/// A bounded buffer for a request's body, from a loop to one reader. The reader gets the whole contents at once, so
/// small pieces don't take more memory than their bytes.
final class BodyPipe: HTTPBodyReader {
    private struct State {
        var bytes: [UInt8] = []
        var isEnded = false
        var error: (any Error)?
        /// Whether the loop was asked to pause.
        var isFull = false
        var isWaiting = false
    }

    private let limit: Int
    /// Notifies the loop that there is space again.
    private let requestMore: @Sendable () -> Void
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(limit: Int, requestMore: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.requestMore = requestMore
    }

    func read() throws -> [UInt8]? {
        while true {
            let (bytes, isOver, requestsMore) = try state.withLock { state in
                guard state.bytes.isEmpty else {
                    defer {
                        state.bytes = []
                        state.isFull = false
                    }
                    return (state.bytes, false, state.isFull)
                }
                if let error = state.error { throw error }
                state.isWaiting = !state.isEnded
                return ([], state.isEnded, false)
            }
            if requestsMore { requestMore() }
            if !bytes.isEmpty { return bytes }
            if isOver { return nil }
            arrivals.wait()
        }
    }

    /// Appends bytes. Returns false if the buffer is full.
    func append(_ bytes: [UInt8]) -> Bool {
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

    /// Ends the body with an error. Unread bytes are dropped.
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
