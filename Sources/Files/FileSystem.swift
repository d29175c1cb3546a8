// SPDX-License-Identifier: Apache-2.0

// What is done with files by their names.

import Glibc

public enum FileSystem {
    /// Gives a file another name, in place of the file that had it.
    public static func rename(_ path: String, to other: String) throws(FileError) {
        try check(path)
        try check(other)
        guard unsafe Glibc.rename(path, other) == 0 else { throw .latest(other) }
    }

    /// Gives a file a second name.
    public static func link(_ path: String, to other: String) throws(FileError) {
        try check(path)
        try check(other)
        guard unsafe Glibc.link(path, other) == 0 else { throw .latest(other) }
    }

    /// Removes a file; it stays readable for those who have opened or mapped it.
    public static func remove(_ path: String) throws(FileError) {
        try check(path)
        guard unsafe unlink(path) == 0 else { throw .latest(path) }
    }

    /// The system would take a path for one that ends at a NUL.
    static func check(_ path: String) throws(FileError) {
        guard !path.utf8.contains(0) else { throw .nulInPath(path) }
    }
}
