// SPDX-License-Identifier: Apache-2.0

// Who is there.

import Dispatch
import Synchronization

/// Counts the connections of all loops, and tells when the last one has gone.
final class Census: Sendable {
    private let state = Mutex(State())
    private let emptied = DispatchSemaphore(value: 0)

    private struct State {
        var count = 0
        var clients: [[UInt8]: Int] = [:]
        /// While it does, there may be another connection at any time.
        var accepts = true
    }

    var count: Int { state.withLock { $0.count } }

    /// Counts a connection, and tells whether that is within limits.
    func enter(_ client: [UInt8]?, limits: ServerLimits) -> Bool {
        state.withLock { state in
            state.count += 1
            let own = client.map { client in
                state.clients[client, default: 0] += 1
                return state.clients[client, default: 0]
            }
            return state.count <= limits.connections && own ?? 0 <= limits.connectionsPerClient
        }
    }

    func leave(_ client: [UInt8]?) {
        let isEmpty = state.withLock { state in
            state.count -= 1
            if let client {
                let left = state.clients[client, default: 1] - 1
                state.clients[client] = left > 0 ? left : nil
            }
            return state.count == 0 && !state.accepts
        }
        if isEmpty { emptied.signal() }
    }

    /// No more connections are accepted.
    func close() {
        let isEmpty = state.withLock { state in
            state.accepts = false
            return state.count == 0
        }
        if isEmpty { emptied.signal() }
    }

    /// Waits until all have gone, or somebody gives up, or for as long as it is given. Whether all have gone.
    func waitUntilEmpty(_ limit: Duration) -> Bool {
        _ = emptied.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        return state.withLock { $0.count == 0 && !$0.accepts }
    }

    /// Has nobody wait any longer.
    func giveUp() { emptied.signal() }
}
