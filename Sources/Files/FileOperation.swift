// SPDX-License-Identifier: Apache-2.0

// Fault injection for tests.

/// An operation on a file or a folder.
package enum FileOperation: CaseIterable, Hashable, Sendable {
    case open
    /// Opening for writing, which creates a missing file.
    case make
    case makeFolder
    case read
    case write
    case sync
    case syncFolder
    case rename
    case link
    case remove
}

/// Called before each operation.
package protocol FileGuard: Sendable {
    /// Throws to make the operation fail.
    func check(_ operation: FileOperation, at path: String) throws(FileError)
}

extension FileSystem {
    @TaskLocal package static var fileGuard: (any FileGuard)?

    static func check(_ operation: FileOperation, at path: String) throws(FileError) {
        // System calls would truncate the path at a NUL.
        guard !path.utf8.contains(0) else { throw .nulInPath(path) }
        try fileGuard?.check(operation, at: path)
    }
}
