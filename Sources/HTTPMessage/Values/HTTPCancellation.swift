// SPDX-License-Identifier: Apache-2.0

// Cancellation of requests.

import Synchronization

/// Set once, when the client disconnects or the server stops.
public final class HTTPCancellation: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        var listeners: [@Sendable () -> Void] = []
    }

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Adds a closure to be called on cancellation, or at once if already cancelled.
    public func onCancel(_ listener: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.listeners.append(listener) }
            return state.isCancelled
        }
        if isCancelled { listener() }
    }

    public func cancel() {
        let listeners = state.withLock { state in
            defer {
                state.isCancelled = true
                state.listeners = []
            }
            return state.isCancelled ? [] : state.listeners
        }
        for listener in listeners { listener() }
    }
}
