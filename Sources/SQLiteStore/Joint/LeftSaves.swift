// SPDX-License-Identifier: Apache-2.0

// What a store remembers of saves into several stores, from one call to the next.

import FoundationEssentials
import ObjectGraph
import Synchronization

/// Whether records may have been left, and which decisions are to go.
final class LeftSaves: Sendable {
    /// Whether there may be records of saves that have ended. Asked before each write, so it takes no lock.
    let mayExist = Atomic(false)
    private let forgotten = Mutex<[UUID]>([])

    func forget(_ identifier: UUID) { forgotten.withLock { $0.append(identifier) } }

    /// The decisions that are to go, which stay to be so until that is committed.
    var toForget: [UUID] { forgotten.withLock(\.self) }

    func didForget(_ identifiers: [UUID]) { forgotten.withLock { $0.removeAll(where: identifiers.contains) } }
}
