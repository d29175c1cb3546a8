// SPDX-License-Identifier: Apache-2.0

// The observers of a coordinator.

import Synchronization

/// The closures that are called with notifications, in order.
///
/// A notification that is enqueued while a lock is held is delivered after that lock was released, so that observers
/// may do anything.
final class CoordinatorObservers: Sendable {
    fileprivate struct State {
        var observers: [Int: @Sendable (CoordinatorNotification) -> Void] = [:]
        var last = 0
        var waiting: [CoordinatorNotification] = []
        /// Whether a thread is delivering; it also delivers what is enqueued meanwhile.
        var isDelivering = false
    }

    private let state = Mutex(State())

    func add(_ observer: @escaping @Sendable (CoordinatorNotification) -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
    }

    func remove(_ number: Int) { state.withLock { $0.observers[number] = nil } }

    /// Enqueues a notification. It isn't created if there are no observers.
    func enqueue(_ notification: () -> CoordinatorNotification) {
        guard state.withLock({ !$0.observers.isEmpty }) else { return }
        let notification = notification()
        state.withLock { $0.waiting.append(notification) }
    }

    /// Calls the observers with the queued notifications, without the limits of the request that saved.
    func deliver() {
        while let (notifications, observers) = state.withLock({ $0.drainWaiting() }) {
            for notification in notifications {
                for observer in observers { WorkLimits.withoutLimits { observer(notification) } }
            }
            state.withLock { $0.isDelivering = false }
        }
    }
}

extension CoordinatorObservers.State {
    fileprivate typealias Delivery = ([CoordinatorNotification], [@Sendable (CoordinatorNotification) -> Void])

    fileprivate mutating func drainWaiting() -> Delivery? {
        guard !isDelivering, !waiting.isEmpty else { return nil }
        isDelivering = true
        defer { waiting = [] }
        return (waiting, observers.sorted { $0.key < $1.key }.map(\.value))
    }
}
