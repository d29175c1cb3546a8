// SPDX-License-Identifier: Apache-2.0

// Where tests have the system fail.

/// What the system is asked to do with a file or a folder.
package enum FileOperation: CaseIterable, Hashable, Sendable {
    case open
    /// Opening for writing, which makes a file where there is none.
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

/// Who is asked before each operation.
package protocol FileGuard: Sendable {
    /// What it throws counts as the operation's failure.
    func check(_ operation: FileOperation, _ path: String) throws(FileError)
}

extension FileSystem {
    @TaskLocal package static var fileGuard: (any FileGuard)?

    static func check(_ operation: FileOperation, _ path: String) throws(FileError) {
        // The system would take a path for one that ends at a NUL.
        guard !path.utf8.contains(0) else { throw .nulInPath(path) }
        try fileGuard?.check(operation, path)
    }
}
