// SPDX-License-Identifier: Apache-2.0

// What the system says against a file or a folder.

import Glibc

/// Why the system didn't do something with a file.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no room left.
        public static let full = Code(rawValue: "full")
        public static let denied = Code(rawValue: "denied")
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file isn't there, or the folder that it is to be in.
        public static let missing = Code(rawValue: "missing")
        /// Something else is there.
        public static let inTheWay = Code(rawValue: "inTheWay")
        public static let other = Code(rawValue: "other")
    }

    public let code: Code
    /// Half a sentence: “the disk is full”.
    public let reason: String
    public var path: String

    public init(_ code: Code, _ reason: String, path: String) {
        (self.code, self.reason, self.path) = (code, reason, path)
    }

    public var description: String { "\(path): \(reason)" }
}

extension FileError {
    /// The error that the system call before has left behind.
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
