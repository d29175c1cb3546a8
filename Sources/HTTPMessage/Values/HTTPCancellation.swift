// SPDX-License-Identifier: Apache-2.0

// Whether anybody still wants the answer to a request.

import Synchronization

/// Is set once, when a client goes away or the server ends, and tells whoever works for it.
public final class HTTPCancellation: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        var listeners: [@Sendable () -> Void] = []
    }

    public init() {}

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Has a closure called when nobody wants the answer any more, at once where that is so already.
    public func onCancel(_ listener: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.listeners.append(listener) }
            return state.isCancelled
        }
        if isCancelled { listener() }
    }

    public func cancel() {
        let listeners = state.withLock { state in
            defer { (state.isCancelled, state.listeners) = (true, []) }
            return state.isCancelled ? [] : state.listeners
        }
        for listener in listeners { listener() }
    }
}
