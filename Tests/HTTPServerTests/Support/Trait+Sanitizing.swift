// SPDX-License-Identifier: Apache-2.0

// Tests that don't work under a sanitizer.

import FoundationEssentials
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test that runs in a process of its own, where the thread sanitizer has no symbols and doesn't apply the
    /// list of false positives (`.ci/races`), and for a test of the C library's heap, which sanitizers replace.
    static var unsanitized: ConditionTrait {
        .disabled(
            if: ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] != nil,
            "Sanitizers see other things in other processes, and have a heap of their own."
        )
    }
}
