// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Files and directories that are written together, replacing an older version.
indirect enum FileTree: Hashable, Sendable {
    case file([UInt8])
    case directory([String: FileTree])

    /// Replaces the contents of a path with the tree. The tree is first written beside it, so that an error leaves the
    /// old contents unchanged.
    ///
    /// - Parameter isStale: Whether an old entry that the new tree doesn't have is removed, by its path in the tree.
    ///   Others are kept.
    func replace(_ path: String, removing isStale: (String) -> Bool) throws(ModelError) {
        let path = ModelFileSystem.target(of: path)
        let parent = path.parentPath
        let name = path.lastPathPart
        let suffix = UUID().uuidString
        let new = "\(parent)/.\(name).new-\(suffix)"
        let old = "\(parent)/.\(name).old-\(suffix)"
        let manager = FileManager.default
        do {
            try write(to: new)
            let exists = ModelFileSystem.entry(at: path) != nil
            if exists {
                try copyOthers(from: path, to: new, "", isStale)
                try manager.moveItem(atPath: path, toPath: old)
            }
            do {
                try manager.moveItem(atPath: new, toPath: path)
            } catch {
                if exists { try manager.moveItem(atPath: old, toPath: path) }
                throw error
            }
            if exists { try manager.removeItem(atPath: old) }
        } catch {
            try? manager.removeItem(atPath: new)
            throw .fileSystem("The model can't be written", error, path)
        }
    }

    private func write(to path: String) throws {
        switch self {
        case .file(let bytes): try Data(bytes).write(to: URL(filePath: path))
        case .directory(let entries):
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            for (name, tree) in entries { try tree.write(to: "\(path)/\(name)") }
        }
    }

    private func copyOthers(from old: String, to new: String, _ place: String, _ isStale: (String) -> Bool) throws {
        guard case .directory(let entries) = self, ModelFileSystem.entry(at: old) == .directory else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: old) {
            let path = place.isEmpty ? name : "\(place)/\(name)"
            if let tree = entries[name] {
                try tree.copyOthers(from: "\(old)/\(name)", to: "\(new)/\(name)", path, isStale)
            } else if !isStale(path) {
                try FileManager.default.copyItem(atPath: "\(old)/\(name)", toPath: "\(new)/\(name)")
            }
        }
    }
}
