// SPDX-License-Identifier: Apache-2.0

// The memory of all editing contexts together.

import HTTPMessage
import JSON
import Synchronization

/// What is pending in each editing context, by its number, and how much it may be in all.
final class ContextMemory: Sendable {
    private struct State {
        var sizes: [Int: Int] = [:]
        var total = 0

        mutating func set(_ size: Int, of number: Int) {
            total += size - sizes[number, default: 0]
            sizes[number] = size > 0 ? size : nil
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The bytes that are pending in all contexts.
    var total: Int { state.withLock { $0.total } }

    /// Notes what is pending in a context that a request has changed. It throws where there is more than before, and not the room for it.
    func take(_ size: Int, for number: Int) throws(Problem) {
        let isFull = state.withLock { state in
            let held = state.sizes[number, default: 0]
            guard size <= held || state.total - held + size <= limit else { return true }
            state.set(size, of: number)
            return false
        }
        if isFull { throw .contextsFull(limit) }
    }

    /// Notes what is pending in a context, whatever it is.
    func set(_ size: Int, for number: Int) { state.withLock { $0.set(size, of: number) } }
}

extension Problem {
    fileprivate static func contextsFull(_ limit: Int) -> Problem {
        var problem = Problem(
            .overload,
            "What is pending in all editing contexts together would take more than the \(limit) bytes that it may.",
            hint: "Save or end some; those that nobody uses end by themselves. GET /api/contexts lists them."
        )
        problem.extras["limit"] = "contextsMemory"
        problem.fields = [.retryAfter: "60"]
        return problem
    }
}
