// SPDX-License-Identifier: Apache-2.0

// Files with secrets, which their owner alone may read.

import Files
import FoundationEssentials

enum PrivateFile {
    /// Replaces a file by a rename of a complete and synced one, so that readers need no lock.
    ///
    /// - Parameters:
    ///   - new: The path of the file that replaces it. A former attempt may have left one.
    ///   - store: The store that the file belongs to: what root writes belongs to its owner. Nil for another file.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        by new: String,
        besides store: String? = nil
    ) throws(FileError) {
        if FileSystem.exists(new) { try FileSystem.remove(new) }
        do throws(FileError) {
            let file = try make(new)
            try file.append(bytes.span)
            try file.sync()
            file.setOwner(asOf: [path] + (store.map { [$0] } ?? []))
            try FileSystem.rename(new, to: path)
        } catch {
            try? FileSystem.remove(new)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Creates an empty file, which others never have access to.
    static func make(_ path: String) throws(FileError) -> OpenFile {
        try OpenFile(writing: path, existing: .fail, permissions: permissions)
    }

    /// Opens a file to be appended to. Access that others have to it is withdrawn before anything is written.
    static func append(to path: String) throws(FileError) -> OpenFile {
        let file = try OpenFile(writing: path, existing: .append)
        if try file.permissions & 0o077 != 0 { try file.setPermissions(permissions) }
        return file
    }

    private static let permissions = 0o600

    static func syncFolder(of path: String) throws(FileError) {
        try OpenFolder(URL(filePath: path).deletingLastPathComponent().path).sync()
    }
}
