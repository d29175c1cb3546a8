// SPDX-License-Identifier: Apache-2.0

// Operations on files by path.

import Glibc

package enum FileSystem {
    /// Renames a file or a folder, replacing a file at the new path.
    package static func rename(_ path: String, to other: String) throws(FileError) {
        try check(.rename, at: path)
        try check(.rename, at: other)
        guard unsafe Glibc.rename(path, other) == 0 else { throw .latest(other) }
    }

    /// Creates a hard link to a file.
    package static func link(_ path: String, to other: String) throws(FileError) {
        try check(.link, at: path)
        try check(.link, at: other)
        guard unsafe Glibc.link(path, other) == 0 else { throw .latest(other) }
    }

    /// Removes a file. It remains readable while it is open or mapped.
    package static func remove(_ path: String) throws(FileError) {
        try check(.remove, at: path)
        guard unsafe unlink(path) == 0 else { throw .latest(path) }
    }

    /// Copies a file with its permissions to a new path, and syncs the copy.
    package static func copy(_ path: String, to other: String) throws(FileError) {
        let file = try OpenFile(reading: path)
        let copy = try OpenFile(writing: other, existing: .fail)
        do throws(FileError) {
            try copy.setPermissions(try file.permissions)
            var offset = 0
            while true {
                let piece = try file.read(at: offset, count: pieceSize)
                if piece.isEmpty { break }
                try copy.append(piece.span)
                offset += piece.count
            }
            try copy.sync()
        } catch {
            try? remove(other)
            throw error
        }
    }

    private static let pieceSize = 1 << 20

    /// Whether a regular file is at a path, links followed. Opening a pipe or a device might block.
    package static func isFile(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    /// Whether a file or a folder is on a file system that this process can't write to.
    package static func isReadOnly(_ path: String) -> Bool { unsafe access(path, W_OK) != 0 && errno == EROFS }

    /// Whether a folder is at a path, links followed.
    package static func isFolder(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether anything exists at a path.
    package static func exists(_ path: String) -> Bool {
        guard !path.utf8.contains(0) else { return false }
        return unsafe access(path, F_OK) == 0
    }

    /// The folder for temporary files.
    package static var temporaryFolder: String {
        unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }
}
