// SPDX-License-Identifier: Apache-2.0

// The bytes of an answer on their way from who makes them to the loop that sends them.

import Dispatch
import HTTPMessage
import Synchronization

/// A bounded buffer between one writer and a loop.
final class OutputPipe: Sendable {
    /// What a loop finds.
    struct Contents {
        var pieces: [[UInt8]] = []
        var count = 0
        /// Whether this is the last of it.
        var isEnded = false
        /// Whether the rest could not be made.
        var isFailed = false
    }

    private struct State {
        var contents = Contents()
        /// Nobody takes anything any more.
        var isClosed = false
        /// The loop knows that there is something.
        var isAnnounced = false
        var isWaiting = false

        /// Whether the loop is to be told.
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

    /// Adds bytes, once there is room for them.
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

    /// Adds bytes at once. False where nobody takes them, or so many wait that nobody seems to, which ends it.
    func send(_ bytes: [UInt8]) -> Bool {
        let (isTaken, isNews) = state.withLock { state in
            guard !state.isClosed, !state.contents.isEnded, !state.contents.isFailed else { return (false, false) }
            guard bytes.count <= limit - state.contents.count else {
                state.contents = Contents(isFailed: true)
                return (false, state.announces())
            }
            return (true, bytes.isEmpty ? false : state.add(bytes))
        }
        if isNews { announce() }
        return isTaken
    }

    func end() { finish { $0.isEnded = true } }

    /// Says that the rest will not come.
    func fail() { finish { $0.isFailed = true } }

    /// Whether there is something to take.
    var hasContents: Bool {
        state.withLock { $0.contents.count > 0 || $0.contents.isEnded || $0.contents.isFailed }
    }

    /// Whether the rest will not come.
    var isFailed: Bool { state.withLock { $0.contents.isFailed } }

    /// What has come since the last time.
    func take() -> Contents {
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

    /// Lets whoever writes know that nobody listens.
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
