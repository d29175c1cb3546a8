// SPDX-License-Identifier: Apache-2.0

// Removes large values that a crash has left.

import Files
import FoundationEssentials
import SQLiteDriver

/// Finds and removes files that no row names: see `ExternalFiles`, 5 and 6.
struct OrphanCollection: Sendable {
    let files: ExternalFiles
    let database: Database
    var cancellation: Cancellation?

    /// Returns the number of removed files.
    func run() throws -> Int {
        var orphans = Set(files.folder.names)
        // Another store with the same folder may name these files.
        guard orphans.isEmpty || SQLiteStore.neighbors(ofStoreAt: database.path).isEmpty else { return 0 }
        try subtractNamed(from: &orphans)
        orphans = orphans.filter { $0.isCapital && isOld($0) }
        // The exclusive lock makes others wait, so it is acquired only if there are orphans, and these are checked
        // again under it.
        guard !orphans.isEmpty, let lock = files.folder.lockForRemoving(),
            let folder = try? OpenFolder(files.folder.path), folder.tryLockExclusively()
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
