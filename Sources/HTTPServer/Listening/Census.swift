// SPDX-License-Identifier: Apache-2.0

// Who is there.

import Dispatch
import Synchronization

/// Counts the connections of all loops, and tells when the last one has gone.
final class Census: Sendable {
    enum Admission {
        /// There is a place for it.
        case within
        /// There is none, and it is told so.
        case surplus
        /// There are too many of those, too.
        case turnedAway
    }

    /// So many more than the limit are told that there is no place.
    static let mostSurplus = 64

    private let state = Mutex(State())
    private let emptied = DispatchSemaphore(value: 0)

    private struct State {
        var count = 0
        var surplus = 0
        var clients: [[UInt8]: Int] = [:]
        /// While it does, there may be another connection at any time.
        var accepts = true

        var isEmpty: Bool { count == 0 && surplus == 0 && !accepts }
    }

    /// How many have a place.
    var count: Int { state.withLock { $0.count } }

    /// Counts a connection, which is to leave again where it was admitted in one of both ways.
    func enter(_ client: [UInt8]?, limits: ServerLimits) -> Admission {
        state.withLock { state in
            let own = client.map { state.clients[$0, default: 0] } ?? 0
            guard state.count < limits.connections, client == nil || own < limits.connectionsPerClient else {
                guard state.surplus < Self.mostSurplus else { return .turnedAway }
                state.surplus += 1
                return .surplus
            }
            state.count += 1
            if let client { state.clients[client] = own + 1 }
            return .within
        }
    }

    func leave(_ client: [UInt8]?, isSurplus: Bool) {
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

    /// No more connections are accepted.
    func close() {
        let isEmpty = state.withLock { state in
            state.accepts = false
            return state.isEmpty
        }
        if isEmpty { emptied.signal() }
    }

    /// Waits until all have gone, or somebody gives up, or for as long as it is given. Whether all have gone.
    func waitUntilEmpty(_ limit: Duration) -> Bool {
        _ = emptied.wait(timeout: .now() + .nanoseconds(limit.nanoseconds))
        return state.withLock { $0.isEmpty }
    }

    /// Has nobody wait any longer.
    func giveUp() { emptied.signal() }
}
