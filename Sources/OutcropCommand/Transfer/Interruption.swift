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

    private static let isAsked = Atomic(false)

    init() {
        Self.isAsked.store(false, ordering: .relaxed)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&signals, number)
            signal(number) { number in
                Interruption.isAsked.store(true, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
        // The parent process may have blocked them.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    deinit { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }

    /// Whether there was an interruption since the latest `Interruption` was made.
    static var isRequested: Bool { isAsked.load(ordering: .relaxed) }

    /// Throws after an interruption.
    func check() throws(Requested) {
        if Self.isAsked.load(ordering: .relaxed) { throw Requested() }
    }
}
