// SPDX-License-Identifier: Apache-2.0

// Removes what a crash has left of large values.

import Files
import FoundationEssentials
import SQLiteDriver

/// Finds files that no row names: see `ExternalFiles`, 5 and 6.
struct OrphanCollection: Sendable {
    let files: ExternalFiles
    let database: Database
    var cancellation: Cancellation?

    /// Returns how many files were removed.
    func run() throws -> Int {
        var orphans = Set(files.folder.names)
        // Another store with the same folder may name what this one doesn't.
        guard orphans.isEmpty || SQLiteStore.neighbors(ofStoreAt: database.path).isEmpty else { return 0 }
        try subtractNamed(from: &orphans)
        orphans = orphans.filter { $0.isCapital && isOld($0) }
        // Others wait for the lock, so that it is for those few who find something; and something may have been named meanwhile.
        guard !orphans.isEmpty, let lock = files.folder.lockForRemoving(),
            let folder = try? OpenFolder(files.folder.path), folder.tryLockAlone()
        else { return 0 }
        try subtractNamed(from: &orphans)
        var count = 0
        for name in orphans where (try? FileSystem.remove(files.folder.path(of: name))) != nil { count += 1 }
        return withExtendedLifetime((lock, folder)) { count }
    }

    private func subtractNamed(from orphans: inout Set<ExternalFileName>) throws {
        guard !orphans.isEmpty else { return }
        let candidates = orphans
        orphans = try database.read(cancellation: cancellation) { connection in
            var orphans = candidates
            try connection.transaction { try connection.allExternalNames { orphans.remove($0) } }
            return orphans
        }
    }

    private func isOld(_ name: ExternalFileName) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: files.folder.path(of: name))
        return (attributes?[.modificationDate] as? Date).map { $0 < files.openedAt } ?? false
    }
}
