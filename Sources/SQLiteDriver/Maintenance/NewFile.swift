// SPDX-License-Identifier: Apache-2.0

// A file that appears under its name when it is whole.

import Glibc

struct NewFile {
    private let path: String
    private let folder: String
    let temporaryPath: String

    /// Makes an empty file beside a path where there is none yet, with the permissions of another one.
    init(_ path: String, like model: String) throws(SQLiteError) {
        guard !path.utf8.contains(0) else { throw .nulInName("the path of a file") }
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        self.path = path
        let mark = String(UInt64.random(in: .min ... .max), radix: 36)
        temporaryPath = (slash.map { path[...$0] } ?? "./") + ".\(name).\(mark).new"
        guard !Self.exists(path) else { throw .fileExists(path) }
        let file = unsafe open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .fileSystem("made", path, errno) }
        defer { close(file) }
        var status = stat()
        if unsafe stat(model, &status) == 0 { fchmod(file, status.st_mode & 0o777) }
    }

    /// Gives the file its name, once its bytes are on the disk.
    func appear() throws(SQLiteError) {
        try sync(temporaryPath, O_RDONLY)
        guard !Self.exists(path) else { throw .fileExists(path) }
        guard unsafe rename(temporaryPath, path) == 0 else { throw .fileSystem("renamed", path, errno) }
        try sync(folder, O_RDONLY | O_DIRECTORY)
    }

    func remove() { _ = unsafe unlink(temporaryPath) }

    private func sync(_ path: String, _ flags: CInt) throws(SQLiteError) {
        let file = unsafe open(path, flags | O_CLOEXEC)
        guard file >= 0 else { throw .fileSystem("synced", path, errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw .fileSystem("synced", path, errno) }
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
