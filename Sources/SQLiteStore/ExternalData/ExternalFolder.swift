// SPDX-License-Identifier: Apache-2.0

// The folder of a store's large values.

import Files
import FoundationEssentials

/// The folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside a store's file, where `<store>` has no extension.
struct ExternalFolder: Sendable {
    /// From the store's folder down to the folder of the files.
    private let levels: [String]

    init(store path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().path
        let support = folder + "/" + Self.supportName(ofStoreAt: path)
        levels = [folder, support, support + "/_EXTERNAL_DATA"]
    }

    /// The name of the folder beside the store for its additional files.
    static func supportName(ofStoreAt path: String) -> String {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        return "." + file.deletingPathExtension().lastPathComponent + "_SUPPORT"
    }

    var path: String { levels[2] }

    func path(of name: ExternalFileName) -> String { path + "/" + name.text }

    /// Creates the folder durably if it is missing.
    func make() throws(FileError) {
        for level in levels.dropFirst() { try OpenFolder.make(level) }
        for level in levels { try OpenFolder(level).sync() }
    }

    /// The names of files that may be values; others are ignored.
    var names: [ExternalFileName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.compactMap(ExternalFileName.init)
    }

    /// The size in bytes, or nil if the file is missing.
    func size(of name: ExternalFileName) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path(of: name)))?[.size] as? Int
    }
}

// MARK: Copying

extension ExternalFolder {
    /// Copies files into the folder of another store, ignoring missing ones.
    func copy(_ names: Set<ExternalFileName>, to other: ExternalFolder) throws(FileError) {
        guard !names.isEmpty else { return }
        try other.make()
        for name in names where FileSystem.exists(path(of: name)) {
            try FileSystem.copy(path(of: name), to: other.path(of: name))
        }
        try OpenFolder(other.path).sync()
    }

    /// Waits for running removals of named files and prevents new ones; nil if there are no files.
    func lockForCopying() throws(FileError) -> OpenFolder? {
        guard FileSystem.exists(levels[1]) else { return nil }
        let lock = try OpenFolder(levels[1])
        try lock.lockExclusively()
        return lock
    }

    /// Nil while files are being copied.
    func lockForRemoving() -> OpenFolder? {
        guard let lock = try? OpenFolder(levels[1]), lock.tryLockShared() else { return nil }
        return lock
    }
}
