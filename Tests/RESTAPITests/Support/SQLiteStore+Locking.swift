// SPDX-License-Identifier: Apache-2.0

// Stores that another program has locked.

import ObjectGraph
import Predicates
import SQLiteStore
import Testing

extension SQLiteStore {
    /// Attempts a save of the blog until it waits for another program's lock. From then on, the store reports the lock
    /// as the reason for late writes, even for those whose time ends before they wait for it themselves.
    func meetLock(_ coordinator: PersistentStoreCoordinator) {
        let limits = WorkLimits(isCancelled: { self.isLockedByOthers })
        #expect(throws: GraphError.self) {
            try limits.hold {
                try coordinator.withContext { context in
                    try context.insert("Tag").setValue("x", forKey: "name")
                    try context.save()
                }
            }
        }
        #expect(isLockedByOthers)
    }
}
