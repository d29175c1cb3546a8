// SPDX-License-Identifier: Apache-2.0

// The IDs of objects that many rows refer to.

import FoundationEssentials
import ObjectGraph

/// The IDs that the rows of one read refer to. Rows with the same destination share its ID as a rule, which saves memory
/// and time.
///
/// An ID is found by the last digits of its key: the latest one of several with the same digits is kept.
struct SharedIDs {
    private var ids: [ManagedObjectID?] = []
    private var isUsed = false

    private static let size = 1024

    mutating func objectID(_ entity: EntityDescription, _ store: UUID, key: Int64) -> ManagedObjectID {
        let place = Int(truncatingIfNeeded: key) & (Self.size - 1)
        if !ids.isEmpty, let known = ids[place], known.entity == entity, known.reference == .integer(key) {
            return known
        }
        let objectID = ManagedObjectID(entity: entity, store: store, reference: .integer(key))
        // A single row has nothing to share.
        if ids.isEmpty, isUsed { ids = Array(repeating: nil, count: Self.size) }
        isUsed = true
        if !ids.isEmpty { ids[place] = objectID }
        return objectID
    }
}
