// SPDX-License-Identifier: Apache-2.0

// Keeps a watched draft in memory, and has its live queries follow merges.

import ObjectGraph
import Synchronization

/// Held by a client that watches an editing context.
final class ContextWatch: Sendable {
    private let context: EditingContext
    private let hold: ContextHold
    private let number: Int?

    init(_ context: EditingContext) {
        self.context = context
        hold = ContextHold(context.head)
        number = try? context.family.watch(context.member) { [weak queries = context.liveQueries] _ in
            queries?.invalidate()
        }
    }

    deinit {
        guard let number else { return }
        // Deferred, since the family's turn may be held by a request that waits for the live queries.
        Task { [context] in context.family.endWatch(number, of: context.member) }
    }
}
