// SPDX-License-Identifier: Apache-2.0

// What a store remembers about saves into several stores between calls.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// Whether records may be left over, and which decisions to remove.
final class UnfinishedSaves: Sendable {
    /// Whether there may be records of saves that have ended. It is read before each write, hence atomic.
    let mayExist = Atomic(false)
    private let forgotten = Mutex<[UUID]>([])

    func forget(_ identifier: UUID) { forgotten.withLock { $0.append(identifier) } }

    /// The decisions to remove, kept until their removal is committed.
    var decisionsToRemove: [UUID] { forgotten.withLock(\.self) }

    func didRemoveDecisions(_ identifiers: [UUID]) { forgotten.withLock { $0.removeAll(where: identifiers.contains) } }
}
