// SPDX-License-Identifier: Apache-2.0

// The memory of all editing contexts together.

import Synchronization

/// What is pending in each editing context that is in memory, by its number, and how much it may be in all.
final class ContextMemory: Sendable {
    private struct State {
        var sizes: [Int: Int] = [:]
        var total = 0

        mutating func set(_ size: Int, of number: Int) {
            total += size - sizes[number, default: 0]
            sizes[number] = size > 0 ? size : nil
        }
    }

    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The bytes that are pending in all contexts.
    var total: Int { state.withLock { $0.total } }

    /// The bytes that are pending in a context.
    func size(of number: Int) -> Int { state.withLock { $0.sizes[number, default: 0] } }

    /// Records what is pending in a context that a request has changed, unless that is more than before, and there is no room for it.
    func take(_ size: Int, for number: Int) -> Bool {
        state.withLock { state in
            let held = state.sizes[number, default: 0]
            guard size <= held || state.total - held + size <= limit else { return false }
            state.set(size, of: number)
            return true
        }
    }

    /// Whether there is room for contexts that are taken from their files. There is for the only ones.
    func hasRoom(for size: Int) -> Bool { state.withLock { $0.total == 0 || $0.total + size <= limit } }

    /// Records what is pending in a context, whatever it is.
    func set(_ size: Int, for number: Int) { state.withLock { $0.set(size, of: number) } }
}
