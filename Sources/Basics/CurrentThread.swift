// SPDX-License-Identifier: Apache-2.0

// The thread that runs.

package import Glibc

package enum CurrentThread {
    /// Identifies the calling thread.
    ///
    /// The system declares `pthread_self` as a constant function. In an async function, the optimizer may therefore use its
    /// result again after a suspension, when another thread continues. It can't look into this function.
    @_optimize(none)
    package static func identifier() -> pthread_t { pthread_self() }
}
