// SPDX-License-Identifier: Apache-2.0

// An open file.

import Glibc

/// A file, which is closed when released.
package final class OpenFile: Sendable {
    package let path: String
    let descriptor: Descriptor

    init(_ path: String, _ descriptor: Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// What happens to an existing file that is opened for writing.
    package enum Existing: Hashable, Sendable {
        case truncate
        case fail
        /// The file must exist, and is appended to.
        case append
    }

    package init(reading path: String) throws(FileError) {
        self.path = path
        descriptor = try Descriptor(path, flags: O_RDONLY)
    }

    /// - Parameter permissions: Those of a file that is created, as far as the process's mask permits them.
    package init(writing path: String, existing: Existing, permissions: Int = 0o666) throws(FileError) {
        self.path = path
        let flags =
            switch existing {
            case .truncate: O_CREAT | O_TRUNC
            case .fail: O_CREAT | O_EXCL
            case .append: O_APPEND
            }
        descriptor = try Descriptor(path, flags: O_WRONLY | flags, permissions: mode_t(permissions))
    }

    /// Creates an unnamed file in the temporary folder, for reading and writing. It is deleted when it is closed.
    package static func temporary() throws(FileError) -> OpenFile {
        let folder = FileSystem.temporaryFolder
        do throws(FileError) {
            return OpenFile(folder, try Descriptor.temporary())
        } catch {
            throw error.ofTemporaryFolder
        }
    }

    /// Opens an unnamed temporary copy of a pipe, which could be read only once. If the copy can't be made, the error
    /// has the path of the temporary folder.
    package init(copying path: String) throws(FileError) {
        self.path = path
        let source = try Descriptor(path, flags: O_RDONLY)
        guard try source.status(path).st_mode & S_IFMT != S_IFDIR else {
            throw FileError(.inTheWay, "it is a folder", path: path)
        }
        do throws(FileError) { descriptor = try .temporary() } catch { throw error.ofTemporaryFolder }
        while case let piece = try source.next(path), !piece.isEmpty {
            do throws(FileError) { try append(piece.span) } catch { throw error.ofTemporaryFolder }
        }
    }

    /// The current size in bytes.
    package var size: Int {
        get throws(FileError) { Int(try descriptor.status(path).st_size) }
    }

    package func append(_ bytes: Span<UInt8>) throws(FileError) {
        try FileSystem.check(.write, at: path)
        var written = 0
        while written < bytes.count {
            let count = descriptor.write(bytes.extracting(droppingFirst: written))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .latest(path) }
            written += count
        }
    }

    /// Truncates the file to a size.
    package func truncate(to size: Int) throws(FileError) {
        guard ftruncate(descriptor.number, off_t(size)) == 0 else { throw .latest(path) }
    }

    /// Reads up to a number of bytes; fewer at the end of the file.
    package func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        try FileSystem.check(.read, at: path)
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = descriptor.read(at: offset + bytes.count, count: count - bytes.count)
            if more == nil, errno == EINTR { continue }
            guard let more else { throw .latest(path) }
            if more.isEmpty { break }
            if bytes.isEmpty { bytes = more } else { bytes += more }
        }
        return bytes
    }

    /// Tries to lock the file exclusively until it is released; false if it is locked through another descriptor.
    /// True without a lock if the file system doesn't support locks.
    package func tryLockExclusively() -> Bool {
        flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// Whether both are the same file, under any paths.
    package func isSame(as other: OpenFile) -> Bool {
        guard let own = try? descriptor.status(path), let others = try? other.descriptor.status(other.path) else {
            return false
        }
        return FileIdentity(own) == FileIdentity(others)
    }

    /// Waits until the written bytes are on the disk.
    package func sync() throws(FileError) { try descriptor.sync(.sync, path: path) }

    package var permissions: Int {
        get throws(FileError) { Int(try descriptor.status(path).st_mode & 0o7777) }
    }

    package func setPermissions(_ permissions: Int) throws(FileError) {
        guard fchmod(descriptor.number, mode_t(permissions)) == 0 else { throw .latest(path) }
    }
}

extension FileError {
    /// The same error with the path of the folder, since the file in it has no name.
    fileprivate var ofTemporaryFolder: FileError { FileError(code, reason, path: FileSystem.temporaryFolder) }
}
