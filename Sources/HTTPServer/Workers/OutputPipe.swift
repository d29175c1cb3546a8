// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPMessage
import Synchronization

/// A bounded buffer for a response's body, from one writer to a loop.
final class OutputPipe: Sendable {
    /// The contents since the loop's last call.
    struct Contents {
        var pieces: [[UInt8]] = []
        var count = 0
        /// Whether the body is complete.
        var isEnded = false
        /// Whether the rest couldn't be produced.
        var isFailed = false
    }

    private struct State {
        var contents = Contents()
        /// Whether the contents are no longer wanted.
        var isClosed = false
        /// Whether the loop has been notified.
        var isAnnounced = false
        var isWaiting = false

        /// Appends bytes. Returns whether the loop must be notified.
        mutating func add(_ bytes: [UInt8]) -> Bool {
            contents.pieces.append(bytes)
            contents.count += bytes.count
            return announces()
        }

        mutating func announces() -> Bool {
            defer { isAnnounced = true }
            return !isAnnounced
        }
    }

    private let limit: Int
    private let announce: @Sendable () -> Void
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    init(limit: Int, announce: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.announce = announce
    }

    /// Appends bytes, waiting for space.
    func write(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        while true {
            let (isDone, isNews) = try state.withLock { state in
                guard !state.isClosed else { throw HTTPConnectionError.clientGone }
                guard state.contents.count < limit else {
                    state.isWaiting = true
                    return (false, false)
                }
                return (true, state.add(bytes))
            }
            if isNews { announce() }
            if isDone { return }
            room.wait()
        }
    }

    /// Appends bytes without waiting. Returns false if the pipe is closed or ended; a full buffer fails it.
    func send(_ bytes: [UInt8]) -> Bool {
        let (isAccepted, isNews) = state.withLock { state in
            guard !state.isClosed, !state.contents.isEnded, !state.contents.isFailed else { return (false, false) }
            guard bytes.count <= limit - state.contents.count else {
                state.contents = Contents(isFailed: true)
                // Even if the loop was notified of contents that it leaves here until the client has read more.
                state.isAnnounced = true
                return (false, true)
            }
            return (true, bytes.isEmpty ? false : state.add(bytes))
        }
        if isNews { announce() }
        return isAccepted
    }

    func end() { finish { $0.isEnded = true } }

    /// Ends the body prematurely.
    func fail() { finish { $0.isFailed = true } }

    /// Whether there is anything to take.
    var hasContents: Bool {
        state.withLock { $0.contents.count > 0 || $0.contents.isEnded || $0.contents.isFailed }
    }

    /// Whether the body ended prematurely.
    var isFailed: Bool { state.withLock { $0.contents.isFailed } }

    /// Removes and returns the contents.
    func drain() -> Contents {
        state.withLock { state in
            defer {
                state.contents.pieces = []
                state.contents.count = 0
                state.isAnnounced = false
                wake(&state)
            }
            return state.contents
        }
    }

    /// Rejects further bytes and wakes the writer.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.contents = Contents()
            wake(&state)
        }
    }

    private func finish(_ change: (inout Contents) -> Void) {
        let isNews = state.withLock { state in
            guard !state.isClosed, !state.contents.isEnded, !state.contents.isFailed else { return false }
            change(&state.contents)
            return state.announces()
        }
        if isNews { announce() }
    }

    private func wake(_ state: inout State) {
        guard state.isWaiting else { return }
        state.isWaiting = false
        room.signal()
    }
}
