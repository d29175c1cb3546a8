// SPDX-License-Identifier: Apache-2.0

// Log lines for calls to a store, which may run several statements.

import ObjectGraph

extension SQLLog {
    func logFetch(_ result: StoreFetchResult, in time: Duration) {
        let seconds = LogText.seconds(time)
        if case .count(let count) = result {
            log("total count request execution time: \(seconds) for count of \(count).")
        } else {
            logFetch(rowCount: result.rowCount, in: time)
        }
    }

    func logFetch(rowCount: Int, in time: Duration) {
        log("total fetch execution time: \(LogText.seconds(time)) for \(rowCount) rows.")
    }

    func logFaults(_ objects: [ManagedObjectID], _ snapshots: [Snapshot?]) {
        guard let object = objects.first else { return }
        let found = snapshots.count { $0 != nil }
        if objects.count == 1 {
            log("fault \(found == 0 ? "not " : "")fulfilled from database for : \(name(of: object))")
        } else {
            log("\(found) of \(objects.count) faults fulfilled from database.")
        }
    }

    func logMembers(of relationship: RelationshipDescription, _ owners: [ManagedObjectID], count: Int) {
        guard let owner = owners.first else { return }
        if owners.count == 1 {
            log(
                """
                to-many relationship fault "\(relationship.name)" for objectID \(name(of: owner)) fulfilled from database.  \
                Got \(count) rows
                """
            )
        } else {
            logPrefetch(of: relationship, ownerCount: owners.count, rowCount: count)
        }
    }

    func logPrefetch(of relationship: RelationshipDescription, ownerCount: Int, rowCount: Int) {
        log("Prefetching with key '\(relationship.name)' for \(ownerCount) objects.  Got \(rowCount) rows.")
    }

    func logSave(_ request: StoreSaveRequest, _ result: StoreSaveResult, in time: Duration) {
        let seconds = LogText.seconds(time)
        switch result {
        case .saved:
            let new = request.insertions.count
            let changed = request.updates.count
            let gone = request.deletions.count
            log("total save execution time: \(seconds) for \(new) inserted, \(changed) updated, \(gone) deleted.")
        case .conflicts:
            log("total save execution time: \(seconds), in conflict with what is in the database.")
        }
    }

    func logBatch(_ result: StoreBatchResult, in time: Duration) {
        log("total batch execution time: \(LogText.seconds(time)) for \(result.count) rows.")
    }

    private func log(_ text: String) { sink([LogText.line("annotation: " + text)]) }

    /// Omits the key unless values are logged, since it is one of the bound values.
    private func name(of objectID: ManagedObjectID) -> String {
        includesValues ? "<\(objectID.uri)>" : objectID.entity.name
    }
}
