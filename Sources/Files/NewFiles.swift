// SPDX-License-Identifier: Apache-2.0

// Files that appear together, when all of them are complete.

import FoundationEssentials
import Glibc

/// A temporary folder beside the destination of its files.
//
//     init ──▶ making ── appear() ──▶ done ── deinit: the folder is removed, with what was replaced
//                │          │
//                │          └─ fails: all are moved back ──▶ making, or, if that fails, the folder is kept
//                └─ deinit: the folder is removed
package final class NewFiles {
    /// The temporary folder.
    package let folder: String
    private let parent: String
    /// The account that the files are for, if root makes them: that of the file that they replace, or else of the folder.
    private let owner: stat?
    /// Whether the folder contains files that could not be moved back.
    private var keepsFiles = false

    /// Creates the folder beside a path.
    package init(beside path: String) throws(FileError) {
        let place = URL(filePath: path)
        parent = place.deletingLastPathComponent().path
        owner = FileSystem.owner(of: [path])
        folder = parent + "/.\(place.lastPathComponent).\(UUID().uuidString).new"
        do throws(FileError) {
            try OpenFolder.make(folder)
        } catch {
            throw FileError(error.code, error.reason, path: path)
        }
    }

    deinit {
        if !keepsFiles { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Moves the named files and folders, if they exist, beside the path, in order, and syncs.
    /// If this fails, all are moved back.
    ///
    /// - Parameter old: Files that are moved away first, if they exist.
    package func moveIntoPlace(_ names: [String], replacing old: [String] = []) throws(FileError) {
        var moves: [(from: String, to: String)] = []
        func move(_ from: String, _ to: String) throws(FileError) {
            guard FileSystem.exists(from) else { return }
            guard !FileSystem.exists(to) else { throw FileError(.inTheWay, "a file is in its way", path: to) }
            try FileSystem.rename(from, to: to)
            moves.append((from, to))
        }
        do throws(FileError) {
            let replaced = folder + "/replaced"
            if !old.isEmpty { try OpenFolder.make(replaced) }
            for name in old { try move("\(parent)/\(name)", "\(replaced)/\(name)") }
            FileSystem.setOwner(of: names, in: folder, owner)
            for name in names { try move("\(folder)/\(name)", "\(parent)/\(name)") }
            try OpenFolder(parent).sync()
        } catch {
            for move in moves.reversed() where (try? FileSystem.rename(move.to, to: move.from)) == nil {
                keepsFiles = true
            }
            throw error
        }
    }
}
