// SPDX-License-Identifier: Apache-2.0

// Files below a folder, found so that nothing outside of it is ever opened, whatever names are asked for.

import Glibc

extension OpenFolder {
    /// Opens a file for reading, by the names on the way to it. No link is followed, and what isn't a file isn't waited for.
    ///
    /// - Parameter hidden: Files that aren't opened whatever their names are, and count as missing.
    public func file(_ names: [String], hiding hidden: Set<FileIdentity> = []) throws(FileError) -> OpenFile {
        let path = ([self.path] + names).joined(separator: "/")
        guard let last = names.last, names.allSatisfy(\.isNameOfFile) else {
            throw FileError(.missing, "it can't be one", path: path)
        }
        var folder = descriptor
        for name in names.dropLast() { folder = try Descriptor(name, in: folder, O_RDONLY | O_DIRECTORY, path) }
        if !hidden.isEmpty, hidden.contains(FileIdentity(try folder.status(of: last, path))) {
            throw FileError(.missing, "it can't be had", path: path)
        }
        // Opening a pipe would wait for somebody who writes.
        let file = try Descriptor(last, in: folder, O_RDONLY | O_NONBLOCK, path)
        guard try file.status(path).st_mode & S_IFMT == S_IFREG else {
            throw FileError(.inTheWay, "it is no file", path: path)
        }
        return OpenFile(path, file)
    }
}

extension String {
    /// Whether it names something in a folder, and not the folder itself, the one above, or something further down.
    fileprivate var isNameOfFile: Bool {
        !isEmpty && self != "." && self != ".." && utf8.count < 256 && !utf8.contains(0x2F) && !utf8.contains(0)
    }
}

extension OpenFile {
    /// Which state of which file it is.
    public struct State: Hashable, Sendable {
        public let size: Int
        /// Since 1970.
        public let modified: Duration
        public let number: UInt64
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

        /// Whether both are states of one file.
        public func isSameFile(as other: State) -> Bool { number == other.number && device == other.device }
    }

    public var state: State {
        get throws(FileError) { State(try descriptor.status(path)) }
    }
}
