// SPDX-License-Identifier: Apache-2.0

// Opens files below a folder by untrusted names, and never files outside of it.

import Glibc

extension OpenFolder {
    /// Opens a file for reading by the names on its path. Doesn't follow links, and doesn't block on pipes.
    ///
    /// - Parameter hidden: Files that are treated as missing, under any names.
    package func file(_ names: [String], hiding hidden: Set<FileIdentity> = []) throws(FileError) -> OpenFile {
        let path = ([self.path] + names).joined(separator: "/")
        guard let last = names.last, names.allSatisfy(\.isFileName) else {
            throw FileError(.missing, "its path is invalid", path: path)
        }
        var folder = descriptor
        for name in names.dropLast() {
            folder = try Descriptor(name, in: folder, flags: O_RDONLY | O_DIRECTORY, path: path)
        }
        if !hidden.isEmpty, hidden.contains(FileIdentity(try folder.status(of: last, path: path))) {
            throw FileError(.missing, "it is hidden", path: path)
        }
        // Opening a pipe would block until it has a writer.
        let file = try Descriptor(last, in: folder, flags: O_RDONLY | O_NONBLOCK, path: path)
        guard try file.status(path).st_mode & S_IFMT == S_IFREG else {
            throw FileError(.inTheWay, "it isn't a regular file", path: path)
        }
        return OpenFile(path, file)
    }
}

extension String {
    /// Whether it names an entry of a folder, and not the folder itself, its parent, or a path.
    fileprivate var isFileName: Bool {
        !isEmpty && self != "." && self != ".." && utf8.count < 256 && !utf8.contains(0x2F) && !utf8.contains(0)
    }
}

extension OpenFile {
    /// The identity, size and modification time of a file.
    package struct State: Hashable, Sendable {
        package let size: Int
        /// Since 1970.
        package let modified: Duration
        package let number: UInt64
        let device: UInt64

        init(_ status: stat) {
            size = Int(status.st_size)
            modified = Duration(
                secondsComponent: Int64(status.st_mtim.tv_sec),
                attosecondsComponent: Int64(status.st_mtim.tv_nsec) * 1_000_000_000
            )
            number = UInt64(status.st_ino)
            device = UInt64(status.st_dev)
        }

        /// Whether both are states of the same file.
        package func isSameFile(as other: State) -> Bool { number == other.number && device == other.device }
    }

    package var state: State {
        get throws(FileError) { State(try descriptor.status(path)) }
    }
}
