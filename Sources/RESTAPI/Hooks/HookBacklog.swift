// SPDX-License-Identifier: Apache-2.0

// What a hook hasn't delivered.

import FoundationEssentials

/// The transactions behind a hook's position, before its predicate.
struct HookBacklog: Sendable {
    let count: Int
    /// Whether there are more than were counted.
    let hasMore: Bool
    /// When the first one was made.
    let since: Date?

    /// Counting ends after this number of transactions, or of changes.
    static let limit = 1_000
    static let changeLimit = 10_000
}
