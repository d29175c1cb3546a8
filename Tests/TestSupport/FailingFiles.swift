// SPDX-License-Identifier: Apache-2.0

// The system as it fails with files, for tests.

package import Files
import Synchronization

/// Files beside those of SQLite that fail when they are told to, for what a closure does on its own thread.
///
///     let files = FailingFiles()
///     files.fail(3)
///     try? files.run { try store.backUp(to: copy) }
///     let hasFailed = files.mend() > 0
package final class FailingFiles: FileGuard {
    private struct State {
        var operation: FileOperation?
        /// How many operations there are yet until one fails; nil where none will.
        var left: Int?
        var lasts = false
        var failures = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try FileSystem.$fileGuard.withValue(self) { try body() }
    }

    /// Has the n-th operation from now on fail, of one kind or of any, and all later ones where that lasts.
    package func fail(_ n: Int, _ operation: FileOperation? = nil, lasts: Bool = false) {
        state.withLock { $0 = State(operation: operation, left: n, lasts: lasts) }
    }

    /// Ends all failing, and tells how much has failed.
    @discardableResult
    package func mend() -> Int {
        state.withLock { state in
            defer { state = State() }
            return state.failures
        }
    }

    package func check(_ operation: FileOperation, _ path: String) throws(FileError) {
        let fails = state.withLock { state in
            guard let left = state.left, state.operation ?? operation == operation else { return false }
            state.left = left > 1 ? left - 1 : state.lasts ? 1 : nil
            if left == 1 { state.failures += 1 }
            return left == 1
        }
        if fails { throw FileError(.full, "the disk is full", path: path) }
    }
}
