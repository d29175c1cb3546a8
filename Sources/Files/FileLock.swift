// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An exclusive lock between processes, and between threads, held until it is released.
///
/// It is on an empty file of its own, which stays: a file that is replaced can't be locked itself.
package final class FileLock: Sendable {
    private let descriptor: Descriptor

    /// Waits for the lock. Locks nothing if the file system doesn't support locks.
    ///
    /// - Parameter protected: The files that it protects: a lock of root belongs to their owner.
    package init(_ path: String, protecting protected: [String] = [], waiting time: Duration) throws(FileError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW
        // Only what is certainly new is given away: the owner of the folder may exchange what is in it at any time.
        if let new = try? Descriptor(path, flags: flags | O_EXCL, permissions: 0o600) {
            descriptor = new
            descriptor.setOwner(asOf: [path] + protected)
        } else {
            descriptor = try Descriptor(path, flags: flags, permissions: 0o600)
        }
        let end = ContinuousClock.now + time
        while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard ContinuousClock.now < end else {
                throw FileError(.other, "another program keeps it locked", path: path)
            }
            usleep(Self.pause)
        }
    }

    /// Between two attempts, in microseconds.
    private static let pause: useconds_t = 10_000
}
