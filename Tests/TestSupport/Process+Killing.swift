// SPDX-License-Identifier: Apache-2.0

// Processes that tests kill.

public import Foundation

extension Process {
    /// Prepares a process that is going to be killed. If it traps before, it ends at once: the program that prints backtraces
    /// would outlive it, with its output, which a test would wait for without end.
    public func endsWithoutBacktrace() {
        var environment = environment ?? ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        self.environment = environment
    }
}
