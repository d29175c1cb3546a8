// SPDX-License-Identifier: Apache-2.0

// A store's file that appears under its name when it is whole.

import FoundationEssentials

enum NewStoreFile {
    /// Has a file made in a folder of its own beside a path, and moves it there with the files of its large values. Nothing is
    /// left where that fails; what was at the path stays until then.
    static func make(_ path: String, _ body: (_ temporaryPath: String) throws -> Void) throws {
        let manager = FileManager.default
        let place = URL(filePath: path)
        let parent = place.deletingLastPathComponent().path
        guard manager.fileExists(atPath: parent) else {
            throw Failure("The folder “\(parent)” doesn't exist.", code: "store.fileSystem", file: path)
        }
        let folder = parent + "/.\(place.lastPathComponent).\(UUID().uuidString).new"
        do {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: false)
        } catch {
            throw Failure("No file can be made in “\(parent)”.", code: "store.fileSystem", file: path)
        }
        defer { try? manager.removeItem(atPath: folder) }
        let new = folder + "/" + place.lastPathComponent
        try body(new)
        let support = "." + place.deletingPathExtension().lastPathComponent + "_SUPPORT"
        do {
            // The log of the file that was there would be taken for that of the new one.
            for old in [path + "-wal", path + "-shm", parent + "/" + support] where manager.fileExists(atPath: old) {
                try manager.removeItem(atPath: old)
            }
            if manager.fileExists(atPath: folder + "/" + support) {
                try manager.moveItem(atPath: folder + "/" + support, toPath: parent + "/" + support)
            }
            if manager.fileExists(atPath: path) {
                _ = try manager.removeItem(atPath: path)
            }
            try manager.moveItem(atPath: new, toPath: path)
        } catch {
            throw Failure("The new file can't be moved there.", code: "store.fileSystem", file: path)
        }
    }
}
