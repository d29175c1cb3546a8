// SPDX-License-Identifier: Apache-2.0

// Who listens to a coordinator.

import Synchronization

/// The closures that are called with what happens to the stores, in the order in which it happens.
///
/// What is put in while a lock is held is delivered after that lock was given back, so that observers may do anything.
final class CoordinatorObservers: Sendable {
    fileprivate struct State {
        var observers: [Int: @Sendable (CoordinatorNotification) -> Void] = [:]
        var last = 0
        var waiting: [CoordinatorNotification] = []
        /// Whether some thread is at it; it delivers what comes meanwhile, too.
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

    /// Puts something in, to be delivered later. Nothing is made where nobody listens.
    func put(_ notification: () -> CoordinatorNotification) {
        guard state.withLock({ !$0.observers.isEmpty }) else { return }
        let notification = notification()
        state.withLock { $0.waiting.append(notification) }
    }

    /// Calls the observers with what waits. They aren't bound by the limits of whoever saved.
    func deliver() {
        while let (notifications, observers) = state.withLock({ $0.takeWaiting() }) {
            for notification in notifications {
                for observer in observers { WorkLimits.lifted { observer(notification) } }
            }
            state.withLock { $0.isDelivering = false }
        }
    }
}

extension CoordinatorObservers.State {
    fileprivate typealias Delivery = ([CoordinatorNotification], [@Sendable (CoordinatorNotification) -> Void])

    fileprivate mutating func takeWaiting() -> Delivery? {
        guard !isDelivering, !waiting.isEmpty else { return nil }
        isDelivering = true
        defer { waiting = [] }
        return (waiting, observers.sorted { $0.key < $1.key }.map(\.value))
    }
}
