// SPDX-License-Identifier: Apache-2.0

// The memory of all editing contexts.

import Synchronization

/// Accounts for the pending changes of contexts in memory, by number, against a common limit.
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

    /// The size of all pending changes in bytes.
    var total: Int { state.withLock { $0.total } }

    /// The size of a context's pending changes in bytes.
    func size(of number: Int) -> Int { state.withLock { $0.sizes[number, default: 0] } }

    /// Records the new size of a changed context. Returns false, recording nothing, if it has grown
    /// and there is no room.
    func reserve(_ size: Int, for number: Int) -> Bool {
        state.withLock { state in
            let held = state.sizes[number, default: 0]
            guard size <= held || state.total - held + size <= limit else { return false }
            state.set(size, of: number)
            return true
        }
    }

    /// Whether contexts of a size can be loaded from their files. If memory is empty, they always can.
    func hasRoom(for size: Int) -> Bool { state.withLock { $0.total == 0 || $0.total + size <= limit } }

    /// Records the size of a context without checking the limit.
    func set(_ size: Int, for number: Int) { state.withLock { $0.set(size, of: number) } }
}
