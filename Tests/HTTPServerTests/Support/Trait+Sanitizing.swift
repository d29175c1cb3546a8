// SPDX-License-Identifier: Apache-2.0

// Tests that don't work under a sanitizer.

import FoundationEssentials
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test that runs in a process of its own. There the thread sanitizer has no symbols and doesn't apply the
    /// list of false positives (`.ci/races`); the address sanitizer keeps freed memory.
    static var unsanitized: ConditionTrait {
        .disabled(
            if: ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] != nil,
            "Sanitizers see other things in other processes."
        )
    }
}
