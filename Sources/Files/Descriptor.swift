// SPDX-License-Identifier: Apache-2.0

// An owned file descriptor.

import Glibc

// Safe: the strings, arrays and spans passed as pointers outlive the calls, which don't exceed their counts.
final class Descriptor: Sendable {
    let number: CInt

    init(_ path: String, flags: CInt, permissions: mode_t = 0o666) throws(FileError) {
        try FileSystem.check(flags & O_CREAT == 0 ? .open : .make, at: path)
        number = unsafe open(path, flags | O_CLOEXEC, permissions)
        guard number >= 0 else { throw .latest(path) }
    }

    /// Opens an entry of an open folder, unless it is a symbolic link.
    init(_ name: String, in folder: Descriptor, flags: CInt, path: String) throws(FileError) {
        try FileSystem.check(.open, at: path)
        number = unsafe openat(folder.number, name, flags | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw .latest(path) }
    }

    /// Opens a new file for its owner alone, in the temporary folder, that has no name any more.
    static func temporary() throws(FileError) -> Descriptor {
        let name = "\(FileSystem.temporaryFolder)/outcrop-\(UInt64.random(in: .min ... .max))"
        let descriptor = try Descriptor(name, flags: O_RDWR | O_CREAT | O_EXCL, permissions: 0o600)
        try FileSystem.remove(name)
        return descriptor
    }

    deinit { close(number) }

    func status(_ path: String) throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .latest(path) }
        return status
    }

    /// The status of an entry of the open folder, which isn't opened.
    func status(of name: String, path: String) throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .latest(path) }
        return status
    }

    func sync(_ operation: FileOperation, path: String) throws(FileError) {
        try FileSystem.check(operation, at: path)
        guard fsync(number) == 0 else { throw .latest(path) }
    }

    /// The number of written bytes; negative after an error.
    func write(_ bytes: Span<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
    }

    /// Nil after an error.
    func read(at offset: Int, count: Int) -> [UInt8]? {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            result = unsafe pread(number, buffer.baseAddress, count, off_t(offset))
            filled = max(0, result)
        }
        return result < 0 ? nil : bytes
    }

    /// The next bytes, any number of them; empty at the end.
    func next(_ path: String) throws(FileError) -> [UInt8] {
        while true {
            var result = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, filled in
                result = unsafe Glibc.read(number, buffer.baseAddress, buffer.count)
                filled = max(0, result)
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .latest(path) }
            return bytes
        }
    }
}
