// SPDX-License-Identifier: Apache-2.0

// A store that gives way to another one, and stays in a folder beside it.

import Files
import FoundationEssentials
import SQLiteStore

/// The files of a store, which are moved to a folder of their own. None is removed.
///
/// API keys and sessions stay where they are: a restored store must not accept a key that was revoked since.
struct ReplacedStore {
    let folder: String
    private let parent: String
    private let names: [String]

    /// Throws if the store is open.
    init(_ path: String, _ kind: StoreKind, at date: Date) throws {
        try Self.checkUnused(path, kind)
        let place = URL(filePath: path)
        let name = place.lastPathComponent
        parent = place.deletingLastPathComponent().path
        let base = "\(path)-replaced-\(DatedBackup.stamp(date))"
        folder =
            FileSystem.exists(base)
            ? (2...).lazy.map { "\(base)-\($0)" }.first { !FileSystem.exists($0) } ?? base : base
        let files = SQLiteStore.filesOfStore(at: path).map { URL(filePath: $0).lastPathComponent }
        // Drafts are based on versions that the restored store may assign again.
        names = files + [SQLiteStore.supportName(ofStoreAt: path), name + "-contexts"]
    }

    /// Moves the files away while a closure moves others to their place. If that fails, they are moved back.
    func replaced(_ body: () throws -> Void) throws {
        try OpenFolder.make(folder)
        var moved: [String] = []
        do {
            for name in names where FileSystem.exists("\(parent)/\(name)") {
                try FileSystem.rename("\(parent)/\(name)", to: "\(folder)/\(name)")
                moved.append(name)
            }
            try OpenFolder(folder).sync()
            try body()
        } catch {
            for name in moved.reversed() { try? FileSystem.rename("\(folder)/\(name)", to: "\(parent)/\(name)") }
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    private static func checkUnused(_ path: String, _ kind: StoreKind) throws {
        guard kind == .sqlite else { return }
        do {
            _ = try SQLiteStore.checkpointIntoOneFile(path)
        } catch let error as StoreError where error.code != .locked {
            // A damaged store can't be opened, and is what a restore is for.
            let holders = ["", "-wal", "-shm"].flatMap { FileSystem.lockHolders(of: path + $0) }
            guard holders.isEmpty else { throw error }
        }
    }
}
