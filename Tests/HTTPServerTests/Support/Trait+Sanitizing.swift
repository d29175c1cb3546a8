// SPDX-License-Identifier: Apache-2.0

// Which tests make no sense under a sanitizer.

import FoundationEssentials
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test that runs in a process of its own. There the thread sanitizer has no names for what it sees, and so doesn't
    /// pass over what it takes for races and isn't (`.ci/races`); the address sanitizer keeps memory that was given back.
    static var unsanitized: ConditionTrait {
        .disabled(
            if: ProcessInfo.processInfo.environment["OUTCROP_SANITIZER"] != nil,
            "Sanitizers see other things in other processes."
        )
    }
}
