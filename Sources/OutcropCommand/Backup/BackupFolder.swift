// SPDX-License-Identifier: Apache-2.0

// A folder of dated backups.

import Files
import FoundationEssentials
import Identities
import SQLiteStore

/// A folder that gets a dated backup at a time, and loses old ones.
///
/// 1. A backup appears, by one rename, when it is complete, checked and on the disk.
/// 2. Nothing is removed before the new backup is there. A backup is renamed before it is removed, so that half a backup never
///    counts as one.
/// 3. One process at a time changes the folder, so what an interrupted one has left can be removed.
struct BackupFolder {
    let path: String

    private static let mark = ".new"

    /// What to copy.
    struct Source {
        let path: String
        let kind: StoreKind
        /// Copies the store to a new file.
        let copy: (String) throws -> Void
    }

    struct Addition {
        let backup: DatedBackup
        let check: BackupCheck
        let removed: [DatedBackup]
    }

    /// Makes a backup, and then removes the oldest of the same store beyond a number.
    func add(_ source: Source, keeping limit: Int?) throws -> Addition {
        let lock = try open()
        defer { withExtendedLifetime(lock) {} }
        removeLeftovers(of: source)
        let begun = Date.now
        let name = freeName(for: source, at: begun)
        let new = try NewFiles(beside: path + "/" + name)
        let folder = new.folder + "/" + name
        try OpenFolder.make(folder)
        let store = Self.name(ofFile: source.path)
        let copy = folder + "/" + store
        try source.copy(copy)
        let made = Date.now
        let check = try BackupCheck(copy, source.kind, of: source.path)
        var manifest = BackupManifest(
            store: store,
            kind: source.kind,
            begun: begun,
            made: made,
            size: FileSystem.size(of: copy) ?? 0,
            digest: try BackupManifest.digest(ofFile: copy)
        )
        manifest.identifier = check.identifier
        manifest.objects = check.objects
        let keys = KeyFile(besides: source.path).path
        if FileSystem.exists(keys) { try FileSystem.copy(keys, to: KeyFile(besides: copy).path) }
        try manifest.write(in: folder)
        try OpenFolder(folder).sync()
        try new.moveIntoPlace([name])
        let backup = DatedBackup(folder: path + "/" + name, manifest: manifest)
        return Addition(backup: backup, check: check, removed: try limit.map { try trim(to: $0, like: backup) } ?? [])
    }

    /// The backups in the folder, from the oldest to the newest.
    var backups: [DatedBackup] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { !$0.hasPrefix(".") }.compactMap { DatedBackup(in: path + "/" + $0) }
            .sorted { ($0.manifest.begun, $0.folder) < ($1.manifest.begun, $1.folder) }
    }

    private func open() throws -> OpenFolder {
        do throws(FileError) {
            if !FileSystem.exists(path) { try OpenFolder.make(path) }
            let folder = try OpenFolder(path)
            try folder.lockExclusively()
            return folder
        } catch {
            throw Failure(
                "Backups can't be kept there: \(error.reason).",
                hint: "Name a folder that can be written, in one that exists.",
                code: "store.fileSystem",
                file: path
            )
        }
    }

    private func freeName(for source: Source, at date: Date) -> String {
        let name = Self.stem(of: source.path) + "-" + DatedBackup.stamp(date)
        guard FileSystem.exists(path + "/" + name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !FileSystem.exists(path + "/" + $0) } ?? name
    }

    /// Removes the oldest backups of a store beyond a number.
    private func trim(to limit: Int, like backup: DatedBackup) throws -> [DatedBackup] {
        let same = backups.filter {
            $0.manifest.store == backup.manifest.store && $0.manifest.identifier == backup.manifest.identifier
        }
        let removed = same.dropLast(max(limit, 1))
        for old in removed {
            let place = path + "/." + Self.name(ofFile: old.folder) + ".removed" + Self.mark
            try FileSystem.rename(old.folder, to: place)
            try? FileManager.default.removeItem(atPath: place)
        }
        return Array(removed)
    }

    /// Removes what interrupted backups of a store have left.
    private func removeLeftovers(of source: Source) {
        let prefix = "." + Self.stem(of: source.path) + "-"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(Self.mark) {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    static func name(ofFile path: String) -> String { URL(filePath: path).lastPathComponent }

    private static func stem(of path: String) -> String {
        URL(filePath: path).deletingPathExtension().lastPathComponent
    }
}
