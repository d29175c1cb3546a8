// SPDX-License-Identifier: Apache-2.0

// What a hook has done.

import FoundationEssentials

/// What has happened to a hook since the start.
struct HookStatus: Sendable {
    struct Attempt: Sendable {
        let time: Date
        let status: Int?
        /// Why it failed, or nil.
        let reason: String?
    }

    var lastSuccess: Attempt?
    var lastFailure: Attempt?
    /// Why the hook can't read or write its stores, or nil.
    var obstacle: String?
}
