// SPDX-License-Identifier: Apache-2.0

// Interruption of a command by the user.

import Glibc
import Synchronization

/// Handles the first Ctrl-C while an instance exists, so that work ends without loss. A second one ends the process.
///
/// Safe: signal sets are values, which the calls only read.
@safe
final class Interruption {
    /// Thrown after an interruption.
    struct Requested: Error {}

    /// The signal, or 0.
    private static let received = Atomic<CInt>(0)

    init() {
        Self.received.store(0, ordering: .relaxed)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&signals, number)
            signal(number) { number in
                Interruption.received.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
        // The parent process may have blocked them.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    deinit { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }

    /// Whether there was an interruption since the latest `Interruption` was made.
    static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

    /// The exit code of a command that was interrupted.
    static var status: ReportStatus { received.load(ordering: .relaxed) == SIGTERM ? .terminated : .interrupted }

    /// Throws after an interruption.
    func check() throws(Requested) {
        if Self.isRequested { throw Requested() }
    }
}
