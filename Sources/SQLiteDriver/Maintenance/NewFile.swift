// SPDX-License-Identifier: Apache-2.0

// A file that appears under its name only when it is complete.

import Files

struct NewFile {
    private let path: String
    private let folder: String
    let temporaryPath: String

    /// Creates an empty temporary file with the permissions of another file. Throws if the path exists.
    init(_ path: String, like model: String) throws(SQLiteError) {
        guard !path.utf8.contains(0) else { throw .nulInName("the path of a file") }
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        self.path = path
        let mark = String(UInt64.random(in: .min ... .max), radix: 36)
        temporaryPath = (slash.map { path[...$0] } ?? "./") + ".\(name).\(mark).new"
        guard !FileSystem.exists(path) else { throw .fileExists(path) }
        do throws(FileError) {
            let file = try OpenFile(writing: temporaryPath, existing: .fail)
            try file.setPermissions(FileSystem.permissions(of: model) ?? 0o600)
        } catch {
            remove()
            throw .fileSystem("made", path, error)
        }
    }

    /// Syncs the file and renames it to its path.
    func moveIntoPlace() throws(SQLiteError) {
        guard !FileSystem.exists(path) else { throw .fileExists(path) }
        do throws(FileError) {
            try OpenFile(reading: temporaryPath).sync()
            try FileSystem.rename(temporaryPath, to: path)
        } catch {
            throw .fileSystem("made", path, error)
        }
        do throws(FileError) {
            try OpenFolder(folder).sync()
        } catch {
            try? FileSystem.remove(path)
            throw .fileSystem("made", path, error)
        }
    }

    func remove() { try? FileSystem.remove(temporaryPath) }
}
