// SPDX-License-Identifier: Apache-2.0

// An open folder: its entries made durable, and a lock on it that programs share.

import Glibc

/// A folder, which is closed, and unlocked, when nobody holds it.
public final class OpenFolder: Sendable {
    public let path: String
    let descriptor: Descriptor

    public init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = try Descriptor(path, O_RDONLY | O_DIRECTORY)
    }

    /// Makes a folder in one that is there, if it isn't there yet.
    public static func make(_ path: String) throws(FileError) {
        try FileSystem.check(.makeFolder, path)
        guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .latest(path) }
    }

    /// Has the files that were made in it there for good.
    public func sync() throws(FileError) { try descriptor.sync(.syncFolder, path) }

    /// Waits for a lock that any number may have who want the same.
    public func lockTogether() throws(FileError) { try wait(for: LOCK_SH) }

    /// Waits for a lock that nobody else may have meanwhile.
    public func lockAlone() throws(FileError) { try wait(for: LOCK_EX) }

    /// The same without waiting; false where somebody has a lock for himself.
    public func tryLockTogether() -> Bool { flock(descriptor.number, LOCK_SH | LOCK_NB) == 0 }

    /// The same without waiting; false where somebody has a lock.
    public func tryLockAlone() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Locks the folder, without waiting, until nobody holds it; false where somebody else has a lock. Where a file system knows no locks,
    /// nobody is kept out.
    public func keepOthersOut() -> Bool {
        flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    private func wait(for lock: CInt) throws(FileError) {
        while flock(descriptor.number, lock) != 0 {
            guard errno == EINTR else { throw .latest(path) }
        }
    }
}
