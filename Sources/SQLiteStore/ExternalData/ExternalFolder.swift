// SPDX-License-Identifier: Apache-2.0

// Where the files of a store's large values are.

import Files
import FoundationEssentials

/// The folder `.<store>_SUPPORT/_EXTERNAL_DATA` beside the file of a store, whose name in it has no extension.
struct ExternalFolder: Sendable {
    /// From the folder of the store down to the one of the files.
    private let levels: [String]

    init(store path: String) {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().path
        let support = folder + "/" + Self.supportName(ofStoreAt: path)
        levels = [folder, support, support + "/_EXTERNAL_DATA"]
    }

    /// The name of the folder beside the store that has all which belongs to it.
    static func supportName(ofStoreAt path: String) -> String {
        let file = URL(filePath: path).resolvingSymlinksInPath()
        return "." + file.deletingPathExtension().lastPathComponent + "_SUPPORT"
    }

    var path: String { levels[2] }

    func path(of name: ExternalFileName) -> String { path + "/" + name.text }

    /// Makes the folder if it isn't there, so that it is there for good.
    func make() throws(FileError) {
        for level in levels.dropFirst() { try OpenFolder.make(level) }
        for level in levels { try OpenFolder(level).sync() }
    }

    /// The files that may be values: others are nobody's business here.
    var names: [ExternalFileName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.compactMap(ExternalFileName.init)
    }

    /// Nil where there is no such file.
    func size(of name: ExternalFileName) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path(of: name)))?[.size] as? Int
    }
}

// MARK: Copying

extension ExternalFolder {
    /// Copies files into the folder of another store. Those that aren't there are missing in that one as well.
    func copy(_ names: Set<ExternalFileName>, to other: ExternalFolder) throws(FileError) {
        guard !names.isEmpty else { return }
        try other.make()
        for name in names where FileSystem.exists(path(of: name)) {
            try FileSystem.copy(path(of: name), to: other.path(of: name))
        }
        try OpenFolder(other.path).sync()
    }

    /// Waits until nobody removes files that rows have named, and keeps everybody from it; nil where there are none.
    func lockForCopying() throws(FileError) -> OpenFolder? {
        guard FileSystem.exists(levels[1]) else { return nil }
        let lock = try OpenFolder(levels[1])
        try lock.lockAlone()
        return lock
    }

    /// Nil while somebody copies files.
    func lockForRemoving() -> OpenFolder? {
        guard let lock = try? OpenFolder(levels[1]), lock.tryLockTogether() else { return nil }
        return lock
    }
}
