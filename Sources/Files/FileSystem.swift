// SPDX-License-Identifier: Apache-2.0

// What is done with files by their names.

import Glibc

public enum FileSystem {
    /// Gives a file, or a folder with all that is in it, another name, in place of the file that had it.
    public static func rename(_ path: String, to other: String) throws(FileError) {
        try check(.rename, path)
        try check(.rename, other)
        guard unsafe Glibc.rename(path, other) == 0 else { throw .latest(other) }
    }

    /// Gives a file a second name.
    public static func link(_ path: String, to other: String) throws(FileError) {
        try check(.link, path)
        try check(.link, other)
        guard unsafe Glibc.link(path, other) == 0 else { throw .latest(other) }
    }

    /// Removes a file; it stays readable for those who have opened or mapped it.
    public static func remove(_ path: String) throws(FileError) {
        try check(.remove, path)
        guard unsafe unlink(path) == 0 else { throw .latest(path) }
    }

    /// Copies a file, with its permissions, to where there is none, so that the copy's bytes are there for good.
    public static func copy(_ path: String, to other: String) throws(FileError) {
        let file = try OpenFile(reading: path)
        let copy = try OpenFile(writing: other, existing: .isAnError)
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

    /// Whether there is a file at a path, links followed, and no folder, pipe or device: whoever opens these may have to wait.
    public static func isFile(_ path: String) -> Bool {
        status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    /// Whether there is anything at a path.
    public static func exists(_ path: String) -> Bool {
        guard !path.utf8.contains(0) else { return false }
        return unsafe access(path, F_OK) == 0
    }

    /// Where files go that have no place of their own.
    public static var temporaryFolder: String {
        unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }
}
