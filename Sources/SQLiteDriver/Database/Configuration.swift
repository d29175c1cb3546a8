// SPDX-License-Identifier: Apache-2.0

// How a database is opened.

/// What can be chosen for a database.
public struct Configuration: Hashable, Sendable {
    public var access = Connection.Access.create
    /// Nobody writes to the file. It is then opened for reading only.
    public var isImmutable = false
    /// Whether who opens the file for reading only may make its log, and takes it away again when it is closed last: for a file
    /// that is kept with a log and has none.
    public var readersMakeLog = false
    /// The file system, of those that SQLite knows by name; nil for its own choice.
    public var fileSystem: String?
    public var journalMode = JournalMode.wal
    public var synchronous = Synchronous.full
    /// How the file gets smaller. It can only be chosen before there is a table.
    public var autoVacuum = AutoVacuum.none
    /// How much of the file each connection keeps in memory.
    public var cacheKibibytes = 8 * 1024
    /// After how many pages the log is written back into the file.
    public var checkpointPages = 1000
    /// How large the log stays when it begins anew after it was written back.
    public var journalBytes = 64 << 20
    public var checksForeignKeys = false
    /// How long to wait for the locks of other programs.
    public var busyTimeout: Duration = .seconds(5)
    public var readerLimit = 8
    public var snapshotLimit = 8
    /// How many writes share a transaction at most.
    public var groupLimit = 64
    /// How many statements each connection keeps prepared.
    public var statementCacheLimit = 256

    public init() {}

    public enum JournalMode: String, Hashable, Sendable {
        /// A log beside the file: readers and the writer don't wait for each other.
        case wal
        /// A journal that is deleted with each commit. Readers wait while something is written.
        case delete
        case truncate
        case persist
        case memory
    }

    public enum Synchronous: String, Hashable, Sendable {
        /// Power loss may damage the file.
        case off
        /// Power loss may undo the last commits, with a log, but damages nothing.
        case normal
        /// A commit survives power loss.
        case full
        case extra
    }

    public enum AutoVacuum: Int64, Hashable, Sendable {
        case none = 0
        /// With each commit.
        case full = 1
        /// When it is asked for.
        case incremental = 2
    }
}
