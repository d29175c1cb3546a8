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
        /// Called when the contents are drained or the pipe is closed.
        var drainage: [@Sendable () -> Void] = []

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

    /// Appends bytes without waiting. Returns false if the pipe is closed or ended; a full buffer fails it, but an empty one
    /// takes any number of bytes.
    func send(_ bytes: [UInt8]) -> Bool {
        let (isAccepted, isNews) = state.withLock { state in
            guard !state.isClosed, !state.contents.isEnded, !state.contents.isFailed else { return (false, false) }
            guard state.contents.count == 0 || bytes.count <= limit - state.contents.count else {
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

    /// Calls a closure, on any thread, as soon as the loop has drained the contents or the pipe is closed.
    func whenDrained(_ body: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.isClosed || state.contents.isFailed || state.contents.count == 0 { return true }
            state.drainage.append(body)
            return false
        }
        if isDrained { body() }
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
        let (contents, drainage) = state.withLock { state in
            defer {
                state.contents.pieces = []
                state.contents.count = 0
                state.isAnnounced = false
                state.drainage = []
                wake(&state)
            }
            return (state.contents, state.drainage)
        }
        for body in drainage { body() }
        return contents
    }

    /// Rejects further bytes and wakes the writer.
    func close() {
        let drainage = state.withLock { state in
            defer { state.drainage = [] }
            state.isClosed = true
            state.contents = Contents()
            wake(&state)
            return state.drainage
        }
        for body in drainage { body() }
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
