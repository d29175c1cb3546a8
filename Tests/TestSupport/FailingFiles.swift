// SPDX-License-Identifier: Apache-2.0

// Failing file operations, for tests.

package import Files
import Synchronization

/// Makes file operations other than SQLite's fail on request, while a closure runs on its own thread.
///
///     let files = FailingFiles()
///     files.fail(3)
///     try? files.run { try store.backUp(to: copy) }
///     let hasFailed = files.mend() > 0
package final class FailingFiles: FileGuard {
    private struct State {
        var operation: FileOperation?
        /// The number of operations until the next failure, or nil.
        var left: Int?
        var lasts = false
        var failures = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try FileSystem.$fileGuard.withValue(self) { try body() }
    }

    /// Makes the n-th operation from now on fail, of one kind or of any, and all later ones if that lasts.
    package func fail(_ n: Int, _ operation: FileOperation? = nil, lasts: Bool = false) {
        state.withLock { $0 = State(operation: operation, left: n, lasts: lasts) }
    }

    /// Ends all failures, and returns their number.
    @discardableResult
    package func mend() -> Int {
        state.withLock { state in
            defer { state = State() }
            return state.failures
        }
    }

    package func check(_ operation: FileOperation, at path: String) throws(FileError) {
        let fails = state.withLock { state in
            guard let left = state.left, state.operation ?? operation == operation else { return false }
            state.left = left > 1 ? left - 1 : state.lasts ? 1 : nil
            if left == 1 { state.failures += 1 }
            return left == 1
        }
        if fails { throw FileError(.full, "the disk is full", path: path) }
    }
}
