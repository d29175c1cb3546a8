// SPDX-License-Identifier: Apache-2.0

// The stores that hooks read, which a change of the model replaces.

import ObjectGraph
import Synchronization

/// The served stores and the hooks' rules. One hook reads or writes at a time; none while the stores are migrated.
final class HookSource: Sendable {
    struct Content: Sendable {
        let coordinator: PersistentStoreCoordinator
        let catalogue: Catalogue
        let rules: [Hook: Result<HookRule, HookProblem>]
    }

    private struct State {
        var content: Content?
        var isSuspended = false
    }

    private let state = Mutex(State())
    /// Held while the stores are used, which may take a while.
    private let use = Mutex(())

    /// The stores; nil while they are being replaced.
    var content: Content? { state.withLock { $0.isSuspended ? nil : $0.content } }

    /// Runs a closure with the stores; nil while they are being replaced.
    func read<Value, Failure: Error>(
        _ body: (Content) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try use.withLock { (_) throws(Failure) in
            guard let content else { return nil }
            return try body(content)
        }
    }

    /// Runs a closure while no hook uses the stores; nil while they are being replaced.
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value? {
        try use.withLock { _ in
            guard !state.withLock(\.isSuspended) else { return nil }
            return try body()
        }
    }

    /// - Parameter resuming: Whether the stores' migration has ended, if there was one.
    func replace(with content: Content?, resuming: Bool) {
        state.withLock { state in
            state.content = content
            if resuming { state.isSuspended = false }
        }
    }

    /// Waits until no hook uses the stores, and lets none use them.
    func suspend() {
        state.withLock { $0.isSuspended = true }
        use.withLock { _ in }
    }

    func resume() { state.withLock { $0.isSuspended = false } }
}
