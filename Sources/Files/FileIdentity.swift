// SPDX-License-Identifier: Apache-2.0

// Identifies files and reads their attributes.

import Glibc

/// A file, independent of its names.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}

extension FileSystem {
    /// The identity of the file at a path, or nil. Follows links; doesn't open the file.
    package static func identity(of path: String) -> FileIdentity? { status(of: path).map(FileIdentity.init) }

    /// The state of the file at a path, or nil. Follows links; doesn't open the file.
    package static func state(of path: String) -> OpenFile.State? { status(of: path).map(OpenFile.State.init) }

    /// The size of the file at a path, or nil. Follows links; doesn't open the file.
    package static func size(of path: String) -> Int? { status(of: path).map { Int($0.st_size) } }

    /// The permissions of the file at a path, or nil. Follows links; doesn't open the file.
    package static func permissions(of path: String) -> Int? { status(of: path).map { Int($0.st_mode & 0o7777) } }

    /// The absolute path, which doesn't depend on later changes of the working directory.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    static func status(of path: String) -> stat? {
        guard !path.utf8.contains(0) else { return nil }
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }
}
