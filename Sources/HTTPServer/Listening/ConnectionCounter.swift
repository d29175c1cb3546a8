// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Counts the connections of all loops, and signals when the last one is closed.
final class ConnectionCounter: Sendable {
    enum Admission {
        /// The connection is accepted.
        case accepted
        /// The connection is refused with a response.
        case surplus
        /// The connection is closed without a response, since too many are being refused.
        case dropped
    }

    /// How many connections above the limit are refused with a response.
    static let maximumSurplus = 64

    private let state = Mutex(State())
    private let emptied = DispatchSemaphore(value: 0)

    private struct State {
        var count = 0
        var surplus = 0
        var clients: [[UInt8]: Int] = [:]
        /// Whether connections may still be added.
        var accepts = true

        var isEmpty: Bool { count == 0 && surplus == 0 && !accepts }
    }

    /// The number of accepted connections.
    var count: Int { state.withLock { $0.count } }

    /// Counts a connection. Unless it is turned away, `remove` must follow.
    func add(_ client: [UInt8]?, limits: ServerLimits) -> Admission {
        state.withLock { state in
            let own = client.map { state.clients[$0, default: 0] } ?? 0
            guard state.count < limits.connections, client == nil || own < limits.connectionsPerClient else {
                guard state.surplus < Self.maximumSurplus else { return .dropped }
                state.surplus += 1
                return .surplus
            }
            state.count += 1
            if let client { state.clients[client] = own + 1 }
            return .accepted
        }
    }

    func remove(_ client: [UInt8]?, isSurplus: Bool) {
        let isEmpty = state.withLock { state in
            if isSurplus {
                state.surplus -= 1
            } else {
                state.count -= 1
                if let client {
                    let left = state.clients[client, default: 1] - 1
                    state.clients[client] = left > 0 ? left : nil
                }
            }
            return state.isEmpty
        }
        if isEmpty { emptied.signal() }
    }

    /// Records that no more connections will be accepted.
    func close() {
        let isEmpty = state.withLock { state in
            state.accepts = false
            return state.isEmpty
        }
        if isEmpty { emptied.signal() }
    }

    /// Waits until all connections are closed, the time is up, or `stopWaiting` is called. Returns whether all are closed.
    func waitUntilEmpty(_ limit: Duration) -> Bool {
        _ = emptied.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        return state.withLock { $0.isEmpty }
    }

    /// Ends `waitUntilEmpty`.
    func stopWaiting() { emptied.signal() }
}
