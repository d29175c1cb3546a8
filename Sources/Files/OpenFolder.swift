// SPDX-License-Identifier: Apache-2.0

// An open folder, which can be synced and locked.

import Glibc

/// A folder, which is closed and unlocked when released.
package final class OpenFolder: Sendable {
    package let path: String
    let descriptor: Descriptor

    package init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = try Descriptor(path, flags: O_RDONLY | O_DIRECTORY)
    }

    /// Creates a folder, unless it exists.
    package static func make(_ path: String) throws(FileError) {
        try FileSystem.check(.makeFolder, at: path)
        guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .latest(path) }
    }

    /// Waits until the folder's entries are on the disk.
    package func sync() throws(FileError) { try descriptor.sync(.syncFolder, path: path) }

    /// Waits for a shared lock.
    package func lockShared() throws(FileError) { try wait(for: LOCK_SH) }

    /// Waits for an exclusive lock.
    package func lockExclusively() throws(FileError) { try wait(for: LOCK_EX) }

    /// Tries to acquire a shared lock; false if an exclusive lock is held.
    package func tryLockShared() -> Bool { flock(descriptor.number, LOCK_SH | LOCK_NB) == 0 }

    /// Tries to acquire an exclusive lock; false if any lock is held.
    package func tryLockExclusively() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

    /// Tries to lock the folder exclusively until it is released; false if any lock is held. True without a lock if
    /// the file system doesn't support locks.
    package func restrictToOwner() -> Bool {
        flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    private func wait(for lock: CInt) throws(FileError) {
        while flock(descriptor.number, lock) != 0 {
            guard errno == EINTR else { throw .latest(path) }
        }
    }
}
