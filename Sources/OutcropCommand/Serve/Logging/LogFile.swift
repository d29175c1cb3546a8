// SPDX-License-Identifier: Apache-2.0

// The output of a log: a file, or the standard error output.

import Glibc
import Synchronization

/// An open log file, written by one thread. Another thread may reopen it.
final class LogFile: Sendable {
    /// Nil for the standard error output.
    let path: String?
    private let descriptor: Mutex<CInt>

    init(path: String?) throws(LogFileError) {
        self.path = path
        descriptor = Mutex(try path.map { path throws(LogFileError) in try Self.open(path) } ?? STDERR_FILENO)
    }

    deinit {
        let number = descriptor.withLock { $0 }
        if path != nil { close(number) }
    }

    /// Reopens the file. If that fails, the old one remains in use.
    func reopen() throws(LogFileError) {
        guard let path else { return }
        let new = try Self.open(path)
        let old = descriptor.withLock { number in
            defer { number = new }
            return number
        }
        close(old)
    }

    /// Writes all bytes. False if the system refuses.
    func write(_ bytes: [UInt8]) -> Bool {
        descriptor.withLock { number in
            var written = 0
            while written < bytes.count {
                let count = unsafe bytes[written...].withUnsafeBytes {
                    unsafe Glibc.write(number, $0.baseAddress, $0.count)
                }
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    // The pipe is non-blocking, but this thread can wait.
                    var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&request, 1, 1_000)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    private static func open(_ path: String) throws(LogFileError) -> CInt {
        let number = unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard number >= 0 else { throw LogFileError(path: path, code: errno) }
        return number
    }
}

/// Why a log can't be opened.
struct LogFileError: Error {
    let path: String
    let code: CInt

    var message: String {
        let reason =
            switch code {
            case ENOENT, ENOTDIR: "its folder doesn't exist"
            case EACCES, EPERM: "permission is denied"
            case EISDIR: "it is a folder"
            case EROFS: "the disk is read-only"
            default: "the system reports error \(code)"
            }
        return "The log “\(path)” can't be opened: \(reason)."
    }
}
