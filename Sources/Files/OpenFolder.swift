// SPDX-License-Identifier: Apache-2.0

// An open folder: its entries made durable, and a lock on it that programs share.

import Glibc

/// A folder, which is closed, and unlocked, when nobody holds it.
public final class OpenFolder: Sendable {
    public let path: String
    private let descriptor: Descriptor

    public init(_ path: String) throws(FileError) {
        self.path = path
        descriptor = try Descriptor(path, O_RDONLY | O_DIRECTORY)
    }

    /// Makes a folder in one that is there, if it isn't there yet.
    public static func make(_ path: String) throws(FileError) {
        try FileSystem.check(path)
        guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .latest(path) }
    }

    /// Has the files that were made in it there for good.
    public func sync() throws(FileError) { try descriptor.sync(path) }

    /// Waits for a lock that any number may have who want the same.
    public func lockTogether() throws(FileError) {
        while flock(descriptor.number, LOCK_SH) != 0 {
            guard errno == EINTR else { throw .latest(path) }
        }
    }

    /// A lock that nobody else may have meanwhile; false where somebody has one.
    public func tryLockAlone() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }
}
