// SPDX-License-Identifier: Apache-2.0

// Errors of operations on files and folders.

import Glibc

/// Why an operation on a file failed.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No space is left.
        package static let full = Code(rawValue: "full")
        package static let denied = Code(rawValue: "denied")
        package static let readOnly = Code(rawValue: "readOnly")
        /// The file, or its folder, doesn't exist.
        package static let missing = Code(rawValue: "missing")
        /// Something else exists at the path.
        package static let inTheWay = Code(rawValue: "inTheWay")
        package static let other = Code(rawValue: "other")
    }

    package let code: Code
    /// A clause without a period: “the disk is full”.
    package let reason: String
    package var path: String

    package init(_ code: Code, _ reason: String, path: String) {
        self.code = code
        self.reason = reason
        self.path = path
    }

    package var description: String { "\(path): \(reason)" }
}

extension FileError {
    /// The error of the last system call.
    static func latest(_ path: String) -> FileError {
        let number = errno
        return switch number {
        case ENOSPC, EDQUOT: FileError(.full, "the disk is full", path: path)
        case EACCES, EPERM: FileError(.denied, "permission is denied", path: path)
        case EROFS: FileError(.readOnly, "the disk is read-only", path: path)
        case ENOENT: FileError(.missing, "its folder doesn't exist", path: path)
        case EEXIST, EISDIR, ENOTDIR: FileError(.inTheWay, "a folder or a file is in its way", path: path)
        case ELOOP: FileError(.inTheWay, "a link is in its way", path: path)
        case ENAMETOOLONG: FileError(.other, "its name is too long", path: path)
        case EMFILE, ENFILE: FileError(.other, "too many files are open", path: path)
        default: FileError(.other, "the system reports error \(number)", path: path)
        }
    }

    static func nulInPath(_ path: String) -> FileError {
        FileError(.other, "its path has a NUL in it", path: path)
    }
}
