// SPDX-License-Identifier: Apache-2.0

// Whether the file of a database is still the one that its connections have open.

import Files

/// Where the file of a database is, and the log beside it.
public enum FilePlace: Hashable, Sendable {
    case unchanged
    /// The file was deleted, moved, or its folder was.
    case missing
    /// Another file is at its path.
    case replaced
    /// The log was deleted, or another one is at its path.
    case logMissing
}

/// The file that the connections of a database have open, and its log.
//
// 1. A file that was deleted or replaced stays open, and takes commits that nobody finds. So it is looked at before each commit:
//    what is committed was to be found at the path when its commit began.
// 2. A connection that is opened later is opened by the path, and used only if that leads to the same file still.
// 3. The connection that is closed last deletes the log and its index by their names. If the file isn't in its place these may
//    belong to another one, so that it deletes them only if the log is its own.
// 4. SQLite leaves the log of a file that isn't in its place. Beside another file it would be taken for that one's, and goes when
//    all connections are closed; of a file that is missing it stays, since that may be put back.
final class PlacedFile: Sendable {
    private let path: String
    private let identity: FileIdentity
    private let logPath: String
    private let logIdentity: FileIdentity?

    /// Nil where there is no file at the path.
    ///
    /// - Parameter connection: One that writes, and has the log open.
    init?(_ path: String, writer connection: Connection?) {
        self.path = FileSystem.absolute(path)
        guard let identity = FileSystem.identity(of: self.path) else { return nil }
        self.identity = identity
        // Beside the file itself, where links lead to it.
        logPath = (connection?.fileName ?? self.path) + "-wal"
        logIdentity = connection == nil ? nil : FileSystem.identity(of: logPath)
    }

    deinit {
        if place == .replaced { try? removeLog() }
    }

    var place: FilePlace {
        guard let current = FileSystem.identity(of: path) else { return .missing }
        guard current == identity else { return .replaced }
        return logIdentity == nil || isLogOwn ? .unchanged : .logMissing
    }

    private var isLogOwn: Bool { FileSystem.identity(of: logPath) == logIdentity }

    func check() throws(SQLiteError) {
        let place = place
        if place != .unchanged { throw .moved(place) }
    }

    /// The same of the file alone.
    func checkFile() throws(SQLiteError) {
        let place = place
        if place == .missing || place == .replaced { throw .moved(place) }
    }

    /// Whether a log beside the file, and its index, must stay when the last connection is closed.
    var mustKeepLog: Bool { place != .unchanged && !(logIdentity != nil && isLogOwn) }

    /// Removes a log that belongs to the file which was there before, and would be taken for that of the one which is there now.
    func removeLog() throws(FileError) {
        guard logIdentity != nil, isLogOwn else { return }
        try FileSystem.remove(logPath)
        try? FileSystem.remove(String(logPath.dropLast(4)) + "-shm")
    }
}
