// SPDX-License-Identifier: Apache-2.0

// That whoever has begun something wants it to end.

import Glibc
import Synchronization

/// Takes the first Ctrl-C while there is one of it, so that what runs can end where nothing is lost. A second one ends the process at once.
///
/// Safe to use: sets of signals are values, which the calls only read.
@safe
final class Interruption {
    /// What is thrown then.
    struct Asked: Error {}

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
        // Whoever has started the program may have held them back.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    deinit { for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) } }

    /// Throws where it has been asked for.
    func check() throws(Asked) {
        if Self.isAsked.load(ordering: .relaxed) { throw Asked() }
    }
}
